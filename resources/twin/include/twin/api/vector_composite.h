// Vector instructions that compute and convert at once: MulCast, AddReluCast, SubReluCast, AddDeqRelu.
#pragma once

#include "twin/api/vector_binary.h"
#include "twin/api/vector_cast.h"

namespace twin {

/// Product, sum or difference in the sources' type, then converted as Cast without a rounding mode does.
struct MulCastFunction {
    template <class D, class S>
    static D result(S first, S second) {
        const float product = static_cast<float>(first) * static_cast<float>(second);
        return cast_value<D>(S(product), AscendC::RoundMode::CAST_RINT);
    }
    template <class D, class S>
    static constexpr bool kHas = std::is_same<S, half>::value && is_one_of<D, int8_t, uint8_t>;
};
template <bool adds>
struct ReluCastFunction {
    template <class D, class S>
    static D result(S first, S second) {
        using Wide = std::conditional_t<std::is_integral<S>::value, int32_t, float>;
        const Wide left = static_cast<Wide>(first), right = static_cast<Wide>(second);
        const Wide sum = adds ? left + right : left - right;
        return cast_value<D>(static_cast<S>(sum > Wide(0) ? sum : Wide(0)), AscendC::RoundMode::CAST_RINT);
    }
    template <class D, class S>
    static constexpr bool kHas = (is_one_of<S, half, int16_t> && std::is_same<D, int8_t>::value) ||
                                 (std::is_same<S, float>::value && std::is_same<D, half>::value);
};
/// Sum of integers times the scale of SetDeqScale, rounded once, and nothing below zero.
struct AddDeqReluFunction {
    template <class D, class S>
    static D result(S first, S second) {
        const auto sum = static_cast<float>(AddFunction{}(first, second));
        const D scaled = static_cast<D>(sum * core().vector.dequant_scale);
        return static_cast<float>(scaled) > 0.0f ? scaled : D(0.0f);
    }
    template <class D, class S>
    static constexpr bool kHas = std::is_same<S, int32_t>::value && std::is_same<D, half>::value;
};

/// dst[i] = Function::result(first[i], second[i]) over the lanes of `frame`, which count the wider type.
template <class Function, class D, class S>
void map_composite(const char* call, const Site& site, const Frame& frame, Operand<D> dst, Operand<S> first,
                   Operand<S> second) {
    constexpr size_t kWidest = std::max(sizeof(D), sizeof(S));
    constexpr uint32_t kLanes = lanes_of(kWidest);
    Instruction instruction(Pipe::V, call, site);
    check_by_lane(instruction, frame, dst, first, second);
    issue_vector(instruction, kTwoSourceRate, charged_elements(frame), kWidest);
    S a[kLanes] = {}, b[kLanes] = {};
    D out[kLanes];
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        load_lanes(a, frame, repeat, first);
        load_lanes(b, frame, repeat, second);
        for (uint32_t lane = 0; lane < kLanes; ++lane)
            out[lane] = Function::template result<D>(a[lane], b[lane]);
        store_lanes(out, frame, repeat, dst);
    }
}

}  // namespace twin

namespace AscendC {

// Defines the forms of an instruction with two sources of another type than the destination.
#define TWIN_COMPOSITE(NAME, FUNCTION)                                                                     \
    template <typename T, typename U, bool isSetMask = true>                                               \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,           \
              twin::Mask mask, const uint8_t repeatTime, const BinaryRepeatParams& params,                 \
              const twin::Site& site = twin::Site::here()) {                                               \
        static_assert(FUNCTION::kHas<T, U>, #NAME ": data types not supported by the vector unit");        \
        TWIN_CALL(dst, src0, src1, mask, repeatTime, params, site);                                        \
        constexpr uint32_t lanes = twin::lanes_of(std::max(sizeof(T), sizeof(U)));                         \
        const auto frame = twin::make_frame<isSetMask>(mask, repeatTime, lanes, #NAME, site);              \
        twin::map_composite<FUNCTION>(#NAME, site, frame, twin::Operand<T>{dst, twin::dst_stride(params)}, \
                                      twin::Operand<U>{src0, twin::src0_stride(params)},                   \
                                      twin::Operand<U>{src1, twin::src1_stride(params)});                  \
    }                                                                                                      \
    template <typename T, typename U>                                                                      \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,           \
              const uint32_t count, const twin::Site& site = twin::Site::here()) {                         \
        static_assert(FUNCTION::kHas<T, U>, #NAME ": data types not supported by the vector unit");        \
        TWIN_CALL(dst, src0, src1, count, site);                                                           \
        constexpr uint32_t lanes = twin::lanes_of(std::max(sizeof(T), sizeof(U)));                         \
        constexpr auto source = twin::Stride::packed(sizeof(U), lanes);                                    \
        const auto frame = twin::Frame::counted(twin::checked_count(count, #NAME, site), lanes);           \
        twin::map_composite<FUNCTION>(#NAME, site, frame,                                                  \
                                      twin::Operand<T>{dst, twin::Stride::packed(sizeof(T), lanes)},       \
                                      twin::Operand<U>{src0, source}, twin::Operand<U>{src1, source});     \
    }

TWIN_COMPOSITE(MulCast, twin::MulCastFunction)
TWIN_COMPOSITE(AddReluCast, twin::ReluCastFunction<true>)
TWIN_COMPOSITE(SubReluCast, twin::ReluCastFunction<false>)
TWIN_COMPOSITE(AddDeqRelu, twin::AddDeqReluFunction)

#undef TWIN_COMPOSITE

/// With the mask's origin as its only template argument.
template <bool isSetMask>
void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                const LocalTensor<int32_t>& src1, twin::Mask mask, const uint8_t repeatTime,
                const BinaryRepeatParams& params, const twin::Site& site = twin::Site::here()) {
    AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, params, site);
}

}  // namespace AscendC
