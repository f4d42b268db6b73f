// Activation functions of the high-level library.
#pragma once

#include "twin/lib/math.h"

namespace twin {

inline float sigmoid(float a) { return 1.0f / (1.0f + std::exp(-a)); }
inline float gelu(float a) {
    const double x = a;
    return static_cast<float>(x / (1 + std::exp(-1.595769121605731 * (x + 0.044715 * x * x * x))));
}
inline float faster_gelu(float a) { return a / (1.0f + std::exp(-1.702f * a)); }
inline float faster_gelu_v2(float a) {
    const float clipped = std::min(std::fabs(0.7071067f * a), 1.769002f);
    const float inner = -0.1444f * (clipped - 1.769002f) * (clipped - 1.769002f) + 0.5f;
    return a * (sign_of(a) * inner + 0.5f);
}

}  // namespace twin

namespace AscendC {

TWIN_LIB_UNARY(Sigmoid, 5, [](float a) { return twin::sigmoid(a); })
TWIN_LIB_UNARY(Silu, 6, [](float a) { return a * twin::sigmoid(a); })

// Gelu and its fast forms take `highPrecision` and `highPerformance` template switches; both give one formula
// here.
#define TWIN_GELU(NAME, STEPS, FUNCTION)                                                                    \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                         \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dataSize,                \
              const twin::Site& site = twin::Site::here()) {                                                \
        TWIN_REQUIRE_HALF_OR_FLOAT(#NAME);                                                                  \
        TWIN_CALL(dst, src, dataSize, site);                                                                \
        twin::composite_unary(#NAME, site, STEPS, dst, src, dataSize, [](float a) { return FUNCTION(a); }); \
    }                                                                                                       \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                         \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                         \
              const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t dataSize,                         \
              const twin::Site& site = twin::Site::here()) {                                                \
        twin::use_temporary<T>(sharedTmpBuffer, dataSize, site);                                            \
        NAME<T, highPrecision, highPerformance>(dst, src, dataSize, site);                                  \
    }

TWIN_GELU(Gelu, 14, twin::gelu)
TWIN_GELU(FasterGelu, 6, twin::faster_gelu)
TWIN_GELU(FasterGeluV2, 9, twin::faster_gelu_v2)

#undef TWIN_GELU

template <typename T, bool isReuseSource = false>
void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t dataSize, const T scalarValue,
           const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_HALF_OR_FLOAT("Swish");
    TWIN_CALL(dst, src, dataSize, scalarValue, site);
    const float beta = static_cast<float>(scalarValue);
    twin::composite_unary("Swish", site, 5, dst, src, dataSize,
                          [beta](float a) { return a * twin::sigmoid(beta * a); });
}

// Gated units: dst = src0 * activation(src1).
TWIN_LIB_BINARY(GeGLU, 16, [](float a, float b) { return a * twin::gelu(b); }, half, float)
TWIN_LIB_BINARY(ReGlu, 3, [](float a, float b) { return a * (b > 0 ? b : 0.0f); }, half, float, bfloat16_t)

template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const float& beta, const uint32_t calCount, const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_HALF_OR_FLOAT("SwiGLU");
    TWIN_CALL(dst, src0, src1, beta, calCount, site);
    const float scale = beta;
    twin::composite_binary("SwiGLU", site, 7, dst, src0, src1, calCount,
                           [scale](float a, float b) { return a * b * twin::sigmoid(scale * b); });
}
template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const float& beta, const twin::Site& site = twin::Site::here()) {
    SwiGLU<T, isReuseSource>(dst, src0, src1, beta, src0.GetSize(), site);
}
template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const float& beta, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,
            const twin::Site& site = twin::Site::here()) {
    twin::use_temporary<T>(sharedTmpBuffer, calCount, site);
    SwiGLU<T, isReuseSource>(dst, src0, src1, beta, calCount, site);
}
template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const float& beta, const LocalTensor<uint8_t>& sharedTmpBuffer,
            const twin::Site& site = twin::Site::here()) {
    SwiGLU<T, isReuseSource>(dst, src0, src1, beta, sharedTmpBuffer, src0.GetSize(), site);
}

}  // namespace AscendC
