// Definitions of api/vector_frame.h: the ranges a vector instruction touches. Part of twin/device.h.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "twin/api/vector_frame.h"

namespace twin {

namespace {

/// Whether lane i of an operand with elements of `size` bytes is its element i.
bool is_packed(const Frame& frame, Stride stride, uint32_t size) {
    if (frame.bits || stride.block != 1) return false;
    const bool whole = frame.prefix == frame.lanes;
    return frame.repeats == 1 ||
           (whole && uint64_t(stride.repeat) * kBlockBytes == uint64_t(frame.lanes) * size);
}

/// Calls `visit(offset, active)` for the blocks of one repeat with elements of `size` bytes in which a lane
/// is active; `active` has a bit for every byte of such a lane.
template <class Visit>
void visit_blocks_of(const Frame& frame, uint32_t repeat, Stride stride, uint32_t size, Visit&& visit) {
    const uint32_t per_block = static_cast<uint32_t>(kBlockBytes) / size;
    const uint32_t of_lane = static_cast<uint32_t>((uint64_t(1) << size) - 1);
    const uint32_t lanes = frame.bits ? frame.lanes : frame.active(repeat);
    for (uint32_t first = 0; first < lanes; first += per_block) {
        uint32_t active = 0;
        const uint32_t end = std::min(first + per_block, lanes);
        for (uint32_t lane = first; lane < end; ++lane) {
            if (!frame.bits || frame.lane(lane)) active |= of_lane << ((lane - first) * size);
        }
        const uint64_t blocks = uint64_t(repeat) * stride.repeat + uint64_t(first / per_block) * stride.block;
        if (active != 0) visit(blocks * kBlockBytes, active);
    }
}

/// The same for the blocks of all repeats.
template <class Visit>
void visit_blocks(const Frame& frame, Stride stride, uint32_t size, Visit&& visit) {
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat)
        visit_blocks_of(frame, repeat, stride, size, visit);
}

/// Calls `visit(offset, bytes)` for the byte ranges of `frame` with elements of `size` bytes; one may hold
/// lanes between active ones that are not.
template <class Visit>
void visit_ranges(const Frame& frame, Stride stride, uint32_t size, Visit&& visit) {
    if (is_packed(frame, stride, size)) return visit(uint64_t(0), frame.elements() * size);
    if (!frame.bits && stride.block == 1) {
        for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
            const uint64_t offset = uint64_t(repeat) * stride.repeat * kBlockBytes;
            visit(offset, uint64_t(frame.active(repeat)) * size);
        }
        return;
    }
    visit_blocks(frame, stride, size, [&](uint64_t offset, uint32_t active) {
        const auto first = static_cast<uint32_t>(__builtin_ctz(active));
        const uint32_t end = 32 - static_cast<uint32_t>(__builtin_clz(active));
        visit(offset + first, uint64_t(end - first));
    });
}

}  // namespace

void check_lanes_written(Instruction& instruction, const Frame& frame, Stride stride, const View& view,
                         uint32_t size) {
    instruction.require_aligned(view, 0, kBlockBytes);
    if (!frame.bits || core().launch.launch.fast) {
        return visit_ranges(frame, stride, size,
                            [&](uint64_t offset, uint64_t bytes) { instruction.write(view, offset, bytes); });
    }
    // The range of a block may hold lanes that the mask leaves out: those stay as written as they were.
    LocalMemory& memory = core().memory(view.kind);
    const uint64_t start = static_cast<uint64_t>(view.data - memory.base());
    visit_blocks(frame, stride, size, [&](uint64_t offset, uint32_t active) {
        const uint32_t first = static_cast<uint32_t>(__builtin_ctz(active));
        const uint32_t end = 32 - static_cast<uint32_t>(__builtin_clz(active));
        const uint64_t block = (start + offset) / kBlockBytes;
        const bool inside = start + offset + kBlockBytes <= memory.capacity();
        const auto before = inside ? memory.shadow(block) : LocalMemory::BlockShadow{};
        instruction.write(view, offset + first, end - first);
        memory.restore(block, ~active, before);
    });
}

namespace {

/// Bytes from the first byte of an operand to the end of its last block.
uint64_t extent(const Frame& frame, const LanePlaces& places) {
    const uint32_t lanes = frame.bits ? frame.lanes : std::max(frame.prefix, frame.tail);
    const uint64_t blocks = (uint64_t(lanes) * places.size + kBlockBytes - 1) / kBlockBytes;
    const uint64_t last =
        (frame.repeats - 1) * uint64_t(places.stride.repeat) + (blocks - 1) * uint64_t(places.stride.block);
    return (last + 1) * kBlockBytes;
}

/// Bytes of memory by 32-byte block: a bit for each.
using BytesByBlock = std::unordered_map<const uint8_t*, uint32_t>;

BytesByBlock bytes_of_repeat(const Frame& frame, uint32_t repeat, const LanePlaces& places) {
    BytesByBlock bytes;
    visit_blocks_of(frame, repeat, places.stride, places.size,
                    [&](uint64_t offset, uint32_t active) { bytes[places.view.data + offset] |= active; });
    return bytes;
}

bool share_bytes(const BytesByBlock& all, const BytesByBlock& some) {
    return std::any_of(some.begin(), some.end(), [&](const auto& block) {
        const auto other = all.find(block.first);
        return other != all.end() && (other->second & block.second) != 0;
    });
}

void report_overlap(const Instruction& instruction, const View& view, const char* how) {
    instruction.fail(rules::operand_overlap, {how, describe(view), "the same place, or apart"});
}

}  // namespace

void check_overlap(const Instruction& instruction, const Frame& frame, const LanePlaces& dst,
                   const LanePlaces& source, bool carries) {
    if (core().launch.launch.fast || frame.repeats == 0 || dst.view.kind != source.view.kind) return;
    const uint8_t* dst_end = dst.view.data + extent(frame, dst);
    const uint8_t* source_end = source.view.data + extent(frame, source);
    if (dst_end <= source.view.data || source_end <= dst.view.data) return;
    const bool same_start = dst.view.data == source.view.data;
    const bool one_block = frame.lanes * dst.size <= kBlockBytes;
    const bool same_lanes = dst.size == source.size && (dst.stride.block == source.stride.block || one_block);
    const bool same_place = same_start && same_lanes && dst.stride.repeat == source.stride.repeat;
    constexpr uint64_t kBlocks = 8;  // of a repeat
    const bool apart = dst.stride.repeat > (kBlocks - 1) * dst.stride.block;
    if (same_place && (frame.repeats == 1 || apart)) return;
    const bool stands_still = dst.stride.repeat == 0 || source.stride.repeat == 0;
    const bool may_carry = carries && stands_still;
    BytesByBlock written;
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        const BytesByBlock read = bytes_of_repeat(frame, repeat, source);
        const BytesByBlock result = bytes_of_repeat(frame, repeat, dst);
        if (!may_carry && share_bytes(written, read)) {
            return report_overlap(instruction, source.view,
                                  "a repeat reads what an earlier repeat of the same instruction writes");
        }
        // A repeat that narrows its elements where they lie has read all of them before it writes.
        const bool same_repeat = repeat == 0 || dst.stride.repeat == source.stride.repeat;
        const bool in_place = same_start && same_repeat && (same_lanes || dst.size < source.size);
        if (!in_place && share_bytes(result, read)) {
            return report_overlap(instruction, source.view,
                                  "a repeat writes a part of what it reads, or other lanes of it");
        }
        for (const auto& [block, bytes] : result) written[block] |= bytes;
    }
}

namespace {

/// Byte offset of a lane.
uint64_t lane_offset(uint32_t repeat, uint32_t lane, Stride stride, uint32_t size) {
    const uint32_t per_block = static_cast<uint32_t>(kBlockBytes) / size;
    const uint64_t blocks = uint64_t(repeat) * stride.repeat + uint64_t(lane / per_block) * stride.block;
    return blocks * kBlockBytes + uint64_t(lane % per_block) * size;
}

/// Calls `visit(repeat, lane)` for every active lane.
template <class Visit>
void visit_lanes(const Frame& frame, Visit&& visit) {
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        const uint32_t end = frame.bits ? frame.lanes : frame.active(repeat);
        for (uint32_t lane = 0; lane < end; ++lane) {
            if (!frame.bits || frame.lane(lane)) visit(repeat, lane);
        }
    }
}

}  // namespace

/// Takes the lanes of whose `bytes` bytes at `place(repeat, lane)` one was never written.
template <class Place>
void UnwrittenLanes::collect(const View& view, uint64_t bytes, Place place) {
    std::vector<Lane> lanes;
    visit_lanes(frame_, [&](uint32_t repeat, uint32_t lane) {
        const long unwritten = instruction_.first_unwritten(view, place(repeat, lane), bytes);
        if (unwritten < 0) return;
        lanes.push_back({repeat, lane, unwritten, instruction_.origin(view, unwritten)});
    });
    take(view, std::move(lanes), bytes);
}

void UnwrittenLanes::read(Stride stride, const View& view, uint32_t size) {
    instruction_.require_aligned(view, 0, kBlockBytes);
    bool unwritten = false;
    visit_ranges(frame_, stride, size, [&](uint64_t offset, uint64_t bytes) {
        instruction_.read_any(view, offset, bytes);
        unwritten = unwritten || instruction_.first_unwritten(view, offset, bytes) >= 0;
    });
    if (!unwritten) return;
    collect(view, size,
            [&](uint32_t repeat, uint32_t lane) { return lane_offset(repeat, lane, stride, size); });
}

void UnwrittenLanes::read_bits(const View& view, bool same) {
    if (frame_.repeats == 0) return;
    const auto place = [&](uint32_t repeat, uint32_t lane) {
        return (same ? uint64_t(lane) : uint64_t(repeat) * frame_.lanes + lane) / 8;
    };
    const uint32_t last = frame_.repeats - 1;
    const uint32_t lanes = frame_.bits || same ? frame_.lanes : frame_.active(last);
    const uint64_t bytes = place(last, lanes - 1) + 1;
    instruction_.require_aligned(view, 0, kBlockBytes);
    instruction_.read_any(view, 0, bytes);
    if (instruction_.first_unwritten(view, 0, bytes) >= 0) collect(view, 1, place);
}

void UnwrittenLanes::read_element(const View& view, uint64_t offset, uint32_t size, uint32_t repeat,
                                  uint32_t lane) {
    instruction_.read_any(view, offset, size);
    const long unwritten = instruction_.first_unwritten(view, offset, size);
    if (unwritten >= 0) lanes_.push_back({repeat, lane, unwritten, instruction_.origin(view, unwritten)});
}

/// Keeps the lanes for the result, or reports them at once when they are too many to be rounding.
void UnwrittenLanes::take(const View& view, std::vector<Lane> lanes, uint64_t bytes) {
    if (lanes.empty()) return;
    uint64_t longest = 0, run = 0, before = 0;
    for (const Lane& one : lanes) {
        const uint64_t number = uint64_t(one.repeat) * frame_.lanes + one.lane;
        run = run > 0 && number == before + 1 ? run + 1 : 1;
        before = number;
        longest = std::max(longest, run);
    }
    if (longest < kRoundedLanes && lanes.size() < frame_.elements()) {
        lanes_.insert(lanes_.end(), lanes.begin(), lanes.end());
        return;
    }
    report(view, lanes, bytes);
}

/// One finding for all `lanes`; `bytes` bytes of each count as written afterwards.
void UnwrittenLanes::report(const View& view, const std::vector<Lane>& lanes, uint64_t bytes) const {
    instruction_.report_unwritten(view,
                                  format("%llu elements, %zu of which nobody wrote",
                                         static_cast<unsigned long long>(frame_.elements()), lanes.size()),
                                  lanes.front().unwritten);
    LocalMemory& memory = core().memory(view.kind);
    for (const Lane& one : lanes) memory.mark_written(static_cast<size_t>(one.unwritten), bytes);
}

void UnwrittenLanes::report(const View& view) {
    if (lanes_.empty()) return;
    report(view, lanes_, 1);
    lanes_.clear();
}

void UnwrittenLanes::leave(Stride stride, const View& view, uint32_t size) const {
    if (lanes_.empty()) return;
    LocalMemory& memory = core().memory(view.kind);
    const uint64_t start = static_cast<uint64_t>(view.data - memory.base());
    for (const Lane& one : lanes_) {
        const uint64_t offset = lane_offset(one.repeat, one.lane, stride, size);
        memory.mark_unwritten(start + offset, size, one.origin);
    }
}

void UnwrittenLanes::leave_bits(const View& view) const {
    if (lanes_.empty()) return;
    LocalMemory& memory = core().memory(view.kind);
    const uint64_t start = static_cast<uint64_t>(view.data - memory.base());
    for (const Lane& one : lanes_) {
        const uint64_t bit = uint64_t(one.repeat) * frame_.lanes + one.lane;
        memory.mark_unwritten(start + bit / 8, 1, one.origin);
    }
}

}  // namespace twin
