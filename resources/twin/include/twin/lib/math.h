// Element-wise mathematics of the high-level library.
#pragma once

#include "twin/lib/composite.h"

namespace twin {

/// Derivative of lgamma, by recurrence and asymptotic series.
inline float digamma(float value) {
    if (value <= 0 && std::floor(value) == value) return std::numeric_limits<float>::quiet_NaN();
    double x = value, result = 0;
    if (x < 0) {
        constexpr double kPi = 3.14159265358979323846;
        result = -kPi / std::tan(kPi * x);
        x = 1 - x;
    }
    for (; x < 12; x += 1) result -= 1 / x;
    const double inverse = 1 / (x * x);
    return static_cast<float>(result + std::log(x) - 0.5 / x -
                              inverse *
                                  (1.0 / 12 - inverse * (1.0 / 120 - inverse * (1.0 / 252 - inverse / 240))));
}

/// -1, 0 or 1; 0 for NaN. Source: Sign, example.
inline float sign_of(float value) { return static_cast<float>((value > 0) - (value < 0)); }

}  // namespace twin

namespace AscendC {

TWIN_LIB_UNARY(Tanh, 12, [](float a) { return std::tanh(a); })
TWIN_LIB_UNARY(Sin, 20, [](float a) { return std::sin(a); })
TWIN_LIB_UNARY(Cos, 20, [](float a) { return std::cos(a); })
TWIN_LIB_UNARY(Tan, 26, [](float a) { return std::tan(a); })
TWIN_LIB_UNARY(Sinh, 8, [](float a) { return std::sinh(a); })
TWIN_LIB_UNARY(Cosh, 8, [](float a) { return std::cosh(a); })
TWIN_LIB_UNARY(Asin, 30, [](float a) { return std::asin(a); })
TWIN_LIB_UNARY(Acos, 31, [](float a) { return std::acos(a); })
TWIN_LIB_UNARY(Atan, 34, [](float a) { return std::atan(a); })
TWIN_LIB_UNARY(Asinh, 10, [](float a) { return std::asinh(a); })
TWIN_LIB_UNARY(Acosh, 8, [](float a) { return std::acosh(a); })
TWIN_LIB_UNARY(Atanh, 8, [](float a) { return std::atanh(a); })
TWIN_LIB_UNARY(Erf, 20, [](float a) { return std::erf(a); })
TWIN_LIB_UNARY(Erfc, 30, [](float a) { return std::erfc(a); })
TWIN_LIB_UNARY(Floor, 2, [](float a) { return std::floor(a); })
TWIN_LIB_UNARY(Ceil, 2, [](float a) { return std::ceil(a); })
TWIN_LIB_UNARY(Round, 2, [](float a) { return std::nearbyint(a); })
TWIN_LIB_UNARY(Rint, 2, [](float a) { return std::nearbyint(a); })
TWIN_LIB_UNARY(Trunc, 2, [](float a) { return std::trunc(a); })
TWIN_LIB_UNARY(Frac, 3, [](float a) { return a - std::trunc(a); })
TWIN_LIB_UNARY(Sign, 6, [](float a) { return twin::sign_of(a); })
TWIN_LIB_UNARY(Log, 2, [](float a) { return std::log(a); })
TWIN_LIB_UNARY(Log2, 3, [](float a) { return std::log2(a); })
TWIN_LIB_UNARY(Log10, 3, [](float a) { return std::log10(a); })
TWIN_LIB_UNARY(Lgamma, 60, [](float a) { return std::lgamma(a); })
TWIN_LIB_UNARY(Digamma, 60, [](float a) { return twin::digamma(a); })

TWIN_LIB_BINARY(Fmod, 8, [](auto a, auto b) { return std::fmod(a, b); }, half, float)
TWIN_LIB_BINARY(Hypot, 8, [](auto a, auto b) { return std::hypot(a, b); }, half, float)
TWIN_LIB_BINARY(Xor, 4, [](auto a, auto b) { return a ^ b; }, int16_t, uint16_t)

/// Exp by Taylor expansion; the level only changes the accuracy.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount,
         const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_HALF_OR_FLOAT("Exp");
    TWIN_CALL(dst, src, calCount, site);
    twin::composite_unary("Exp", site, 4 + 2 * taylorExpandLevel, dst, src, calCount,
                          [](float a) { return std::exp(a); });
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
         const uint32_t calCount, const twin::Site& site = twin::Site::here()) {
    twin::use_temporary<T>(sharedTmpBuffer, calCount, site);
    Exp<T, taylorExpandLevel, isReuseSource>(dst, src, calCount, site);
}

TWIN_LIB_BINARY(
    Power, 40, [](auto a, auto b) { return std::pow(static_cast<float>(a), static_cast<float>(b)); }, half,
    float, int32_t)

// The forms of a power with a number: with or without temporary, with or without count.
#define TWIN_POWER_SCALAR(FIRST, SECOND, LAMBDA, ...)                                                   \
    template <typename T, bool isReuseSource = false>                                                   \
    void Power(const LocalTensor<T>& dst, FIRST, SECOND, const uint32_t calCount,                       \
               const twin::Site& site = twin::Site::here()) {                                           \
        TWIN_CALL(dst, __VA_ARGS__, calCount, site);                                                    \
        const float scalar = static_cast<float>(value);                                                 \
        twin::composite_unary("Power", site, 40, dst, src, calCount, LAMBDA);                           \
    }                                                                                                   \
    template <typename T, bool isReuseSource = false>                                                   \
    void Power(const LocalTensor<T>& dst, FIRST, SECOND, const twin::Site& site = twin::Site::here()) { \
        Power<T, isReuseSource>(dst, __VA_ARGS__, src.GetSize(), site);                                 \
    }                                                                                                   \
    template <typename T, bool isReuseSource = false>                                                   \
    void Power(const LocalTensor<T>& dst, FIRST, SECOND, const LocalTensor<uint8_t>& sharedTmpBuffer,   \
               const uint32_t calCount, const twin::Site& site = twin::Site::here()) {                  \
        twin::use_temporary<T>(sharedTmpBuffer, calCount, site);                                        \
        Power<T, isReuseSource>(dst, __VA_ARGS__, calCount, site);                                      \
    }                                                                                                   \
    template <typename T, bool isReuseSource = false>                                                   \
    void Power(const LocalTensor<T>& dst, FIRST, SECOND, const LocalTensor<uint8_t>& sharedTmpBuffer,   \
               const twin::Site& site = twin::Site::here()) {                                           \
        Power<T, isReuseSource>(dst, __VA_ARGS__, sharedTmpBuffer, src.GetSize(), site);                \
    }

TWIN_POWER_SCALAR(const LocalTensor<T>& src, const T& value,
                  ([scalar](auto a) { return std::pow(static_cast<float>(a), scalar); }), src, value)
TWIN_POWER_SCALAR(const T& value, const LocalTensor<T>& src,
                  ([scalar](auto a) { return std::pow(scalar, static_cast<float>(a)); }), value, src)

#undef TWIN_POWER_SCALAR

/// dst = dst + src * scalar (library form with a temporary).
template <typename T, typename U, bool isReuseSource = false>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
          const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,
          const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, scalarValue, sharedTmpBuffer, calCount, site);
    static_cast<void>(sharedTmpBuffer);
    const float scalar = static_cast<float>(scalarValue);
    twin::composite_binary("Axpy", site, 3, dst, dst, src, calCount,
                           [scalar](float old, float a) { return old + a * scalar; });
}

#define TWIN_CLAMP(NAME, EXPRESSION)                                                                         \
    template <typename T, bool isReuseSource = false>                                                        \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T scalar, const uint32_t calCount, \
              const twin::Site& site = twin::Site::here()) {                                                 \
        TWIN_REQUIRE_HALF_OR_FLOAT(#NAME);                                                                   \
        TWIN_CALL(dst, src, scalar, calCount, site);                                                         \
        const float limit = static_cast<float>(scalar);                                                      \
        twin::composite_unary(#NAME, site, 3, dst, src, calCount, [limit](float a) { return EXPRESSION; });  \
    }                                                                                                        \
    template <typename T, bool isReuseSource = false>                                                        \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                          \
              const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar, const uint32_t calCount,          \
              const twin::Site& site = twin::Site::here()) {                                                 \
        static_cast<void>(sharedTmpBuffer);                                                                  \
        NAME<T, isReuseSource>(dst, src, scalar, calCount, site);                                            \
    }

TWIN_CLAMP(ClampMax, (a > limit ? limit : a))
TWIN_CLAMP(ClampMin, (a < limit ? limit : a))

#undef TWIN_CLAMP

}  // namespace AscendC
