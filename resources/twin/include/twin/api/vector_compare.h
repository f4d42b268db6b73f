// Compare, CompareScalar and Select: bit masks made from comparisons and choices made from bit masks.
#pragma once

#include "twin/api/vector_unary.h"

namespace twin {

template <class T>
bool compare_values(T a, T b, AscendC::CMPMODE mode) {
    switch (mode) {
        case AscendC::CMPMODE::LT:
            return a < b;
        case AscendC::CMPMODE::GT:
            return a > b;
        case AscendC::CMPMODE::EQ:
            return a == b;
        case AscendC::CMPMODE::LE:
            return a <= b;
        case AscendC::CMPMODE::GE:
            return a >= b;
        default:
            return a != b;
    }
}

/// Result bits of Compare lie back to back, lane 0 in the lowest bit of the first byte.
template <class T, class Right>
void compare_lanes(Instruction& instruction, const Frame& frame, const UnwrittenLanes& unwritten,
                   const View& dst, Operand<T> left, Right right, AscendC::CMPMODE mode) {
    constexpr uint32_t kLanes = lanes_of(sizeof(T));
    instruction.require_aligned(dst, 0, kBlockBytes);
    instruction.write(dst, 0, uint64_t(frame.repeats) * kLanes / 8);
    unwritten.leave_bits(dst);
    issue_vector(instruction, kFullRate, charged_elements(frame), sizeof(T));
    T a[kLanes] = {}, b[kLanes] = {};
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        load_lanes(a, frame, repeat, left);
        right(b, repeat);
        uint8_t bits[kLanes / 8] = {};
        const uint32_t active = frame.bits ? kLanes : frame.active(repeat);
        for (uint32_t lane = 0; lane < active; ++lane) {
            const bool holds = compare_values(Compute<T>(a[lane]), Compute<T>(b[lane]), mode);
            bits[lane / 8] = static_cast<uint8_t>(bits[lane / 8] | (holds ? 1u << (lane % 8) : 0u));
        }
        std::memcpy(dst.data + uint64_t(repeat) * sizeof bits, bits, sizeof bits);
    }
}

template <class T, class U>
void compare_tensors(const char* call, const Site& site, const Frame& frame,
                     const AscendC::LocalTensor<U>& dst, Operand<T> left, Operand<T> right,
                     AscendC::CMPMODE mode) {
    static_assert(std::is_integral<U>::value, "Compare: the result holds bits, use uint8_t or int8_t");
    static_assert(is_one_of<T, half, float, int32_t>,
                  "Compare: half, float and int32_t (EQ only) are supported");
    Instruction instruction(Pipe::V, call, site);
    if (std::is_same<T, int32_t>::value && mode != AscendC::CMPMODE::EQ) {
        instruction.fail(rules::vector_limit,
                         {"int32_t can be compared for equality only", "", "CMPMODE::EQ"});
    }
    UnwrittenLanes unwritten(instruction, frame);
    unwritten.read(left);
    unwritten.read(right);
    compare_lanes(
        instruction, frame, unwritten, dst.view(), left,
        [&](T* lanes, uint32_t repeat) { load_lanes(lanes, frame, repeat, right); }, mode);
}

template <class T, class U>
void compare_scalar(const char* call, const Site& site, const Frame& frame,
                    const AscendC::LocalTensor<U>& dst, Operand<T> left, T scalar, AscendC::CMPMODE mode) {
    static_assert(std::is_integral<U>::value, "CompareScalar: the result holds bits, use uint8_t or int8_t");
    static_assert(is_one_of<T, half, float, int32_t>,
                  "CompareScalar: half, float and int32_t (EQ only) are supported");
    Instruction instruction(Pipe::V, call, site);
    UnwrittenLanes unwritten(instruction, frame);
    unwritten.read(left);
    compare_lanes(
        instruction, frame, unwritten, dst.view(), left,
        [&](T* lanes, uint32_t) { std::fill(lanes, lanes + lanes_of(sizeof(T)), scalar); }, mode);
}

/// The count form needs whole repeats.
template <class T>
Frame compare_frame(int64_t count, const char* call, const Site& site) {
    const uint64_t elements = checked_count(count, call, site);
    if (elements * sizeof(T) % kRepeatBytes != 0) {
        report(
            rules::vector_count, call, site,
            {format("%llu elements are not a multiple of 256 bytes: round the count up and pad the tensors",
                    static_cast<unsigned long long>(elements)),
             "", "multiples of 256 bytes"});
    }
    return Frame::counted(elements, lanes_of(sizeof(T)));
}

/// One bit per element of a selection mask. In mode 0 every repeat uses the same bits.
inline bool mask_bit(const uint8_t* mask, uint64_t index) {
    return (mask[index / 8] >> (index % 8) & 1) != 0;
}

template <class T, class Other>
void select_lanes(Instruction& instruction, const Frame& frame, UnwrittenLanes& unwritten, Operand<T> dst,
                  const uint8_t* mask, bool same_mask, Operand<T> chosen, Other other) {
    constexpr uint32_t kLanes = lanes_of(sizeof(T));
    unwritten.read(chosen);
    check_overlap(instruction, frame, LanePlaces::of(dst), LanePlaces::of(chosen));
    check_write(instruction, frame, dst);
    unwritten.leave(dst.stride, dst.tensor.view(), sizeof(T));
    issue_vector(instruction, kTwoSourceRate, charged_elements(frame), sizeof(T));
    const uint64_t masked = uint64_t(same_mask ? std::min(frame.repeats, 1u) : frame.repeats) * kLanes;
    std::vector<uint8_t> bits(mask, mask + (masked + 7) / 8);
    T yes[kLanes] = {}, no[kLanes] = {}, out[kLanes];
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        load_lanes(yes, frame, repeat, chosen);
        other(no, repeat);
        const uint64_t first = same_mask ? 0 : uint64_t(repeat) * kLanes;
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
            out[lane] = mask_bit(bits.data(), first + lane) ? yes[lane] : no[lane];
        }
        store_lanes(out, frame, repeat, dst);
    }
}

template <class T, class U>
void select_tensors(const Site& site, const Frame& frame, Operand<T> dst, const AscendC::LocalTensor<U>& mask,
                    Operand<T> first, Operand<T> second, AscendC::SELMODE mode) {
    static_assert(is_one_of<T, half, float>, "Select: half and float only");
    const bool same_mask = mode == AscendC::SELMODE::VSEL_CMPMASK_SPR;
    Instruction instruction(Pipe::V, "Select", site);
    UnwrittenLanes unwritten(instruction, frame);
    unwritten.read_bits(mask.view(), same_mask);
    unwritten.read(second);
    check_overlap(instruction, frame, LanePlaces::of(dst), LanePlaces::of(second));
    select_lanes(instruction, frame, unwritten, dst, mask.view().data, same_mask, first,
                 [&](T* lanes, uint32_t repeat) { load_lanes(lanes, frame, repeat, second); });
}

template <class T, class U>
void select_scalar(const Site& site, const Frame& frame, Operand<T> dst, const AscendC::LocalTensor<U>& mask,
                   Operand<T> first, T scalar) {
    static_assert(is_one_of<T, half, float>, "Select: half and float only");
    Instruction instruction(Pipe::V, "Select", site);
    UnwrittenLanes unwritten(instruction, frame);
    unwritten.read_bits(mask.view(), false);
    select_lanes(instruction, frame, unwritten, dst, mask.view().data, false, first,
                 [&](T* lanes, uint32_t) { std::fill(lanes, lanes + lanes_of(sizeof(T)), scalar); });
}

}  // namespace twin

namespace AscendC {

template <typename T, typename U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE cmpMode, uint32_t count, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src0, src1, cmpMode, count, site);
    const auto packed = twin::Stride{};
    twin::compare_tensors("Compare", site, twin::compare_frame<T>(count, "Compare", site), dst,
                          twin::Operand<T>{src0, packed}, twin::Operand<T>{src1, packed}, cmpMode);
}
template <typename T, typename U, bool isSetMask = true>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE cmpMode, twin::Mask mask, uint8_t repeatTime, const BinaryRepeatParams& params,
             const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src0, src1, cmpMode, mask, repeatTime, params, site);
    const auto frame =
        twin::make_frame<isSetMask>(mask, repeatTime, twin::lanes_of(sizeof(T)), "Compare", site);
    twin::compare_tensors("Compare", site, frame, dst, twin::Operand<T>{src0, twin::src0_stride(params)},
                          twin::Operand<T>{src1, twin::src1_stride(params)}, cmpMode);
}

template <typename T, typename U, bool isSetMask = true>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                   uint32_t count, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src0, src1Scalar, cmpMode, count, site);
    twin::compare_scalar("CompareScalar", site, twin::compare_frame<T>(count, "CompareScalar", site), dst,
                         twin::Operand<T>{src0, {}}, src1Scalar, cmpMode);
}
template <typename T, typename U, bool isSetMask = true>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                   twin::Mask mask, uint8_t repeatTime, const UnaryRepeatParams& params,
                   const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src0, src1Scalar, cmpMode, mask, repeatTime, params, site);
    const auto frame =
        twin::make_frame<isSetMask>(mask, repeatTime, twin::lanes_of(sizeof(T)), "CompareScalar", site);
    twin::compare_scalar("CompareScalar", site, frame, dst, twin::Operand<T>{src0, twin::src_stride(params)},
                         src1Scalar, cmpMode);
}

/// The same under its newer name.
template <typename T, typename U>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
              uint32_t count, const twin::Site& site = twin::Site::here()) {
    CompareScalar(dst, src0, src1Scalar, cmpMode, count, site);
}
template <typename T, typename U, bool isSetMask = true>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
              twin::Mask mask, uint8_t repeatTime, const UnaryRepeatParams& params,
              const twin::Site& site = twin::Site::here()) {
    CompareScalar<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, repeatTime, params, site);
}

template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, uint32_t count,
            const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, selMask, src0, src1, selMode, count, site);
    const auto frame =
        twin::Frame::counted(twin::checked_count(count, "Select", site), twin::lanes_of(sizeof(T)));
    twin::select_tensors(site, frame, twin::Operand<T>{dst, {}}, selMask, twin::Operand<T>{src0, {}},
                         twin::Operand<T>{src1, {}}, selMode);
}
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
            SELMODE selMode, uint32_t count, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, selMask, src0, src1, selMode, count, site);
    static_cast<void>(selMode);
    const auto frame =
        twin::Frame::counted(twin::checked_count(count, "Select", site), twin::lanes_of(sizeof(T)));
    twin::select_scalar(site, frame, twin::Operand<T>{dst, {}}, selMask, twin::Operand<T>{src0, {}}, src1);
}

template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, twin::Mask mask, uint8_t repeatTime,
            const BinaryRepeatParams& params, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, selMask, src0, src1, selMode, mask, repeatTime, params, site);
    const auto frame =
        twin::make_frame<isSetMask>(mask, repeatTime, twin::lanes_of(sizeof(T)), "Select", site);
    twin::select_tensors(site, frame, twin::Operand<T>{dst, twin::dst_stride(params)}, selMask,
                         twin::Operand<T>{src0, twin::src0_stride(params)},
                         twin::Operand<T>{src1, twin::src1_stride(params)}, selMode);
}
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
            SELMODE selMode, twin::Mask mask, uint8_t repeatTime, const BinaryRepeatParams& params,
            const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, selMask, src0, src1, selMode, mask, repeatTime, params, site);
    static_cast<void>(selMode);
    const auto frame =
        twin::make_frame<isSetMask>(mask, repeatTime, twin::lanes_of(sizeof(T)), "Select", site);
    twin::select_scalar(site, frame, twin::Operand<T>{dst, twin::dst_stride(params)}, selMask,
                        twin::Operand<T>{src0, twin::src0_stride(params)}, src1);
}

}  // namespace AscendC
