// The device's 16-bit floating types, bit exact and without compiler extensions.
//
// Conversion from float rounds to nearest even, as the vector unit's CAST_RINT does; conversion to float is
// exact.
#pragma once

#include <cstdint>
#include <type_traits>

namespace twin {

constexpr uint32_t float_bits(float value) { return __builtin_bit_cast(uint32_t, value); }
constexpr float bits_float(uint32_t bits) { return __builtin_bit_cast(float, bits); }

/// IEEE binary16 bits of a float, round to nearest even; overflow gives infinity, NaN the quiet NaN 0x7e00.
constexpr uint16_t half_bits(float value) {
    const uint32_t bits = float_bits(value);
    const uint32_t sign = (bits >> 16) & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t normal = (magnitude + 0xc8000fffu + ((magnitude >> 13) & 1u)) >> 13;
    // Adding 0.5 aligns the mantissa of a subnormal half with the low bits of the sum, rounded by the float
    // adder.
    const float aligned = bits_float(magnitude < 0x38800000u ? magnitude : 0u) + 0.5f;
    const uint32_t subnormal = float_bits(aligned) - 0x3f000000u;
    const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    const uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    return static_cast<uint16_t>(sign | (magnitude >= 0x47800000u ? special : finite));
}

/// Exact float value of IEEE binary16 bits. Without a branch, so that the compiler makes vector instructions
/// of a loop: the product moves the exponent to where a float has it, of subnormal numbers too.
constexpr float half_value(uint16_t half) {
    const uint32_t sign = (half & 0x8000u) << 16;
    const uint32_t shifted = (half & 0x7fffu) << 13;
    const uint32_t finite = float_bits(bits_float(shifted) * 0x1p112f);
    const uint32_t special = shifted >= 0x0f800000u ? 0x7f800000u : 0u;
    return bits_float(sign | finite | special);
}

/// bfloat16 bits of a float, round to nearest even; NaN stays a quiet NaN.
constexpr uint16_t bfloat16_bits(float value) {
    const uint32_t bits = float_bits(value);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint32_t quiet = (bits >> 16) | 0x40u;
    return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

constexpr float bfloat16_value(uint16_t bits) { return bits_float(static_cast<uint32_t>(bits) << 16); }

}  // namespace twin

/// Common behaviour of the two 16-bit floats: storage of two bytes, implicit conversion to and from numbers
/// through float. Arithmetic happens in float and rounds once when the result is stored.
#define TWIN_DEFINE_FLOAT16(NAME, TO_BITS, TO_FLOAT)                                                   \
    struct NAME {                                                                                      \
        uint16_t bits;                                                                                 \
        NAME() = default;                                                                              \
        template <class Number, class = std::enable_if_t<std::is_arithmetic<Number>::value>>           \
        constexpr NAME(Number value) : bits(TO_BITS(static_cast<float>(value))) {}                     \
        template <class Other,                                                                         \
                  std::enable_if_t<std::is_class<Other>::value && !std::is_same<Other, NAME>::value && \
                                       std::is_convertible<Other, float>::value,                       \
                                   int> = 0>                                                           \
        explicit constexpr NAME(Other value) : bits(TO_BITS(static_cast<float>(value))) {}             \
        constexpr operator float() const { return TO_FLOAT(bits); }                                    \
        NAME& operator+=(float other) { return *this = NAME(static_cast<float>(*this) + other); }      \
        NAME& operator-=(float other) { return *this = NAME(static_cast<float>(*this) - other); }      \
        NAME& operator*=(float other) { return *this = NAME(static_cast<float>(*this) * other); }      \
        NAME& operator/=(float other) { return *this = NAME(static_cast<float>(*this) / other); }      \
    };                                                                                                 \
    static_assert(sizeof(NAME) == 2 && std::is_trivially_copyable<NAME>::value, "16-bit float layout")

TWIN_DEFINE_FLOAT16(half, ::twin::half_bits, ::twin::half_value);
TWIN_DEFINE_FLOAT16(bfloat16_t, ::twin::bfloat16_bits, ::twin::bfloat16_value);

#undef TWIN_DEFINE_FLOAT16

using float16_t = half;
using float32_t = float;

/// A complex number in memory; the vector unit has no instructions for it, kernels work on its parts.
struct complex64 {
    float real;
    float imag;
};

/// Four-bit integer: two share one byte on the device; the type only names the format.
struct int4b_t {
    uint8_t bits;
};

namespace twin {

template <class T>
constexpr bool is_float16 = std::is_same<T, half>::value || std::is_same<T, bfloat16_t>::value;
template <class T>
constexpr bool is_floating = is_float16<T> || std::is_same<T, float>::value || std::is_same<T, double>::value;
template <class T, class... Options>
constexpr bool is_one_of = (std::is_same<T, Options>::value || ...);

}  // namespace twin
