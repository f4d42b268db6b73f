// Get<Name>MaxMinTmpSize and Get<Name>TmpBufferFactorSize of the element-wise, activation and reduction
// functions.
#pragma once

#include "twin/host/library_shape.h"
#include "twin/host/platform.h"

namespace AscendC {

// Most functions have one signature: (shape, element bytes, reuse source, max, min).
#define TWIN_HOST_TMP_SIZE(name, copies)                                                               \
    inline void Get##name##MaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool, \
                                         uint32_t& most, uint32_t& least) {                            \
        twin::host::most_and_least(shape, type_size, copies, most, least);                             \
    }                                                                                                  \
    inline void Get##name##TmpBufferFactorSize(const uint32_t, uint32_t& factor, uint32_t& extra) {    \
        factor = copies;                                                                               \
        extra = 0;                                                                                     \
    }
TWIN_HOST_TMP_SIZE(Acos, 3)
TWIN_HOST_TMP_SIZE(Acosh, 3)
TWIN_HOST_TMP_SIZE(Asin, 3)
TWIN_HOST_TMP_SIZE(Asinh, 3)
TWIN_HOST_TMP_SIZE(Atan, 5)
TWIN_HOST_TMP_SIZE(Atanh, 2)
TWIN_HOST_TMP_SIZE(Axpy, 1)
TWIN_HOST_TMP_SIZE(Ceil, 1)
TWIN_HOST_TMP_SIZE(Clamp, 1)
TWIN_HOST_TMP_SIZE(Cos, 4)
TWIN_HOST_TMP_SIZE(Cosh, 3)
TWIN_HOST_TMP_SIZE(Digamma, 8)
TWIN_HOST_TMP_SIZE(Erf, 3)
TWIN_HOST_TMP_SIZE(Erfc, 7)
TWIN_HOST_TMP_SIZE(Exp, 4)
TWIN_HOST_TMP_SIZE(Floor, 1)
TWIN_HOST_TMP_SIZE(Fmod, 2)
TWIN_HOST_TMP_SIZE(Frac, 1)
TWIN_HOST_TMP_SIZE(GeGLU, 3)
TWIN_HOST_TMP_SIZE(Lgamma, 8)
TWIN_HOST_TMP_SIZE(Log, 2)
TWIN_HOST_TMP_SIZE(Log10, 2)
TWIN_HOST_TMP_SIZE(Log2, 2)
TWIN_HOST_TMP_SIZE(Round, 1)
TWIN_HOST_TMP_SIZE(Sign, 1)
TWIN_HOST_TMP_SIZE(Sin, 4)
TWIN_HOST_TMP_SIZE(Sinh, 3)
TWIN_HOST_TMP_SIZE(Tan, 5)
TWIN_HOST_TMP_SIZE(Tanh, 1)
TWIN_HOST_TMP_SIZE(Trunc, 1)
TWIN_HOST_TMP_SIZE(Xor, 1)
#undef TWIN_HOST_TMP_SIZE

// The same behind the processor: (platform, shape, element bytes, reuse source, max, min).
#define TWIN_HOST_PLATFORM_TMP_SIZE(name, copies)                                                          \
    inline void Get##name##MaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& shape, \
                                         const uint32_t type_size, const bool, uint32_t& most,             \
                                         uint32_t& least) {                                                \
        twin::host::most_and_least(shape, type_size, copies, most, least);                                 \
    }                                                                                                      \
    inline void Get##name##TmpBufferFactorSize(const platform_ascendc::PlatformAscendC&, const uint32_t,   \
                                               uint32_t& factor, uint32_t& extra) {                        \
        factor = copies;                                                                                   \
        extra = 0;                                                                                         \
    }
TWIN_HOST_PLATFORM_TMP_SIZE(Rint, 1)
TWIN_HOST_PLATFORM_TMP_SIZE(Round, 1)
#undef TWIN_HOST_PLATFORM_TMP_SIZE

// These two have no factor of a live element.
#define TWIN_HOST_TMP_SIZE_ALONE(name, copies)                                                         \
    inline void Get##name##MaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool, \
                                         uint32_t& most, uint32_t& least) {                            \
        twin::host::most_and_least(shape, type_size, copies, most, least);                             \
    }
TWIN_HOST_TMP_SIZE_ALONE(ReGlu, 2)
TWIN_HOST_TMP_SIZE_ALONE(Sigmoid, 1)
#undef TWIN_HOST_TMP_SIZE_ALONE

inline void GetCumSumMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool, const bool,
                                   uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 2, most, least);
}
inline void GetWelfordUpdateMaxMinTmpSize(const ge::Shape& shape, const uint32_t, const uint32_t type_size,
                                          const bool, const bool, uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 2, most, least);
}
inline void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool,
                                            uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 3, most, least);
}
inline void GetArithProgressionMaxMinTmpSize(uint32_t& most, uint32_t& least) { most = least = 0; }
inline void GetArangeMaxMinTmpSize(uint32_t& most, uint32_t& least) { most = least = 0; }
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elements,
                                 const uint32_t type_size) {
    return elements * (type_size + 4);
}
enum class SortType { RADIX_SORT, MERGE_SORT };
struct SortConfig {
    SortType type = SortType::RADIX_SORT;
    bool isDescend = false;
    bool hasSrcIndex = false;
    bool hasDstIndex = false;
};
inline void GetSortMaxMinTmpSize(const ge::Shape& shape, ge::DataType type, ge::DataType index, bool,
                                 const SortConfig&, uint32_t& most, uint32_t& least) {
    const int bytes = ge::GetSizeByDataType(type) + ge::GetSizeByDataType(index);
    twin::host::most_and_least(shape, static_cast<uint32_t>(bytes), 2, most, least);
}
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elements,
                               const uint32_t type_size) {
    return elements * (type_size + 4) * 2;
}

// Choice by a mask of bytes: (shape of src0, of src1, element bytes, shape of the mask, mask bytes, reuse
// mask).
#define TWIN_HOST_SELECT_SIZE(name)                                                                  \
    inline void Get##name##MaxMinTmpSize(const ge::Shape& first, const ge::Shape& second,            \
                                         const uint32_t type_size, const ge::Shape&, const uint32_t, \
                                         const bool, uint32_t& most, uint32_t& least) {              \
        const bool scalar = first.GetShapeSize() < second.GetShapeSize();                            \
        twin::host::most_and_least(scalar ? second : first, type_size, 2, most, least);              \
    }                                                                                                \
    inline uint32_t Get##name##MaxTmpSize(const ge::Shape& first, const ge::Shape& second,           \
                                          const uint32_t type_size, const ge::Shape& mask,           \
                                          const uint32_t mask_size, const bool reuse) {              \
        uint32_t most = 0, least = 0;                                                                \
        Get##name##MaxMinTmpSize(first, second, type_size, mask, mask_size, reuse, most, least);     \
        return most;                                                                                 \
    }                                                                                                \
    inline uint32_t Get##name##MinTmpSize(const ge::Shape& first, const ge::Shape& second,           \
                                          const uint32_t type_size, const ge::Shape& mask,           \
                                          const uint32_t mask_size, const bool reuse) {              \
        uint32_t most = 0, least = 0;                                                                \
        Get##name##MaxMinTmpSize(first, second, type_size, mask, mask_size, reuse, most, least);     \
        return least;                                                                                \
    }
TWIN_HOST_SELECT_SIZE(Select)
TWIN_HOST_SELECT_SIZE(SelectWithBytesMask)
#undef TWIN_HOST_SELECT_SIZE

// Reductions by a pattern: (shape, type, pattern, source padded inside, reuse source, max, min).
#define TWIN_HOST_REDUCE_SIZE(name)                                                                          \
    inline void GetReduce##name##MaxMinTmpSize(const ge::Shape& shape, const ge::DataType type,              \
                                               ReducePattern, bool, bool, uint32_t& most, uint32_t& least) { \
        const int bytes = ge::GetSizeByDataType(type);                                                       \
        twin::host::most_and_least(shape, static_cast<uint32_t>(bytes), 1, most, least);                     \
    }
TWIN_HOST_REDUCE_SIZE(All)
TWIN_HOST_REDUCE_SIZE(Any)
TWIN_HOST_REDUCE_SIZE(Max)
TWIN_HOST_REDUCE_SIZE(Mean)
TWIN_HOST_REDUCE_SIZE(Min)
TWIN_HOST_REDUCE_SIZE(Prod)
TWIN_HOST_REDUCE_SIZE(Sum)
#undef TWIN_HOST_REDUCE_SIZE

inline void GetPowerMaxMinTmpSize(const ge::Shape& base, const ge::Shape& exponent, const bool,
                                  const uint32_t type_size, const bool, uint32_t& most, uint32_t& least) {
    const ge::Shape& larger = base.GetShapeSize() < exponent.GetShapeSize() ? exponent : base;
    twin::host::most_and_least(larger, type_size, 4, most, least);
}
inline void GetGeluMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, uint32_t& most,
                                 uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 3, most, least);
}
inline uint32_t GetGeluMaxTmpSize(const ge::Shape& shape, const uint32_t type_size) {
    return twin::host::buffer_bytes(shape, type_size, 3) + 768;
}
inline uint32_t GetGeluMinTmpSize(const ge::Shape&, const uint32_t) { return 768; }
inline void GetSwiGLUMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, uint32_t& most,
                                   uint32_t& least, const bool) {
    twin::host::most_and_least(shape, type_size, 3, most, least);
}
inline void GetSiluTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool, uint32_t& most,
                           uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 2, most, least);
}
inline void GetSwishTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool, uint32_t& most,
                            uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 2, most, least);
}
inline void GetReduceSumMaxMinTmpSize(const ge::Shape& shape, const ge::DataType type, bool, uint32_t& most,
                                      uint32_t& least) {
    twin::host::most_and_least(shape, static_cast<uint32_t>(ge::GetSizeByDataType(type)), 1, most, least);
}
inline void GetSumMaxMinTmpSize(const uint32_t elements, const uint32_t type_size, const bool, uint32_t& most,
                                uint32_t& least) {
    twin::host::most_and_least(ge::Shape({static_cast<int64_t>(elements)}), type_size, 1, most, least);
}
inline void GetMeanMaxMinTmpSize(const uint32_t elements, const uint32_t type_size, const uint32_t,
                                 const bool, uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(ge::Shape({static_cast<int64_t>(elements)}), type_size, 2, most, least);
}
inline void GetBroadCastMaxMinTmpSize(const ge::Shape&, const ge::Shape& target, uint32_t type_size,
                                      const bool, uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(target, type_size, 1, most, least);
}
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& source,
                                      const ge::Shape& target, uint32_t type_size, const bool reuse,
                                      uint32_t& most, uint32_t& least) {
    GetBroadCastMaxMinTmpSize(source, target, type_size, reuse, most, least);
}

}  // namespace AscendC
