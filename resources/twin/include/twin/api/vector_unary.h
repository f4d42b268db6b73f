// Vector instructions with one source tensor, and those with one source tensor and one scalar.
#pragma once

#include "twin/api/vector_binary.h"

namespace twin {

inline Stride dst_stride(const AscendC::UnaryRepeatParams& p) { return {p.dstBlkStride, p.dstRepStride}; }
inline Stride src_stride(const AscendC::UnaryRepeatParams& p) { return {p.srcBlkStride, p.srcRepStride}; }

struct AbsFunction {
    float operator()(float a) const { return std::fabs(a); }
};
struct ExpFunction {
    float operator()(float a) const { return std::exp(a); }
};
struct LnFunction {
    float operator()(float a) const { return std::log(a); }
};
struct SqrtFunction {
    float operator()(float a) const { return std::sqrt(a); }
};
struct RsqrtFunction {
    float operator()(float a) const { return 1.0f / std::sqrt(a); }
};
struct ReciprocalFunction {
    float operator()(float a) const { return 1.0f / a; }
};
struct ReluFunction {
    template <class T>
    T operator()(T a) const {
        return a < T(0) ? T(0) : a;
    }
};
struct NotFunction {
    template <class T>
    T operator()(T a) const {
        return static_cast<T>(~a);
    }
};

/// Binds the scalar of a tensor-scalar instruction.
template <class Function, class Scalar>
struct WithScalar {
    Scalar scalar;
    template <class T>
    T operator()(T a) const {
        return Function{}(a, scalar);
    }
};
struct LeakyReluFunction {
    template <class T>
    T operator()(T a, T slope) const {
        return a >= T(0) ? a : a * slope;
    }
};
struct ShiftLeftFunction {
    template <class T>
    T operator()(T a, T bits) const {
        const auto distance = static_cast<uint64_t>(bits);
        return distance >= sizeof(T) * 8 ? T(0) : static_cast<T>(static_cast<uint64_t>(a) << distance);
    }
};
template <bool round>
struct ShiftRightFunction {
    template <class T>
    T operator()(T a, T bits) const {
        const auto distance = std::min<uint64_t>(static_cast<uint64_t>(bits), 62);
        const auto wide = static_cast<int64_t>(a);
        if (round && distance > 0) return static_cast<T>((wide + (int64_t(1) << (distance - 1))) >> distance);
        return static_cast<T>(wide >> distance);
    }
};

/// Half products are rounded before the sum: the guide calls the library's Muls and Add the more exact Axpy,
/// so this one cannot round only once.
template <class T, class U>
struct AxpyFunction {
    float scalar;
    float operator()(float old, float a) const {
        using Product = std::conditional_t<std::is_same_v<T, half> && std::is_same_v<U, half>, half, float>;
        return old + static_cast<float>(static_cast<Product>(a * scalar));
    }
};

}  // namespace twin

namespace AscendC {

#define TWIN_UNARY(NAME, FUNCTION, RATE, ...)                                                      \
    template <typename T, bool isSetMask = true>                                                   \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, twin::Mask mask,               \
              const uint8_t repeatTime, const UnaryRepeatParams& params,                           \
              const twin::Site& site = twin::Site::here()) {                                       \
        static_assert(twin::is_one_of<T, __VA_ARGS__>,                                             \
                      #NAME ": data type not supported by the vector unit");                       \
        TWIN_CALL(dst, src, mask, repeatTime, params, site);                                       \
        const auto frame =                                                                         \
            twin::make_frame<isSetMask>(mask, repeatTime, twin::lanes_of(sizeof(T)), #NAME, site); \
        twin::map_unary(#NAME, site, RATE, frame, twin::Operand<T>{dst, twin::dst_stride(params)}, \
                        twin::Operand<T>{src, twin::src_stride(params)}, FUNCTION{});              \
    }                                                                                              \
    template <typename T>                                                                          \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t count,           \
              const twin::Site& site = twin::Site::here()) {                                       \
        static_assert(twin::is_one_of<T, __VA_ARGS__>,                                             \
                      #NAME ": data type not supported by the vector unit");                       \
        TWIN_CALL(dst, src, count, site);                                                          \
        constexpr uint32_t lanes = twin::lanes_of(sizeof(T));                                      \
        constexpr auto packed = twin::Stride::packed(sizeof(T), lanes);                            \
        const auto frame = twin::Frame::counted(twin::checked_count(count, #NAME, site), lanes);   \
        twin::map_unary(#NAME, site, RATE, frame, twin::Operand<T>{dst, packed},                   \
                        twin::Operand<T>{src, packed}, FUNCTION{});                                \
    }

TWIN_UNARY(Abs, twin::AbsFunction, twin::kFullRate, half, float)
TWIN_UNARY(Exp, twin::ExpFunction, twin::kSlowRate, half, float)
TWIN_UNARY(Ln, twin::LnFunction, twin::kSlowRate, half, float)
TWIN_UNARY(Sqrt, twin::SqrtFunction, twin::kSlowRate, half, float)
TWIN_UNARY(Rsqrt, twin::RsqrtFunction, twin::kFullRate, half, float)
TWIN_UNARY(Reciprocal, twin::ReciprocalFunction, twin::kFullRate, half, float)
TWIN_UNARY(Relu, twin::ReluFunction, twin::kFullRate, half, float, int32_t)
TWIN_UNARY(Not, twin::NotFunction, twin::kFullRate, int16_t, uint16_t)

#undef TWIN_UNARY

// The scalar must have the element type of the tensor exactly: the device compiler deduces one T from all
// arguments.
#define TWIN_SCALAR(NAME, FUNCTION, RATE, ...)                                                             \
    template <typename T, bool isSetMask = true>                                                           \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, twin::Mask mask, \
              const uint8_t repeatTime, const UnaryRepeatParams& params,                                   \
              const twin::Site& site = twin::Site::here()) {                                               \
        static_assert(twin::is_one_of<T, __VA_ARGS__>,                                                     \
                      #NAME ": data type not supported by the vector unit");                               \
        TWIN_CALL(dst, src, scalarValue, mask, repeatTime, params, site);                                  \
        using Scalar = twin::Compute<T>;                                                                   \
        const auto frame =                                                                                 \
            twin::make_frame<isSetMask>(mask, repeatTime, twin::lanes_of(sizeof(T)), #NAME, site);         \
        twin::map_unary(#NAME, site, RATE, frame, twin::Operand<T>{dst, twin::dst_stride(params)},         \
                        twin::Operand<T>{src, twin::src_stride(params)},                                   \
                        twin::WithScalar<FUNCTION, Scalar>{Scalar(scalarValue)});                          \
    }                                                                                                      \
    template <typename T, bool isSetMask = true>                                                           \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,                  \
              const int32_t count, const twin::Site& site = twin::Site::here()) {                          \
        static_assert(twin::is_one_of<T, __VA_ARGS__>,                                                     \
                      #NAME ": data type not supported by the vector unit");                               \
        TWIN_CALL(dst, src, scalarValue, count, site);                                                     \
        using Scalar = twin::Compute<T>;                                                                   \
        constexpr uint32_t lanes = twin::lanes_of(sizeof(T));                                              \
        constexpr auto packed = twin::Stride::packed(sizeof(T), lanes);                                    \
        const auto frame = twin::Frame::counted(twin::checked_count(count, #NAME, site), lanes);           \
        twin::map_unary(#NAME, site, RATE, frame, twin::Operand<T>{dst, packed},                           \
                        twin::Operand<T>{src, packed},                                                     \
                        twin::WithScalar<FUNCTION, Scalar>{Scalar(scalarValue)});                          \
    }

TWIN_SCALAR(Adds, twin::AddFunction, twin::kFullRate, half, float, int16_t, int32_t)
TWIN_SCALAR(Muls, twin::MulFunction, twin::kFullRate, half, float, int16_t, int32_t)
TWIN_SCALAR(Maxs, twin::MaxFunction, twin::kFullRate, half, float, int16_t, int32_t)
TWIN_SCALAR(Mins, twin::MinFunction, twin::kFullRate, half, float, int16_t, int32_t)
TWIN_SCALAR(LeakyRelu, twin::LeakyReluFunction, twin::kFullRate, half, float)
TWIN_SCALAR(ShiftLeft, twin::ShiftLeftFunction, twin::kFullRate, int16_t, uint16_t, int32_t, uint32_t)

#undef TWIN_SCALAR

template <typename T, bool isSetMask = true>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, twin::Mask mask,
                const uint8_t repeatTime, const UnaryRepeatParams& params, bool roundEn = false,
                const twin::Site& site = twin::Site::here()) {
    static_assert(twin::is_one_of<T, int16_t, uint16_t, int32_t, uint32_t>, "ShiftRight: integer data only");
    TWIN_CALL(dst, src, scalarValue, mask, repeatTime, params, roundEn, site);
    const auto frame =
        twin::make_frame<isSetMask>(mask, repeatTime, twin::lanes_of(sizeof(T)), "ShiftRight", site);
    const twin::Operand<T> to{dst, twin::dst_stride(params)}, from{src, twin::src_stride(params)};
    if (roundEn) {
        twin::map_unary("ShiftRight", site, twin::kFullRate, frame, to, from,
                        twin::WithScalar<twin::ShiftRightFunction<true>, T>{scalarValue});
    } else {
        twin::map_unary("ShiftRight", site, twin::kFullRate, frame, to, from,
                        twin::WithScalar<twin::ShiftRightFunction<false>, T>{scalarValue});
    }
}
template <typename T, bool isSetMask = true>
void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,
                const int32_t count, const twin::Site& site = twin::Site::here()) {
    static_assert(twin::is_one_of<T, int16_t, uint16_t, int32_t, uint32_t>, "ShiftRight: integer data only");
    TWIN_CALL(dst, src, scalarValue, count, site);
    constexpr uint32_t lanes = twin::lanes_of(sizeof(T));
    constexpr auto packed = twin::Stride::packed(sizeof(T), lanes);
    const auto frame = twin::Frame::counted(twin::checked_count(count, "ShiftRight", site), lanes);
    twin::map_unary("ShiftRight", site, twin::kFullRate, frame, twin::Operand<T>{dst, packed},
                    twin::Operand<T>{src, packed},
                    twin::WithScalar<twin::ShiftRightFunction<false>, T>{scalarValue});
}

/// dst += src * scalar; a float destination may take half sources, which makes the product exact.
template <typename T, typename U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, twin::Mask mask,
          const uint8_t repeatTime, const UnaryRepeatParams& params,
          const twin::Site& site = twin::Site::here()) {
    static_assert(twin::is_one_of<T, half, float> && twin::is_one_of<U, half, float>,
                  "Axpy: half and float only");
    TWIN_CALL(dst, src, scalarValue, mask, repeatTime, params, site);
    const auto frame = twin::make_frame<isSetMask>(mask, repeatTime, twin::lanes_of(sizeof(T)), "Axpy", site);
    const twin::Operand<T> to{dst, twin::dst_stride(params)};
    twin::map_binary("Axpy", site, twin::kTwoSourceRate, frame, to, to,
                     twin::Operand<U>{src, twin::src_stride(params)},
                     twin::AxpyFunction<T, U>{static_cast<float>(scalarValue)});
}
template <typename T, typename U>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t count,
          const twin::Site& site = twin::Site::here()) {
    static_assert(twin::is_one_of<T, half, float> && twin::is_one_of<U, half, float>,
                  "Axpy: half and float only");
    TWIN_CALL(dst, src, scalarValue, count, site);
    constexpr uint32_t lanes = twin::lanes_of(sizeof(T));
    const auto frame = twin::Frame::counted(twin::checked_count(count, "Axpy", site), lanes);
    const twin::Operand<T> to{dst, twin::Stride::packed(sizeof(T), lanes)};
    twin::map_binary("Axpy", site, twin::kTwoSourceRate, frame, to, to,
                     twin::Operand<U>{src, twin::Stride::packed(sizeof(U), lanes)},
                     twin::AxpyFunction<T, U>{static_cast<float>(scalarValue)});
}

}  // namespace AscendC
