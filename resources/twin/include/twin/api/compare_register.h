// Comparison into the register for comparisons (128 bits), and selection by it.
#pragma once

#include "twin/api/vector_compare.h"

namespace twin {

constexpr uint32_t kRegisterBytes = 16;

template <class T>
void compare_to_register(const Site& site, const Frame& frame, Operand<T> left, Operand<T> right,
                         AscendC::CMPMODE mode) {
    static_assert(is_one_of<T, half, float>, "Compare: half and float only");
    constexpr uint32_t kLanes = lanes_of(sizeof(T));
    Instruction instruction(Pipe::V, "Compare", site);
    check_read(instruction, frame, left);
    check_read(instruction, frame, right);
    issue_vector(instruction, kFullRate, charged_elements(frame), sizeof(T));
    core().vector.compare_mask = {0, 0};
    if (frame.repeats == 0) return;
    T a[kLanes] = {}, b[kLanes] = {};
    load_lanes(a, frame, 0, left);
    load_lanes(b, frame, 0, right);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
        const bool active = frame.bits ? frame.lane(lane) : lane < frame.active(0);
        if (active && compare_values(Compute<T>(a[lane]), Compute<T>(b[lane]), mode)) {
            core().vector.compare_mask[lane / 64] |= 1ull << (lane % 64);
        }
    }
}

/// Selection by the bits of the register, the same for every repeat, or by those at the address it holds.
template <AscendC::SELMODE mode, class T>
void select_by_register(const Site& site, const Frame& frame, Operand<T> dst, Operand<T> first,
                        Operand<T> second) {
    static_assert(is_one_of<T, half, float>, "Select: half and float only");
    Instruction instruction(Pipe::V, "Select", site);
    UnwrittenLanes unwritten(instruction, frame);
    const uint8_t* bits = reinterpret_cast<const uint8_t*>(core().vector.compare_mask.data());
    constexpr bool kSameMask = mode == AscendC::SELMODE::VSEL_CMPMASK_SPR;
    if constexpr (!kSameMask) {
        View mask;
        mask.data = bytes_at(reinterpret_cast<const void*>(core().vector.compare_mask[0]));
        mask.limit = kUbBytes;
        unwritten.read_bits(mask, false);
        bits = mask.data;
    }
    unwritten.read(second);
    select_lanes(instruction, frame, unwritten, dst, bits, kSameMask, first,
                 [&](T* lanes, uint32_t repeat) { load_lanes(lanes, frame, repeat, second); });
}

}  // namespace twin

namespace AscendC {

// One repeat; lanes without mask give 0.
template <typename T, bool isSetMask = true>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, twin::Mask mask,
             const BinaryRepeatParams& repeatParams, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(src0, src1, cmpMode, mask, repeatParams, site);
    const auto frame = twin::make_frame<isSetMask>(mask, 1, twin::lanes_of(sizeof(T)), "Compare", site);
    twin::compare_to_register(site, frame, twin::Operand<T>{src0, twin::src0_stride(repeatParams)},
                              twin::Operand<T>{src1, twin::src1_stride(repeatParams)}, cmpMode);
}

template <typename T>
void GetCmpMask(const LocalTensor<T>& dst, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, site);
    twin::Instruction instruction(twin::Pipe::V, "GetCmpMask", site);
    instruction.write_aligned(dst.view(), 0, twin::kRegisterBytes, twin::kRegisterBytes);
    twin::issue_vector(instruction, twin::kFullRate, twin::kRegisterBytes, 1);
    std::memcpy(static_cast<void*>(dst.data()), twin::core().vector.compare_mask.data(),
                twin::kRegisterBytes);
}
template <typename T>
void SetCmpMask(const LocalTensor<T>& src, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(src, site);
    twin::Instruction instruction(twin::Pipe::V, "SetCmpMask", site);
    instruction.require_aligned(src.view(), 0, twin::kRegisterBytes);
    instruction.read_any(src.view(), 0, twin::kRegisterBytes);
    twin::issue_vector(instruction, twin::kFullRate, twin::kRegisterBytes, 1);
    std::memcpy(twin::core().vector.compare_mask.data(), src.data(), twin::kRegisterBytes);
}

/// Selection between two tensors by the register, under the mask registers.
template <typename T, SELMODE selMode>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            uint8_t repeatTime, const BinaryRepeatParams& repeatParams,
            const twin::Site& site = twin::Site::here()) {
    static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE,
                  "Select: the scalar form takes the mask as a tensor");
    TWIN_CALL(dst, src0, src1, repeatTime, repeatParams, site);
    const auto frame =
        twin::make_frame<false>(MASK_PLACEHOLDER, repeatTime, twin::lanes_of(sizeof(T)), "Select", site);
    twin::select_by_register<selMode>(site, frame, twin::Operand<T>{dst, twin::dst_stride(repeatParams)},
                                      twin::Operand<T>{src0, twin::src0_stride(repeatParams)},
                                      twin::Operand<T>{src1, twin::src1_stride(repeatParams)});
}
/// Selection between a tensor and the scalar in the register, under the mask registers.
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            uint8_t repeatTime, const BinaryRepeatParams& repeatParams,
            const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, selMask, src0, repeatTime, repeatParams, site);
    const auto frame =
        twin::make_frame<false>(MASK_PLACEHOLDER, repeatTime, twin::lanes_of(sizeof(T)), "Select", site);
    T scalar;
    std::memcpy(static_cast<void*>(&scalar), twin::core().vector.compare_mask.data(), sizeof scalar);
    twin::select_scalar(site, frame, twin::Operand<T>{dst, twin::dst_stride(repeatParams)}, selMask,
                        twin::Operand<T>{src0, twin::src0_stride(repeatParams)}, scalar);
}

}  // namespace AscendC
