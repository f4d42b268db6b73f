// Definitions of api/vector_frame.h: the ranges a vector instruction touches. Part of twin/device.h.
#pragma once

#include <algorithm>

#include "twin/api/vector_frame.h"

namespace twin {

/// Calls `visit(offset, bytes)` for the byte ranges of `frame` with elements of `size` bytes.
template <class Visit>
void visit_ranges(const Frame& frame, Stride stride, uint32_t size, Visit&& visit) {
    const uint32_t per_block = static_cast<uint32_t>(kBlockBytes) / size;
    const uint64_t repeat_bytes = uint64_t(stride.repeat) * kBlockBytes;
    if (is_packed(frame, stride, size)) return visit(uint64_t(0), frame.elements() * size);
    if (!frame.bits && stride.block == 1) {
        for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
            visit(repeat * repeat_bytes, uint64_t(frame.active(repeat)) * size);
        }
        return;
    }
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        for (uint32_t first = 0; first < frame.lanes; first += per_block) {
            uint32_t begin = first, end = std::min(first + per_block, frame.lanes);
            if (frame.bits) {
                while (begin < end && !frame.lane(begin)) ++begin;
                while (end > begin && !frame.lane(end - 1)) --end;
            } else {
                end = std::min(end, frame.active(repeat));
            }
            if (begin >= end) continue;
            const uint64_t block =
                repeat * repeat_bytes + uint64_t(first / per_block) * stride.block * kBlockBytes;
            visit(block + uint64_t(begin - first) * size, uint64_t(end - begin) * size);
        }
    }
}

bool is_packed(const Frame& frame, Stride stride, uint32_t size) {
    if (frame.bits || stride.block != 1) return false;
    const bool whole = frame.prefix == frame.lanes;
    return frame.repeats == 1 ||
           (whole && uint64_t(stride.repeat) * kBlockBytes == uint64_t(frame.lanes) * size);
}

void check_lanes_read(Instruction& instruction, const Frame& frame, Stride stride, const View& view,
                      uint32_t size, bool by_lane) {
    instruction.require_aligned(view, 0, kBlockBytes);
    if (by_lane && is_packed(frame, stride, size))
        return instruction.read_lanes(view, frame.elements(), 8 * size);
    visit_ranges(frame, stride, size,
                 [&](uint64_t offset, uint64_t bytes) { instruction.read(view, offset, bytes); });
}

void check_lanes_written(Instruction& instruction, const Frame& frame, Stride stride, const View& view,
                         uint32_t size) {
    instruction.require_aligned(view, 0, kBlockBytes);
    visit_ranges(frame, stride, size,
                 [&](uint64_t offset, uint64_t bytes) { instruction.write(view, offset, bytes); });
}

}  // namespace twin
