// Reductions inside a repeat: whole, block, pair.
#pragma once

#include "twin/api/vector_fill.h"

namespace twin {

/// Sum of the active lanes the way the vector unit adds them: neighbours first, rounding after every
/// addition.
template <class T>
T tree_sum(T* values, uint32_t count) {
    if (count == 0) return T(0.0f);
    while (count > 1) {
        const uint32_t pairs = count / 2;
        for (uint32_t i = 0; i < pairs; ++i) {
            values[i] = static_cast<T>(Compute<T>(values[2 * i]) + Compute<T>(values[2 * i + 1]));
        }
        if (count % 2 != 0) values[pairs] = values[count - 1];
        count = pairs + count % 2;
    }
    return values[0];
}

/// Whether `candidate` takes the place of `current` as the largest (smallest) value: NaN before every number,
/// the first of equal ones stays.
template <bool maximum, class Number>
bool is_more_extreme(Number candidate, Number current) {
    if (current != current) return false;
    return candidate != candidate || (maximum ? candidate > current : candidate < current);
}

/// Best value and its position.
template <class T>
struct Extreme {
    T value;
    uint32_t index;
};
template <bool maximum, class T>
Extreme<T> find_extreme(const T* values, uint32_t count) {
    Extreme<T> best{values[0], 0};
    for (uint32_t i = 1; i < count; ++i) {
        if (is_more_extreme<maximum>(Compute<T>(values[i]), Compute<T>(best.value))) best = {values[i], i};
    }
    return best;
}

/// Active lanes of one repeat, packed to the front; `lanes` returns their positions.
template <class T>
uint32_t active_values(T* values, uint32_t* lanes, const Frame& frame, uint32_t repeat,
                       const Operand<T>& src) {
    constexpr uint32_t kLanes = lanes_of(sizeof(T));
    T all[kLanes] = {};
    load_lanes(all, frame, repeat, src);
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
        const bool active = frame.bits ? frame.lane(lane) : lane < frame.active(repeat);
        if (!active) continue;
        values[count] = all[lane];
        lanes[count++] = lane;
    }
    return count;
}

/// Stores an index next to a value of the same type: as the raw bits of an unsigned integer of that size.
template <class T>
T index_bits(uint32_t index) {
    T value;
    if constexpr (sizeof(T) == 2) {
        const auto narrow = static_cast<uint16_t>(index);
        std::memcpy(static_cast<void*>(&value), &narrow, sizeof value);
    } else {
        std::memcpy(static_cast<void*>(&value), &index, sizeof value);
    }
    return value;
}

/// Runs `reduce(values, lanes, count, out)` for every repeat; `out` gets `results` elements at dst + repeat *
/// step.
template <class T, class Reduce>
void reduce_repeats(const char* call, const Site& site, const Frame& frame,
                    const AscendC::LocalTensor<T>& dst, uint32_t step, uint32_t results, Operand<T> src,
                    Reduce reduce) {
    constexpr uint32_t kLanes = lanes_of(sizeof(T));
    Instruction instruction(Pipe::V, call, site);
    check_read(instruction, frame, src);
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        instruction.write(dst.view(), uint64_t(repeat) * step * sizeof(T), results * sizeof(T));
    }
    issue_vector(instruction, kReduceRate, charged_elements(frame), sizeof(T));
    std::vector<T> out(uint64_t(frame.repeats) * results);
    T values[kLanes];
    uint32_t lanes[kLanes];
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        const uint32_t count = active_values(values, lanes, frame, repeat, src);
        reduce(values, lanes, count, out.data() + uint64_t(repeat) * results);
    }
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        std::copy_n(out.data() + uint64_t(repeat) * results, results, dst.data() + uint64_t(repeat) * step);
    }
}

template <class T>
void whole_sum(const char* call, const Site& site, const Frame& frame, const AscendC::LocalTensor<T>& dst,
               uint32_t step, Operand<T> src) {
    static_assert(is_one_of<T, half, float>, "WholeReduceSum: half and float only");
    reduce_repeats(
        call, site, frame, dst, step, 1, src,
        [](T* values, const uint32_t*, uint32_t count, T* out) { *out = tree_sum(values, count); });
}

template <bool maximum, class T>
void whole_extreme(const char* call, const Site& site, const Frame& frame, const AscendC::LocalTensor<T>& dst,
                   uint32_t step, Operand<T> src, AscendC::ReduceOrder order) {
    static_assert(is_one_of<T, half, float>, "WholeReduceMax/Min: half and float only");
    using Order = AscendC::ReduceOrder;
    const uint32_t results = order == Order::ORDER_ONLY_VALUE || order == Order::ORDER_ONLY_INDEX ? 1 : 2;
    uint32_t passed = 0;  // repeats before this one; the registers hold the extreme of all of them
    reduce_repeats(call, site, frame, dst, step * results, results, src,
                   [&](T* values, const uint32_t* lanes, uint32_t count, T* out) {
                       const auto best = find_extreme<maximum>(values, count);
                       const T position = index_bits<T>(lanes[best.index]);
                       const double value = static_cast<float>(best.value), kept = core().vector.reduce_value;
                       if (passed == 0 || is_more_extreme<maximum>(value, kept)) {
                           keep_extreme(value, passed * lanes_of(sizeof(T)) + lanes[best.index]);
                       }
                       ++passed;
                       if (order == Order::ORDER_ONLY_VALUE) {
                           out[0] = best.value;
                       } else if (order == Order::ORDER_ONLY_INDEX) {
                           out[0] = position;
                       } else {
                           out[order == Order::ORDER_VALUE_INDEX ? 0 : 1] = best.value;
                           out[order == Order::ORDER_VALUE_INDEX ? 1 : 0] = position;
                       }
                   });
}

/// One result per 32-byte block: eight per repeat.
template <class T, class Reduce>
void block_reduce(const char* call, const Site& site, const Frame& frame, const AscendC::LocalTensor<T>& dst,
                  uint32_t dst_repeat, Operand<T> src, Reduce reduce) {
    static_assert(is_one_of<T, half, float>, "BlockReduce: half and float only");
    constexpr uint32_t kPerBlock = kBlockBytes / sizeof(T), kBlocks = 8;
    reduce_repeats(call, site, frame, dst, dst_repeat * kBlocks, kBlocks, src,
                   [&](T* values, const uint32_t* lanes, uint32_t count, T* out) {
                       for (uint32_t block = 0; block < kBlocks; ++block) {
                           T members[kPerBlock];
                           uint32_t found = 0;
                           for (uint32_t i = 0; i < count; ++i) {
                               if (lanes[i] / kPerBlock == block) members[found++] = values[i];
                           }
                           out[block] = found == 0 ? T(0.0f) : reduce(members, found);
                       }
                   });
}

struct BlockSum {
    template <class T>
    T operator()(T* values, uint32_t count) const {
        return tree_sum(values, count);
    }
};
template <bool maximum>
struct BlockExtreme {
    template <class T>
    T operator()(T* values, uint32_t count) const {
        return find_extreme<maximum>(values, count).value;
    }
};

}  // namespace twin

namespace AscendC {

template <typename T, bool isSetMask = true>
void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, twin::Mask mask,
                    const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                    const int32_t srcRepStride, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, site);
    const auto frame =
        twin::make_frame<isSetMask>(mask, twin::checked_repeats(repeatTime, "WholeReduceSum", site),
                                    twin::lanes_of(sizeof(T)), "WholeReduceSum", site);
    twin::whole_sum("WholeReduceSum", site, frame, dst, static_cast<uint32_t>(dstRepStride),
                    twin::Operand<T>{src, {uint32_t(srcBlkStride), uint32_t(srcRepStride)}});
}
template <typename T, bool isSetMask = true>
void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                     twin::Mask mask, const int32_t dstBlkStride, const int32_t srcBlkStride,
                     const int32_t dstRepStride, const int32_t srcRepStride,
                     const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, repeatTime, mask, dstBlkStride, srcBlkStride, dstRepStride, srcRepStride, site);
    static_cast<void>(dstBlkStride);
    const auto frame =
        twin::make_frame<isSetMask>(mask, twin::checked_repeats(repeatTime, "RepeatReduceSum", site),
                                    twin::lanes_of(sizeof(T)), "RepeatReduceSum", site);
    twin::whole_sum("RepeatReduceSum", site, frame, dst, static_cast<uint32_t>(dstRepStride),
                    twin::Operand<T>{src, {uint32_t(srcBlkStride), uint32_t(srcRepStride)}});
}
template <typename T, bool isSetMask = true>
void WholeReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, twin::Mask mask,
                    const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                    const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                    const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order, site);
    const auto frame =
        twin::make_frame<isSetMask>(mask, twin::checked_repeats(repeatTime, "WholeReduceMax", site),
                                    twin::lanes_of(sizeof(T)), "WholeReduceMax", site);
    twin::whole_extreme<true>("WholeReduceMax", site, frame, dst, static_cast<uint32_t>(dstRepStride),
                              twin::Operand<T>{src, {uint32_t(srcBlkStride), uint32_t(srcRepStride)}}, order);
}
template <typename T, bool isSetMask = true>
void WholeReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, twin::Mask mask,
                    const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                    const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                    const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order, site);
    const auto frame =
        twin::make_frame<isSetMask>(mask, twin::checked_repeats(repeatTime, "WholeReduceMin", site),
                                    twin::lanes_of(sizeof(T)), "WholeReduceMin", site);
    twin::whole_extreme<false>("WholeReduceMin", site, frame, dst, static_cast<uint32_t>(dstRepStride),
                               twin::Operand<T>{src, {uint32_t(srcBlkStride), uint32_t(srcRepStride)}},
                               order);
}

#define TWIN_BLOCK_REDUCE(NAME, REDUCE)                                                                      \
    template <typename T, bool isSetMask = true>                                                             \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,                \
              twin::Mask mask, const int32_t dstRepStride, const int32_t srcBlkStride,                       \
              const int32_t srcRepStride, const twin::Site& site = twin::Site::here()) {                     \
        TWIN_CALL(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride, site);               \
        const auto frame = twin::make_frame<isSetMask>(mask, twin::checked_repeats(repeatTime, #NAME, site), \
                                                       twin::lanes_of(sizeof(T)), #NAME, site);              \
        twin::block_reduce(#NAME, site, frame, dst, static_cast<uint32_t>(dstRepStride),                     \
                           twin::Operand<T>{src, {uint32_t(srcBlkStride), uint32_t(srcRepStride)}},          \
                           REDUCE{});                                                                        \
    }

TWIN_BLOCK_REDUCE(BlockReduceSum, twin::BlockSum)
TWIN_BLOCK_REDUCE(BlockReduceMax, twin::BlockExtreme<true>)
TWIN_BLOCK_REDUCE(BlockReduceMin, twin::BlockExtreme<false>)

#undef TWIN_BLOCK_REDUCE

template <typename T, bool isSetMask = true>
void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                   twin::Mask mask, const int32_t dstRepStride, const int32_t srcBlkStride,
                   const int32_t srcRepStride, const twin::Site& site = twin::Site::here()) {
    static_assert(twin::is_one_of<T, half, float>, "PairReduceSum: half and float only");
    TWIN_CALL(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride, site);
    constexpr uint32_t kPairs = twin::lanes_of(sizeof(T)) / 2;
    const auto frame =
        twin::make_frame<isSetMask>(mask, twin::checked_repeats(repeatTime, "PairReduceSum", site),
                                    twin::lanes_of(sizeof(T)), "PairReduceSum", site);
    twin::reduce_repeats("PairReduceSum", site, frame, dst, static_cast<uint32_t>(dstRepStride) * kPairs,
                         kPairs, twin::Operand<T>{src, {uint32_t(srcBlkStride), uint32_t(srcRepStride)}},
                         [](T* values, const uint32_t* lanes, uint32_t count, T* out) {
                             for (uint32_t pair = 0; pair < kPairs; ++pair) out[pair] = T(0.0f);
                             for (uint32_t i = 0; i < count; ++i) out[lanes[i] / 2] += values[i];
                         });
}

}  // namespace AscendC
