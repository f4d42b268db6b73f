// Cast: conversions between element types with the device's rounding modes.
#pragma once

#include "twin/api/system.h"
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

/// Whether what remains of a magnitude goes up by one when its last bits are dropped: `rest` are those bits,
/// `half` is the first of them. Source: precision conversion, table of the rounding modes.
constexpr bool carries(AscendC::RoundMode mode, bool negative, uint64_t kept, uint64_t rest, uint64_t half) {
    switch (mode) {
        case AscendC::RoundMode::CAST_FLOOR:
            return negative && rest != 0;
        case AscendC::RoundMode::CAST_CEIL:
            return !negative && rest != 0;
        case AscendC::RoundMode::CAST_ROUND:
            return rest >= half;
        case AscendC::RoundMode::CAST_TRUNC:
            return false;
        case AscendC::RoundMode::CAST_ODD:
            return rest != 0 && kept % 2 == 0;
        default:
            return rest > half || (rest == half && kept % 2 == 1);
    }
}

/// `magnitude` without its last `drop` bits, rounded.
constexpr uint64_t drop_bits(uint64_t magnitude, uint32_t drop, bool negative, AscendC::RoundMode mode) {
    if (drop == 0) return magnitude;
    const uint64_t half = uint64_t(1) << (drop - 1);
    const uint64_t kept = magnitude >> drop, rest = magnitude & (2 * half - 1);
    return kept + (carries(mode, negative, kept, rest, half) ? 1 : 0);
}

/// Float rounded to a 16-bit float type `T` in the given mode. What is then beyond the largest number is
/// infinite in every mode: Atlas A2 runs in its Inf/NaN mode (aclrtFloatOverflowMode, the default).
template <class T>
T round_to_narrow(float value, AscendC::RoundMode mode) {
    if (value != value || std::isinf(value)) return static_cast<T>(value);
    constexpr bool kBrain = std::is_same<T, bfloat16_t>::value;
    constexpr uint32_t kDrop = kBrain ? 16 : 13;  // of the mantissa
    constexpr uint32_t kInfinity = kBrain ? 0x7f80 : 0x7c00;
    constexpr uint32_t kLowest = 113;  // exponent of float for the smallest normal half
    constexpr uint32_t kAllBits = 30;  // more than a mantissa has
    const uint32_t magnitude = float_bits(value) & 0x7fffffffu;
    const uint32_t exponent = magnitude >> 23;
    const bool negative = std::signbit(value);
    uint64_t rounded;
    if (kBrain || exponent >= kLowest) {
        rounded = drop_bits(magnitude, kDrop, negative, mode);
        if (!kBrain) rounded -= uint64_t(kLowest - 1) << 10;
    } else {  // a subnormal half
        const uint32_t mantissa = (magnitude & 0x7fffffu) | (exponent == 0 ? 0 : 0x800000u);
        const uint32_t further = kLowest - std::max(exponent, 1u);
        rounded = drop_bits(mantissa, std::min(kDrop + further, kAllBits), negative, mode);
    }
    T result;
    const auto bits = std::min(static_cast<uint32_t>(rounded), kInfinity);
    result.bits = static_cast<uint16_t>(bits | (negative ? 0x8000u : 0u));
    return result;
}

/// Integer rounded to the 24 bits of a float.
inline float round_to_float(int64_t value, AscendC::RoundMode mode) {
    constexpr int kMantissa = 24;
    const bool negative = value < 0;
    const uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    const int width = magnitude == 0 ? 0 : 64 - __builtin_clzll(magnitude);
    const int drop = std::max(0, width - kMantissa);
    const uint64_t kept = drop_bits(magnitude, static_cast<uint32_t>(drop), negative, mode);
    const float rounded = std::ldexp(static_cast<float>(kept), drop);
    return negative ? -rounded : rounded;
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

/// Conversions that round nothing.
template <class D, class S>
constexpr bool rounds_nothing() {
    if (is_float16<S> || std::is_same<S, int16_t>::value) {
        if (std::is_same<D, float>::value) return true;
    }
    if (sizeof(S) == 1) return std::is_same<D, half>::value;
    return std::is_integral<S>::value && std::is_integral<D>::value;
}

/// Whether Atlas A2 converts S to D in this mode; in another the card's library writes nothing. Source: Cast,
/// table of Atlas A2.
template <class D, class S>
constexpr bool has_mode(AscendC::RoundMode mode) {
    using Mode = AscendC::RoundMode;
    constexpr bool kToHalf = std::is_same<D, half>::value, kToBytes = sizeof(D) == 1;
    if (std::is_same<S, int32_t>::value && kToHalf) return true;  // the scale decides, the mode has no effect
    if (rounds_nothing<D, S>()) return mode == Mode::CAST_NONE;
    if (mode == Mode::CAST_ODD) return std::is_same<S, float>::value && kToHalf;
    if (mode == Mode::CAST_NONE) {
        const bool from_half = std::is_same<S, half>::value && kToBytes;
        const bool from_float = std::is_same<S, float>::value && kToHalf;
        const bool from_short = std::is_same<S, int16_t>::value && kToHalf;
        return from_half || from_float || from_short ||
               (std::is_same<S, int32_t>::value && std::is_same<D, float>::value);
    }
    return mode >= Mode::CAST_RINT && mode <= Mode::CAST_TRUNC;
}

/// Name of a mode as kernels write it.
inline std::string mode_name(AscendC::RoundMode mode) {
    constexpr const char* names[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                     "CAST_ROUND", "CAST_TRUNC", "CAST_ODD",   "CAST_HYBRID"};
    const auto number = static_cast<size_t>(mode);
    constexpr size_t kNames = sizeof names / sizeof names[0];
    return number < kNames ? names[number] : format("RoundMode %zu", number);
}

/// An error when Atlas A2 does not convert S to D in this mode.
template <class D, class S>
void require_mode(const Instruction& instruction, AscendC::RoundMode mode) {
    if (has_mode<D, S>(mode)) return;
    std::string others;
    for (int number = 0; number <= static_cast<int>(AscendC::RoundMode::CAST_ODD); ++number) {
        const auto other = static_cast<AscendC::RoundMode>(number);
        if (has_mode<D, S>(other)) others += (others.empty() ? "" : ", ") + mode_name(other);
    }
    const std::string reason = rounds_nothing<D, S>() ? ": nothing is rounded" : "";
    instruction.fail(rules::cast_mode,
                     {format("Atlas A2 has no %s from %s to %s%s; the card's library writes nothing",
                             mode_name(mode).c_str(), type_name<S>(), type_name<D>(), reason.c_str()),
                      "", others});
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
        return round_to_float(static_cast<int64_t>(value), mode);
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
    require_mode<D, S>(instruction, mode);
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

template <class D, class S>
void cast_vector(const Site& site, const Frame& frame, Operand<D> dst, Operand<S> src,
                 AscendC::RoundMode mode) {
    static_assert(can_cast<D, S>(), "Cast: the vector unit does not convert between these data types");
    constexpr size_t kWidest = std::max(sizeof(D), sizeof(S));
    constexpr uint32_t kLanes = lanes_of(kWidest);
    Instruction instruction(Pipe::V, "Cast", site);
    require_mode<D, S>(instruction, mode);
    check_by_lane(instruction, frame, dst, src);
    issue_vector(instruction, kCastRate, charged_elements(frame), kWidest);
    S in[kLanes] = {};
    D out[kLanes];
    // Only the conversion from int32_t to half scales (SetDeqScale); for the others the factor is exact.
    constexpr bool kScales = std::is_same<S, int32_t>::value && std::is_same<D, half>::value;
    const float scale = kScales ? core().vector.dequant_scale : 1.0f;
    const bool nearest =
        kScales || mode == AscendC::RoundMode::CAST_NONE || mode == AscendC::RoundMode::CAST_RINT;
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
    TWIN_CALL(dst, src, roundMode, count, site);
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
    TWIN_CALL(dst, src, roundMode, mask, repeatTime, params, site);
    constexpr uint32_t lanes = twin::lanes_of(std::max(sizeof(D), sizeof(S)));
    const auto frame = twin::make_frame<isSetMask>(mask, repeatTime, lanes, "Cast", site);
    twin::cast_vector(site, frame, twin::Operand<D>{dst, twin::dst_stride(params)},
                      twin::Operand<S>{src, twin::src_stride(params)}, roundMode);
}

}  // namespace AscendC
