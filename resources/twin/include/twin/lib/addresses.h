// Addresses of the element-wise library functions; see twin/api/vector_addresses.h.
#pragma once

#include "twin/api/vector_addresses.h"
#include "twin/lib/activation.h"
#include "twin/lib/math.h"

namespace AscendC {

// The four forms: with or without temporary, with or without count.
#define TWIN_LIB_UNARY_ADDRESSES(NAME)                                                                       \
    TWIN_ADDRESS(NAME, (typename T, bool isReuseSource = false), (T, isReuseSource),                         \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount), dst, src,  \
                 calCount)                                                                                   \
    TWIN_ADDRESS(NAME, (typename T, bool isReuseSource = false), (T, isReuseSource),                         \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src), dst, src)                           \
    TWIN_ADDRESS(NAME, (typename T, bool isReuseSource = false), (T, isReuseSource),                         \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src,                                      \
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount),                     \
                 dst, src, sharedTmpBuffer, calCount)                                                        \
    TWIN_ADDRESS(                                                                                            \
        NAME, (typename T, bool isReuseSource = false), (T, isReuseSource),                                  \
        (const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer), \
        dst, src, sharedTmpBuffer)

TWIN_LIB_UNARY_ADDRESSES(Tanh)
TWIN_LIB_UNARY_ADDRESSES(Sin)
TWIN_LIB_UNARY_ADDRESSES(Cos)
TWIN_LIB_UNARY_ADDRESSES(Tan)
TWIN_LIB_UNARY_ADDRESSES(Sinh)
TWIN_LIB_UNARY_ADDRESSES(Cosh)
TWIN_LIB_UNARY_ADDRESSES(Asin)
TWIN_LIB_UNARY_ADDRESSES(Acos)
TWIN_LIB_UNARY_ADDRESSES(Atan)
TWIN_LIB_UNARY_ADDRESSES(Asinh)
TWIN_LIB_UNARY_ADDRESSES(Acosh)
TWIN_LIB_UNARY_ADDRESSES(Atanh)
TWIN_LIB_UNARY_ADDRESSES(Erf)
TWIN_LIB_UNARY_ADDRESSES(Erfc)
TWIN_LIB_UNARY_ADDRESSES(Floor)
TWIN_LIB_UNARY_ADDRESSES(Ceil)
TWIN_LIB_UNARY_ADDRESSES(Round)
TWIN_LIB_UNARY_ADDRESSES(Rint)
TWIN_LIB_UNARY_ADDRESSES(Trunc)
TWIN_LIB_UNARY_ADDRESSES(Frac)
TWIN_LIB_UNARY_ADDRESSES(Sign)
TWIN_LIB_UNARY_ADDRESSES(Log)
TWIN_LIB_UNARY_ADDRESSES(Log2)
TWIN_LIB_UNARY_ADDRESSES(Log10)
TWIN_LIB_UNARY_ADDRESSES(Lgamma)
TWIN_LIB_UNARY_ADDRESSES(Digamma)
TWIN_LIB_UNARY_ADDRESSES(Sigmoid)
TWIN_LIB_UNARY_ADDRESSES(Silu)

#undef TWIN_LIB_UNARY_ADDRESSES

#define TWIN_LIB_BINARY_ADDRESSES(NAME)                                                                    \
    TWIN_ADDRESS(NAME, (typename T, bool isReuseSource = false), (T, isReuseSource),                       \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,       \
                  const uint32_t calCount),                                                                \
                 dst, src0, src1, calCount)                                                                \
    TWIN_ADDRESS(NAME, (typename T, bool isReuseSource = false), (T, isReuseSource),                       \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1), dst, \
                 src0, src1)                                                                               \
    TWIN_ADDRESS(NAME, (typename T, bool isReuseSource = false), (T, isReuseSource),                       \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,       \
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount),                   \
                 dst, src0, src1, sharedTmpBuffer, calCount)                                               \
    TWIN_ADDRESS(NAME, (typename T, bool isReuseSource = false), (T, isReuseSource),                       \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,       \
                  const LocalTensor<uint8_t>& sharedTmpBuffer),                                            \
                 dst, src0, src1, sharedTmpBuffer)

TWIN_LIB_BINARY_ADDRESSES(Fmod)
TWIN_LIB_BINARY_ADDRESSES(Hypot)
TWIN_LIB_BINARY_ADDRESSES(Xor)
TWIN_LIB_BINARY_ADDRESSES(Power)
TWIN_LIB_BINARY_ADDRESSES(GeGLU)
TWIN_LIB_BINARY_ADDRESSES(ReGlu)

#undef TWIN_LIB_BINARY_ADDRESSES

#define TWIN_GELU_ADDRESSES(NAME)                                                                           \
    TWIN_ADDRESS(NAME, (typename T, bool highPrecision = false, bool highPerformance = false),              \
                 (T, highPrecision, highPerformance),                                                       \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dataSize), dst, src, \
                 dataSize)                                                                                  \
    TWIN_ADDRESS(NAME, (typename T, bool highPrecision = false, bool highPerformance = false),              \
                 (T, highPrecision, highPerformance),                                                       \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src,                                     \
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t dataSize),                    \
                 dst, src, sharedTmpBuffer, dataSize)

TWIN_GELU_ADDRESSES(Gelu)
TWIN_GELU_ADDRESSES(FasterGelu)
TWIN_GELU_ADDRESSES(FasterGeluV2)

#undef TWIN_GELU_ADDRESSES

#define TWIN_CLAMP_ADDRESSES(NAME)                                                                       \
    TWIN_ADDRESS(                                                                                        \
        NAME, (typename T, bool isReuseSource = false), (T, isReuseSource),                              \
        (const LocalTensor<T>& dst, const LocalTensor<T>& src, const T scalar, const uint32_t calCount), \
        dst, src, scalar, calCount)                                                                      \
    TWIN_ADDRESS(NAME, (typename T, bool isReuseSource = false), (T, isReuseSource),                     \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src,                                  \
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar, const uint32_t calCount), \
                 dst, src, sharedTmpBuffer, scalar, calCount)

TWIN_CLAMP_ADDRESSES(ClampMax)
TWIN_CLAMP_ADDRESSES(ClampMin)

#undef TWIN_CLAMP_ADDRESSES

}  // namespace AscendC
