// Get<Name>MaxMinTmpSize and Get<Name>TmpBufferFactorSize of the element-wise, activation and reduction functions.
#pragma once

#include "twin/host/library_shape.h"
#include "twin/host/platform.h"

namespace AscendC {

// Most functions have one signature: (shape, element bytes, reuse source, max, min).
#define TWIN_HOST_TMP_SIZE(name, copies)                                                                \
    inline void Get##name##MaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool,  \
                                         uint32_t& most, uint32_t& least) {                             \
        twin::host::most_and_least(shape, type_size, copies, most, least);                              \
    }                                                                                                   \
    inline void Get##name##TmpBufferFactorSize(const uint32_t, uint32_t& factor, uint32_t& extra) {     \
        factor = copies;                                                                                \
        extra = 0;                                                                                      \
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
TWIN_HOST_TMP_SIZE(ReGlu, 2)
TWIN_HOST_TMP_SIZE(Round, 1)
TWIN_HOST_TMP_SIZE(Sigmoid, 1)
TWIN_HOST_TMP_SIZE(Sign, 1)
TWIN_HOST_TMP_SIZE(Sin, 4)
TWIN_HOST_TMP_SIZE(Sinh, 3)
TWIN_HOST_TMP_SIZE(Tan, 5)
TWIN_HOST_TMP_SIZE(Tanh, 1)
TWIN_HOST_TMP_SIZE(Trunc, 1)
TWIN_HOST_TMP_SIZE(Xor, 1)
#undef TWIN_HOST_TMP_SIZE

inline void GetPowerMaxMinTmpSize(const ge::Shape& base, const ge::Shape& exponent, const bool,
                                  const uint32_t type_size, const bool, uint32_t& most, uint32_t& least) {
    const ge::Shape& larger = base.GetShapeSize() < exponent.GetShapeSize() ? exponent : base;
    twin::host::most_and_least(larger, type_size, 4, most, least);
}
inline void GetGeluMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 3, most, least);
}
inline void GetSwiGLUMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, uint32_t& most, uint32_t& least,
                                   const bool) {
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
inline void GetMeanMaxMinTmpSize(const uint32_t elements, const uint32_t type_size, const uint32_t, const bool,
                                 uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(ge::Shape({static_cast<int64_t>(elements)}), type_size, 2, most, least);
}
inline void GetBroadCastMaxMinTmpSize(const ge::Shape&, const ge::Shape& target, uint32_t type_size, const bool,
                                      uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(target, type_size, 1, most, least);
}
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& source,
                                      const ge::Shape& target, uint32_t type_size, const bool reuse, uint32_t& most,
                                      uint32_t& least) {
    GetBroadCastMaxMinTmpSize(source, target, type_size, reuse, most, least);
}

}  // namespace AscendC
