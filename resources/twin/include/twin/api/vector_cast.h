// Cast: conversions between element types with the device's rounding modes.
#pragma once

#include "twin/api/vector_unary.h"

namespace twin {

/// Float value rounded to an integral value.
inline float round_to_integral(float value, AscendC::RoundMode mode) {
    switch (mode) {
        case AscendC::RoundMode::CAST_FLOOR:
            return std::floor(value);
        case AscendC::RoundMode::CAST_CEIL:
            return std::ceil(value);
        case AscendC::RoundMode::CAST_ROUND:
            return std::round(value);
        case AscendC::RoundMode::CAST_TRUNC:
            return std::trunc(value);
        default:
            return std::nearbyint(value);
    }
}

/// Float rounded to a 16-bit float type `T` in the given mode. Works on the neighbours of the nearest-even
/// result.
template <class T>
T round_to_narrow(float value, AscendC::RoundMode mode) {
    const T nearest = static_cast<T>(value);
    const float back = static_cast<float>(nearest);
    if (mode == AscendC::RoundMode::CAST_RINT || mode == AscendC::RoundMode::CAST_NONE || back == value ||
        value != value || std::isinf(value)) {
        return nearest;
    }
    T below = nearest, above = nearest;  // neighbours of the exact value, by magnitude
    const bool too_big = std::fabs(back) > std::fabs(value);
    if (too_big) {
        below.bits = static_cast<uint16_t>(nearest.bits - 1);
    } else {
        above.bits = static_cast<uint16_t>(nearest.bits + 1);
    }
    switch (mode) {
        case AscendC::RoundMode::CAST_FLOOR:
            return value < 0 ? above : below;
        case AscendC::RoundMode::CAST_CEIL:
            return value < 0 ? below : above;
        case AscendC::RoundMode::CAST_TRUNC:
            return below;
        case AscendC::RoundMode::CAST_ODD:
            return (below.bits & 1) != 0 ? below : above;
        default: {  // CAST_ROUND: ties go away from zero
            const double low = std::fabs(static_cast<float>(below)),
                         high = std::fabs(static_cast<float>(above));
            return std::fabs(static_cast<double>(value)) - low >= high - std::fabs(static_cast<double>(value))
                       ? above
                       : below;
        }
    }
}

/// Integer conversion saturates; NaN gives 0.
template <class D>
D saturate(float value) {
    if (value != value) return D(0);
    const double wide = value;
    constexpr double low = static_cast<double>(std::numeric_limits<D>::min());
    constexpr double high = static_cast<double>(std::numeric_limits<D>::max());
    if (wide <= low) return std::numeric_limits<D>::min();
    if (wide >= high) return std::numeric_limits<D>::max();
    return static_cast<D>(wide);
}

template <class D, class S>
D saturate_integer(S value) {
    const auto wide = static_cast<int64_t>(value);
    const auto low = static_cast<int64_t>(std::numeric_limits<D>::min());
    const auto high = static_cast<int64_t>(std::numeric_limits<D>::max());
    return static_cast<D>(wide < low ? low : wide > high ? high : wide);
}

/// Pairs the vector unit of the 2201 architecture converts.
template <class D, class S>
constexpr bool can_cast() {
    if (std::is_same<S, half>::value) return is_one_of<D, float, int32_t, int16_t, int8_t, uint8_t>;
    if (std::is_same<S, float>::value)
        return is_one_of<D, float, half, bfloat16_t, int64_t, int32_t, int16_t>;
    if (std::is_same<S, bfloat16_t>::value) return is_one_of<D, float, int32_t>;
    if (std::is_same<S, uint8_t>::value || std::is_same<S, int8_t>::value)
        return std::is_same<D, half>::value;
    if (std::is_same<S, int16_t>::value) return is_one_of<D, half, float>;
    if (std::is_same<S, int32_t>::value) return is_one_of<D, float, int64_t, int16_t, half>;
    if (std::is_same<S, int64_t>::value) return is_one_of<D, int32_t, float>;
    return false;
}

/// Conversions that round nothing: the documentation lists CAST_NONE for them and no other mode.
template <class D, class S>
constexpr bool rounds_nothing() {
    if (is_float16<S> || std::is_same<S, int16_t>::value) {
        if (std::is_same<D, float>::value) return true;
    }
    if (sizeof(S) == 1) return std::is_same<D, half>::value;
    return std::is_integral<S>::value && std::is_integral<D>::value;
}

template <class D, class S>
D cast_value(S value, AscendC::RoundMode mode) {
    if constexpr (is_floating<S>) {
        const float number = static_cast<float>(value);
        if constexpr (std::is_same<D, float>::value) {
            return std::is_same<S, float>::value ? round_to_integral(number, mode) : number;
        } else if constexpr (is_float16<D>) {
            return round_to_narrow<D>(number, mode);
        } else {
            return saturate<D>(round_to_integral(number, mode));
        }
    } else if constexpr (std::is_same<D, float>::value) {
        // The float adder rounds to nearest even; the other modes matter only beyond 24 bits.
        return static_cast<float>(value);
    } else if constexpr (is_float16<D>) {
        return round_to_narrow<D>(static_cast<float>(value), mode);
    } else {
        return saturate_integer<D>(value);
    }
}

/// Whether a conversion packs or unpacks numbers of four bits, two in a byte, the first in its lower half.
template <class D, class S>
constexpr bool is_of_nibbles = std::is_same<D, int4b_t>::value || std::is_same<S, int4b_t>::value;

/// half to int4b_t and back, over `count` numbers.
template <class D, class S>
void cast_nibbles(const Site& site, const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<S>& src,
                  AscendC::RoundMode mode, uint64_t count) {
    constexpr bool kPacks = std::is_same<D, int4b_t>::value;
    static_assert(std::is_same<std::conditional_t<kPacks, S, D>, half>::value,
                  "Cast: 4-bit numbers are converted from and to half here");
    Instruction instruction(Pipe::V, "Cast", site);
    const uint64_t packed = (count + 1) / 2;
    instruction.read_aligned(src.view(), 0, kPacks ? count * sizeof(half) : packed);
    instruction.write_aligned(dst.view(), 0, kPacks ? packed : count * sizeof(half));
    issue_vector(instruction, kCastRate, count, sizeof(half));
    for (uint64_t i = 0; i < count; ++i) {
        const unsigned shift = i % 2 == 0 ? 0 : 4;
        if constexpr (kPacks) {
            const float rounded = round_to_integral(static_cast<float>(src.data()[i]), mode);
            const int number =
                rounded != rounded ? 0 : static_cast<int>(std::min(7.0f, std::max(-8.0f, rounded)));
            uint8_t& byte = dst.view().data[i / 2];
            byte = static_cast<uint8_t>((byte & ~(0xFu << shift)) |
                                        ((static_cast<unsigned>(number) & 0xFu) << shift));
        } else {
            const int bits = src.view().data[i / 2] >> shift & 0xF;
            dst.data()[i] = static_cast<half>(static_cast<float>(bits < 8 ? bits : bits - 16));
        }
    }
}

/// float to float without rounding mode copies the value.
template <class D, class S>
void cast_vector(const Site& site, const Frame& frame, Operand<D> dst, Operand<S> src,
                 AscendC::RoundMode mode) {
    static_assert(can_cast<D, S>(), "Cast: the vector unit does not convert between these data types");
    constexpr size_t kWidest = std::max(sizeof(D), sizeof(S));
    constexpr uint32_t kLanes = lanes_of(kWidest);
    Instruction instruction(Pipe::V, "Cast", site);
    if (mode == AscendC::RoundMode::CAST_NONE && std::is_same<S, float>::value &&
        std::is_integral<D>::value) {
        instruction.fail(rules::vector_limit,
                         {"CAST_NONE is not allowed from floating point to integers", "", "a rounding mode"});
    }
    if (mode != AscendC::RoundMode::CAST_NONE && rounds_nothing<D, S>()) {
        instruction.fail(
            rules::cast_mode,
            {"this conversion rounds nothing: only CAST_NONE is documented for it", "", "CAST_NONE"});
    }
    check_by_lane(instruction, frame, dst, src);
    issue_vector(instruction, kCastRate, charged_elements(frame), kWidest);
    S in[kLanes] = {};
    D out[kLanes];
    // Only the conversion from int32_t to half scales (SetDeqScale); for the others the factor is exact.
    const float scale =
        std::is_same<S, int32_t>::value && std::is_same<D, half>::value ? core().vector.dequant_scale : 1.0f;
    const bool nearest = mode == AscendC::RoundMode::CAST_NONE || mode == AscendC::RoundMode::CAST_RINT;
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        load_lanes(in, frame, repeat, src);
        if (nearest && is_floating<D> && !std::is_same<D, S>::value) {
            for (uint32_t lane = 0; lane < kLanes; ++lane)
                out[lane] = static_cast<D>(static_cast<float>(in[lane]) * scale);
        } else {
            for (uint32_t lane = 0; lane < kLanes; ++lane) out[lane] = cast_value<D>(in[lane], mode);
        }
        store_lanes(out, frame, repeat, dst);
    }
}

}  // namespace twin

namespace AscendC {

template <typename D, typename S>
void Cast(const LocalTensor<D>& dst, const LocalTensor<S>& src, const RoundMode& roundMode,
          const uint32_t count, const twin::Site& site = twin::Site::here()) {
    const uint64_t checked = twin::checked_count(count, "Cast", site);
    if constexpr (twin::is_of_nibbles<D, S>) {
        twin::cast_nibbles(site, dst, src, roundMode, checked);
    } else {
        constexpr uint32_t lanes = twin::lanes_of(std::max(sizeof(D), sizeof(S)));
        const auto frame = twin::Frame::counted(checked, lanes);
        twin::cast_vector(site, frame, twin::Operand<D>{dst, twin::Stride::packed(sizeof(D), lanes)},
                          twin::Operand<S>{src, twin::Stride::packed(sizeof(S), lanes)}, roundMode);
    }
}
template <typename D, typename S, bool isSetMask = true>
void Cast(const LocalTensor<D>& dst, const LocalTensor<S>& src, const RoundMode& roundMode, twin::Mask mask,
          const uint8_t repeatTime, const UnaryRepeatParams& params,
          const twin::Site& site = twin::Site::here()) {
    constexpr uint32_t lanes = twin::lanes_of(std::max(sizeof(D), sizeof(S)));
    const auto frame = twin::make_frame<isSetMask>(mask, repeatTime, lanes, "Cast", site);
    twin::cast_vector(site, frame, twin::Operand<D>{dst, twin::dst_stride(params)},
                      twin::Operand<S>{src, twin::src_stride(params)}, roundMode);
}

}  // namespace AscendC
