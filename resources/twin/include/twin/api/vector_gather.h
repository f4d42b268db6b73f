// Gather, Gatherb and GatherMask: picking elements by offset or by pattern.
#pragma once

#include "twin/api/vector_frame.h"

namespace twin {

/// dst[i] = element at byte offset base + offsets[i] of src.
template <class T>
void gather_lanes(const Site& site, const Frame& frame, Operand<T> dst, const AscendC::LocalTensor<T>& src,
                  const AscendC::LocalTensor<uint32_t>& offsets, uint32_t base) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Gather: 16-bit and 32-bit data only");
    constexpr uint32_t kLanes = lanes_of(sizeof(T));
    Instruction instruction(Pipe::V, "Gather", site);
    const uint64_t span = charged_elements(frame);
    check_read(instruction, frame, Operand<uint32_t>{offsets, Stride::packed(sizeof(uint32_t), kLanes)});
    std::vector<uint32_t> from(offsets.data(), offsets.data() + span);
    UnwrittenLanes unwritten(instruction, frame);
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
            const bool active = frame.bits ? frame.lane(lane) : lane < frame.active(repeat);
            if (!active) continue;
            const uint64_t offset = uint64_t(base) + from[uint64_t(repeat) * kLanes + lane];
            if (offset % sizeof(T) != 0) instruction.require_aligned(src.view(), offset, sizeof(T));
            unwritten.read_element(src.view(), offset, sizeof(T), repeat, lane);
        }
    }
    check_write(instruction, frame, dst);
    unwritten.leave(dst.stride, dst.tensor.view(), sizeof(T));
    issue_vector(instruction, kGatherRate, span, sizeof(T));
    const auto* bytes = reinterpret_cast<const uint8_t*>(src.data());
    std::vector<T> picked(span);
    for (uint64_t i = 0; i < span; ++i) {
        const auto repeat = static_cast<uint32_t>(i / kLanes), lane = static_cast<uint32_t>(i % kLanes);
        if (frame.bits ? !frame.lane(lane) : lane >= frame.active(repeat)) continue;
        std::memcpy(static_cast<void*>(&picked[i]), bytes + base + from[i], sizeof(T));
    }
    picked.resize(uint64_t(frame.repeats) * kLanes);
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        store_lanes(picked.data() + uint64_t(repeat) * kLanes, frame, repeat, dst);
    }
}

/// Whether a built-in GatherMask pattern keeps element `index`.
constexpr bool pattern_keeps(uint8_t pattern, uint64_t index) {
    switch (pattern) {
        case 1:
            return index % 2 == 0;
        case 2:
            return index % 2 == 1;
        case 3:
            return index % 4 == 0;
        case 4:
            return index % 4 == 1;
        case 5:
            return index % 4 == 2;
        case 6:
            return index % 4 == 3;
        default:
            return true;
    }
}

/// Packs the elements `keeps(repeat, index)` selects to the front of dst; a register holds how many.
template <class T, class Keeps>
void gather_mask(Instruction& instruction, const AscendC::LocalTensor<T>& dst,
                 const AscendC::LocalTensor<T>& src, bool counted, uint32_t mask,
                 const AscendC::GatherMaskParams& params, Keeps keeps) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "GatherMask: 16-bit and 32-bit data only");
    constexpr uint32_t kLanes = lanes_of(sizeof(T)), kPerBlock = kBlockBytes / sizeof(T);
    const uint32_t per_repeat = counted ? mask : kLanes;
    instruction.require_aligned(src.view(), 0, kBlockBytes);
    std::vector<T> packed;
    for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
        const uint64_t start = uint64_t(repeat) * params.src0RepeatStride * kPerBlock;
        for (uint32_t first = 0; first < per_repeat; first += kPerBlock) {
            const uint64_t block = start + uint64_t(first / kPerBlock) * params.src0BlockStride * kPerBlock;
            const uint32_t members = std::min(kPerBlock, per_repeat - first);
            instruction.read(src.view(), block * sizeof(T), uint64_t(members) * sizeof(T));
            for (uint32_t i = 0; i < members; ++i) {
                if (keeps(repeat, first + i)) packed.push_back(src.data()[block + i]);
            }
        }
    }
    instruction.write_aligned(dst.view(), 0, packed.size() * sizeof(T));
    issue_vector(instruction, kGatherMaskRate, uint64_t(params.repeatTimes) * per_repeat, sizeof(T));
    std::copy(packed.begin(), packed.end(), dst.data());
    core().vector.gather_count = packed.size();
    core().vector.gathered_by = vector_instruction();
}

/// Elements the last GatherMask kept.
inline uint64_t last_gathered(const char* call, const Site& site) {
    TWIN_ASK(uint64_t, call, site);
    take_register(core().vector.gathered_by, call, site);
    return core().vector.gather_count;
}

/// GatherMask by a built-in pattern; returns how many elements it kept.
template <class T>
uint64_t gather_by_number(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                          uint8_t pattern, bool counted, uint32_t mask,
                          const AscendC::GatherMaskParams& params, const Site& site) {
    TWIN_ASK(uint64_t, dst, src, pattern, counted, mask, params, site);
    {
        Instruction instruction(Pipe::V, "GatherMask", site);
        if (pattern < 1 || pattern > 7) {
            instruction.fail(rules::vector_limit,
                             {format("pattern %d is outside 1..7", pattern), "", "1..7"});
        }
        gather_mask(instruction, dst, src, counted, mask, params,
                    [=](uint32_t, uint64_t index) { return pattern_keeps(pattern, index); });
    }
    return last_gathered("GatherMask", site);
}

/// GatherMask by the bits of a tensor.
template <class T, class U>
uint64_t gather_by_bits(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                        const AscendC::LocalTensor<U>& pattern, bool counted, uint32_t mask,
                        const AscendC::GatherMaskParams& params, const Site& site) {
    static_assert(sizeof(T) == sizeof(U),
                  "GatherMask: the pattern needs unsigned integers as wide as the data");
    TWIN_ASK(uint64_t, dst, src, pattern, counted, mask, params, site);
    {
        Instruction instruction(Pipe::V, "GatherMask", site);
        const uint64_t repeat_bytes = uint64_t(params.src1RepeatStride) * kBlockBytes;
        const uint64_t used = (uint64_t(counted ? mask : lanes_of(sizeof(T))) + 7) / 8;
        const uint64_t last = params.repeatTimes == 0 ? 0 : (params.repeatTimes - 1) * repeat_bytes;
        instruction.read_aligned(pattern.view(), 0, last + used);
        const std::vector<uint8_t> bits(pattern.view().data, pattern.view().data + last + used);
        gather_mask(instruction, dst, src, counted, mask, params, [&](uint32_t repeat, uint64_t index) {
            return (bits[repeat * repeat_bytes + index / 8] >> (index % 8) & 1) != 0;
        });
    }
    return last_gathered("GatherMask", site);
}

}  // namespace twin

namespace AscendC {

template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            const uint32_t srcBaseAddr, const uint32_t count, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, srcOffset, srcBaseAddr, count, site);
    constexpr uint32_t lanes = twin::lanes_of(sizeof(T));
    const auto frame = twin::Frame::counted(twin::checked_count(count, "Gather", site), lanes);
    twin::gather_lanes(site, frame, twin::Operand<T>{dst, {}}, src, srcOffset, srcBaseAddr);
}
template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            const uint32_t srcBaseAddr, twin::Mask mask, const uint8_t repeatTime,
            const uint16_t dstRepStride, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, srcOffset, srcBaseAddr, mask, repeatTime, dstRepStride, site);
    const auto frame = twin::make_frame<true>(mask, repeatTime, twin::lanes_of(sizeof(T)), "Gather", site);
    twin::gather_lanes(site, frame, twin::Operand<T>{dst, {1, dstRepStride}}, src, srcOffset, srcBaseAddr);
}

/// Gathers 32-byte blocks: eight block offsets per repeat.
template <typename T>
void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& offset,
             const uint8_t repeatTime, const GatherRepeatParams& params,
             const twin::Site& site = twin::Site::here()) {
    static_assert(twin::is_one_of<T, uint16_t, uint32_t>, "Gatherb: uint16_t and uint32_t only");
    TWIN_CALL(dst, src0, offset, repeatTime, params, site);
    constexpr uint32_t kBlocks = 8;
    twin::Instruction instruction(twin::Pipe::V, "Gatherb", site);
    instruction.read_aligned(offset.view(), 0, uint64_t(repeatTime) * kBlocks * sizeof(uint32_t));
    instruction.require_aligned(dst.view(), 0, twin::kBlockBytes);
    const std::vector<uint32_t> from(offset.data(), offset.data() + uint64_t(repeatTime) * kBlocks);
    const auto target = [&](uint64_t index) {
        return (index / kBlocks * params.dstRepStride + index % kBlocks * params.dstBlkStride) *
               twin::kBlockBytes;
    };
    for (uint64_t i = 0; i < from.size(); ++i) {
        instruction.read_aligned(src0.view(), from[i], twin::kBlockBytes);
        instruction.write(dst.view(), target(i), twin::kBlockBytes);
    }
    twin::issue_vector(instruction, twin::kFullRate, from.size() * twin::kBlockBytes / sizeof(T), sizeof(T));
    std::vector<uint8_t> blocks(from.size() * twin::kBlockBytes);
    for (uint64_t i = 0; i < from.size(); ++i) {
        std::memcpy(&blocks[i * twin::kBlockBytes], src0.view().data + from[i], twin::kBlockBytes);
    }
    for (uint64_t i = 0; i < from.size(); ++i) {
        std::memcpy(dst.view().data + target(i), &blocks[i * twin::kBlockBytes], twin::kBlockBytes);
    }
}

template <typename T>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern,
                const bool reduceMode, const uint32_t mask, const GatherMaskParams& params, uint64_t& rsvdCnt,
                const twin::Site& site = twin::Site::here()) {
    rsvdCnt = twin::gather_by_number(dst, src0, src1Pattern, reduceMode, mask, params, site);
}
template <typename T, typename U>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                const bool reduceMode, const uint32_t mask, const GatherMaskParams& params, uint64_t& rsvdCnt,
                const twin::Site& site = twin::Site::here()) {
    rsvdCnt = twin::gather_by_bits(dst, src0, src1Pattern, reduceMode, mask, params, site);
}
/// Elements the last GatherMask kept.
inline int64_t GetGatherMaskRemainCount(const twin::Site& site = twin::Site::here()) {
    return static_cast<int64_t>(twin::last_gathered("GetGatherMaskRemainCount", site));
}

}  // namespace AscendC
