// Calculations of the scalar unit: conversions and bits.
#pragma once

#include "twin/api/vector_cast.h"

namespace AscendC {

inline float Cast(const bfloat16_t& value) { return static_cast<float>(value); }
inline bfloat16_t Cast(const float& value) { return bfloat16_t(value); }
template <typename T, typename U, RoundMode roundMode>
U Cast(T value) {
    static_assert(std::is_same<T, float>::value && twin::is_one_of<U, half, int32_t>,
                  "Cast of a scalar: float to half or int32_t");
    return twin::cast_value<U, T>(value, roundMode);
}
template <int countValue>
int64_t GetBitCount(uint64_t value) {
    const int ones = __builtin_popcountll(value);
    return countValue == 1 ? ones : 64 - ones;
}
inline int64_t CountLeadingZero(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
/// Bits after the sign bit that are equal to it, without interruption.
inline int64_t CountBitsCntSameAsSignBit(int64_t value) { return __builtin_clrsbll(value); }
/// Position of the lowest bit equal to `bit`, -1 when there is none.
template <int bit>
int64_t GetSFFValue(uint64_t value) {
    const uint64_t wanted = bit == 1 ? value : ~value;
    return wanted == 0 ? -1 : __builtin_ctzll(wanted);
}

// Their names in earlier releases.
inline float ToFloat(const bfloat16_t& value) { return Cast(value); }
inline bfloat16_t ToBfloat16(const float& value) { return Cast(value); }
template <typename T, typename U, RoundMode roundMode>
U ScalarCast(T value) {
    return Cast<T, U, roundMode>(value);
}
template <int countValue>
int64_t ScalarGetCountOfValue(uint64_t value) {
    return GetBitCount<countValue>(value);
}
inline int64_t ScalarCountLeadingZero(uint64_t value) { return CountLeadingZero(value); }
template <int bit>
int64_t ScalarGetSFFValue(uint64_t value) {
    return GetSFFValue<bit>(value);
}
/// The bits of a scalar as an integer, as DataCopyPadParams::paddingValue takes them.
template <typename T>
uint64_t GetScalarBitcodeValue(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const void*>(&value), sizeof(value));
    return bits;
}

}  // namespace AscendC
