// Vector instructions with two source tensors.
#pragma once

#include "twin/api/vector_frame.h"

namespace twin {

/// Integer arithmetic wraps on the device; computing unsigned keeps that defined here.
template <class T>
constexpr auto wrap(T value) {
    if constexpr (std::is_integral<T>::value) {
        return static_cast<std::make_unsigned_t<T>>(value);
    } else {
        return value;
    }
}

struct AddFunction {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(wrap(a) + wrap(b));
    }
};
struct SubFunction {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(wrap(a) - wrap(b));
    }
};
struct MulFunction {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (std::is_integral<T>::value) {
            return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
        } else {
            return a * b;
        }
    }
};
struct DivFunction {
    float operator()(float a, float b) const { return a / b; }
};
struct MaxFunction {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (std::is_floating_point<T>::value) return a != a ? a : (b != b ? b : (a > b ? a : b));
        return a > b ? a : b;
    }
};
struct MinFunction {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (std::is_floating_point<T>::value) return a != a ? a : (b != b ? b : (a < b ? a : b));
        return a < b ? a : b;
    }
};
struct AndFunction {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a & b);
    }
};
struct OrFunction {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(a | b);
    }
};
struct AddReluFunction {
    template <class T>
    T operator()(T a, T b) const {
        return std::max(AddFunction{}(a, b), T(0));
    }
};
struct SubReluFunction {
    template <class T>
    T operator()(T a, T b) const {
        return std::max(SubFunction{}(a, b), T(0));
    }
};
struct MulAddFunction {
    template <class T>
    T operator()(T old, T a, T b) const {
        return AddFunction{}(MulFunction{}(a, b), old);
    }
};
struct FusedMulAddFunction {
    template <class T>
    T operator()(T old, T a, T b) const {
        return AddFunction{}(MulFunction{}(a, old), b);
    }
};
struct FusedMulAddReluFunction {
    template <class T>
    T operator()(T old, T a, T b) const {
        return std::max(FusedMulAddFunction{}(old, a, b), T(0));
    }
};

/// Strides of a two-source call.
inline Stride dst_stride(const AscendC::BinaryRepeatParams& p) { return {p.dstBlkStride, p.dstRepStride}; }
inline Stride src0_stride(const AscendC::BinaryRepeatParams& p) { return {p.src0BlkStride, p.src0RepStride}; }
inline Stride src1_stride(const AscendC::BinaryRepeatParams& p) { return {p.src1BlkStride, p.src1RepStride}; }

}  // namespace twin

namespace AscendC {

// Defines the three forms of a two-source instruction: count mask with repeats, bit mask with repeats,
// element count.
#define TWIN_BINARY(NAME, MAP, FUNCTION, RATE, ...)                                                        \
    template <typename T, bool isSetMask = true>                                                           \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,           \
              twin::Mask mask, const uint8_t repeatTime, const BinaryRepeatParams& params,                 \
              const twin::Site& site = twin::Site::here()) {                                               \
        static_assert(twin::is_one_of<T, __VA_ARGS__>,                                                     \
                      #NAME ": data type not supported by the vector unit");                               \
        TWIN_CALL(dst, src0, src1, mask, repeatTime, params, site);                                        \
        const auto frame =                                                                                 \
            twin::make_frame<isSetMask>(mask, repeatTime, twin::lanes_of(sizeof(T)), #NAME, site);         \
        twin::MAP(#NAME, site, RATE, frame, twin::Operand<T>{dst, twin::dst_stride(params)},               \
                  twin::Operand<T>{src0, twin::src0_stride(params)},                                       \
                  twin::Operand<T>{src1, twin::src1_stride(params)}, FUNCTION{});                          \
    }                                                                                                      \
    template <typename T>                                                                                  \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,           \
              const int32_t count, const twin::Site& site = twin::Site::here()) {                          \
        static_assert(twin::is_one_of<T, __VA_ARGS__>,                                                     \
                      #NAME ": data type not supported by the vector unit");                               \
        TWIN_CALL(dst, src0, src1, count, site);                                                           \
        constexpr uint32_t lanes = twin::lanes_of(sizeof(T));                                              \
        constexpr auto packed = twin::Stride::packed(sizeof(T), lanes);                                    \
        const auto frame = twin::Frame::counted(twin::checked_count(count, #NAME, site), lanes);           \
        twin::MAP(#NAME, site, RATE, frame, twin::Operand<T>{dst, packed}, twin::Operand<T>{src0, packed}, \
                  twin::Operand<T>{src1, packed}, FUNCTION{});                                             \
    }

TWIN_BINARY(Add, map_carrying, twin::AddFunction, twin::kTwoSourceRate, half, float, int16_t, int32_t)
TWIN_BINARY(Sub, map_carrying, twin::SubFunction, twin::kTwoSourceRate, half, float, int16_t, int32_t)
TWIN_BINARY(Mul, map_carrying, twin::MulFunction, twin::kTwoSourceRate, half, float, int16_t, int32_t)
TWIN_BINARY(Div, map_binary, twin::DivFunction, twin::kSlowRate, half, float)
TWIN_BINARY(Max, map_carrying, twin::MaxFunction, twin::kTwoSourceRate, half, float, int16_t, int32_t)
TWIN_BINARY(Min, map_carrying, twin::MinFunction, twin::kTwoSourceRate, half, float, int16_t, int32_t)
TWIN_BINARY(And, map_binary, twin::AndFunction, twin::kTwoSourceRate, int16_t, uint16_t)
TWIN_BINARY(Or, map_binary, twin::OrFunction, twin::kTwoSourceRate, int16_t, uint16_t)
TWIN_BINARY(AddRelu, map_carrying, twin::AddReluFunction, twin::kTwoSourceRate, half, float, int16_t)
TWIN_BINARY(SubRelu, map_carrying, twin::SubReluFunction, twin::kTwoSourceRate, half, float, int16_t)
TWIN_BINARY(FusedMulAdd, map_accumulate, twin::FusedMulAddFunction, twin::kTwoSourceRate, half, float)
TWIN_BINARY(FusedMulAddRelu, map_accumulate, twin::FusedMulAddReluFunction, twin::kTwoSourceRate, half, float)

#undef TWIN_BINARY

// MulAddDst also accumulates half products into a float destination.
#define TWIN_MUL_ADD_DST_CHECK()                                                       \
    static_assert((std::is_same<T, U>::value && twin::is_one_of<T, half, float>) ||    \
                      (std::is_same<T, float>::value && std::is_same<U, half>::value), \
                  "MulAddDst: data type not supported by the vector unit")

template <typename T, typename U, bool isSetMask = true>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
               twin::Mask mask, const uint8_t repeatTime, const BinaryRepeatParams& params,
               const twin::Site& site = twin::Site::here()) {
    TWIN_MUL_ADD_DST_CHECK();
    TWIN_CALL(dst, src0, src1, mask, repeatTime, params, site);
    const auto frame =
        twin::make_frame<isSetMask>(mask, repeatTime, twin::lanes_of(sizeof(T)), "MulAddDst", site);
    twin::map_accumulate("MulAddDst", site, twin::kTwoSourceRate, frame,
                         twin::Operand<T>{dst, twin::dst_stride(params)},
                         twin::Operand<U>{src0, twin::src0_stride(params)},
                         twin::Operand<U>{src1, twin::src1_stride(params)}, twin::MulAddFunction{});
}
template <typename T, typename U>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
               const int32_t count, const twin::Site& site = twin::Site::here()) {
    TWIN_MUL_ADD_DST_CHECK();
    TWIN_CALL(dst, src0, src1, count, site);
    constexpr uint32_t lanes = twin::lanes_of(sizeof(T));
    const auto frame = twin::Frame::counted(twin::checked_count(count, "MulAddDst", site), lanes);
    constexpr auto source = twin::Stride::packed(sizeof(U), lanes);
    twin::map_accumulate("MulAddDst", site, twin::kTwoSourceRate, frame,
                         twin::Operand<T>{dst, twin::Stride::packed(sizeof(T), lanes)},
                         twin::Operand<U>{src0, source}, twin::Operand<U>{src1, source},
                         twin::MulAddFunction{});
}

#undef TWIN_MUL_ADD_DST_CHECK

}  // namespace AscendC
