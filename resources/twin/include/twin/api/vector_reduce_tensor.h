// Reductions over a whole tensor: ReduceSum, ReduceMax, ReduceMin.
#pragma once

#include "twin/api/vector_reduce.h"

namespace twin {

/// Reduction of a whole tensor: repeats first, then their results, as the library does with its work tensor.
template <class T>
T tensor_sum(const T* values, uint64_t count) {
    constexpr uint32_t kLanes = lanes_of(sizeof(T));
    std::vector<T> partial(values, values + count);
    while (partial.size() > 1) {
        std::vector<T> next;
        for (size_t first = 0; first < partial.size(); first += kLanes) {
            const auto members = static_cast<uint32_t>(std::min<size_t>(kLanes, partial.size() - first));
            next.push_back(tree_sum(partial.data() + first, members));
        }
        partial.swap(next);
    }
    return partial.empty() ? T(0.0f) : partial[0];
}

/// Sum of a whole tensor by one instruction: the sums of the repeats are added in their order, without a work
/// tensor.
template <class T>
T ordered_sum(const T* values, uint64_t count) {
    constexpr uint64_t kLanes = lanes_of(sizeof(T));
    T total(0.0f), repeat[kLanes];
    for (uint64_t first = 0; first < count; first += kLanes) {
        const auto members = static_cast<uint32_t>(std::min(kLanes, count - first));
        std::copy_n(values + first, members, repeat);
        const T sum = tree_sum(repeat, members);
        total = first == 0 ? sum : static_cast<T>(Compute<T>(total) + Compute<T>(sum));
    }
    return total;
}

/// Best value over all repeats of a masked reduction; see the repeat forms of ReduceMax.
template <bool maximum, class T>
void extreme_of_repeats(const char* call, const Site& site, const Frame& frame,
                        const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& work,
                        Operand<T> src, bool with_index) {
    constexpr uint32_t kLanes = lanes_of(sizeof(T));
    if (frame.repeats == 0) return;
    Instruction instruction(Pipe::V, call, site);
    check_read(instruction, frame, src);
    instruction.write_aligned(work.view(), 0, uint64_t(frame.repeats) * sizeof(T) * 2);
    const uint32_t result_bytes = sizeof(T) * (with_index ? 2 : 1);
    instruction.write_aligned(dst.view(), 0, result_bytes, result_bytes);
    issue_vector(instruction, kReduceRate, charged_elements(frame), sizeof(T));
    std::vector<T> values;
    std::vector<uint32_t> positions;
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        T members[kLanes];
        uint32_t lanes[kLanes];
        const uint32_t count = active_values(members, lanes, frame, repeat, src);
        for (uint32_t i = 0; i < count; ++i) {
            values.push_back(members[i]);
            positions.push_back(repeat * kLanes + lanes[i]);
        }
    }
    const auto best = find_extreme<maximum>(values.data(), static_cast<uint32_t>(values.size()));
    dst.data()[0] = best.value;
    if (with_index) dst.data()[1] = index_bits<T>(positions[best.index]);
}

/// Cycles of a whole-tensor reduction: one pass over the data and shrinking passes over the results.
inline void issue_tensor_reduce(Instruction& instruction, uint64_t elements, size_t bytes) {
    const double start = processor().vector_start_cycles;
    double cycles = 0;
    for (uint64_t left = elements; left > 1; left = (left + lanes_of(bytes) - 1) / lanes_of(bytes)) {
        cycles += start + static_cast<double>(left) / kReduceRate.per_cycle(bytes);
    }
    instruction.issue(cycles, start - processor().vector_issue_cycles);
    core().work.vector_ops += static_cast<double>(elements);
}

}  // namespace twin

namespace AscendC {

/// Sum of `count` elements into dst[0]. On this architecture it takes no work tensor, so one of any size will
/// do, and a count of zero writes nothing. Source: ReduceSum, ways of summing and constraints.
template <typename T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
               const int32_t count, const twin::Site& site = twin::Site::here()) {
    static_assert(twin::is_one_of<T, half, float>, "ReduceSum: half and float only");
    TWIN_CALL(dst, src, sharedTmpBuffer, count, site);
    static_cast<void>(sharedTmpBuffer);
    twin::Instruction instruction(twin::Pipe::V, "ReduceSum", site);
    const uint64_t elements = twin::checked_count(count, "ReduceSum", site);
    if (elements == 0) return;
    instruction.read_aligned(src.view(), 0, elements * sizeof(T));
    instruction.write_aligned(dst.view(), 0, sizeof(T), sizeof(T));
    twin::issue_tensor_reduce(instruction, elements, sizeof(T));
    dst.data()[0] = twin::ordered_sum(src.data(), elements);
    twin::keep_sum(static_cast<float>(dst.data()[0]));
}

#define TWIN_REDUCE_EXTREME(NAME, MAXIMUM)                                                               \
    template <typename T>                                                                                \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work,          \
              const int32_t count, bool calIndex = false, const twin::Site& site = twin::Site::here()) { \
        static_assert(twin::is_one_of<T, half, float>, #NAME ": half and float only");                   \
        TWIN_CALL(dst, src, work, count, calIndex, site);                                                \
        twin::Instruction instruction(twin::Pipe::V, #NAME, site);                                       \
        const uint64_t elements = twin::checked_count(count, #NAME, site);                               \
        if (elements == 0) return;                                                                       \
        instruction.read_aligned(src.view(), 0, elements * sizeof(T));                                   \
        const uint64_t repeats = (elements + twin::lanes_of(sizeof(T)) - 1) / twin::lanes_of(sizeof(T)); \
        instruction.write_aligned(work.view(), 0, repeats * sizeof(T) * 2);                              \
        const uint32_t result_bytes = sizeof(T) * (calIndex ? 2 : 1);                                    \
        instruction.write_aligned(dst.view(), 0, result_bytes, result_bytes);                            \
        twin::issue_tensor_reduce(instruction, elements, sizeof(T));                                     \
        const auto best = twin::find_extreme<MAXIMUM>(src.data(), static_cast<uint32_t>(elements));      \
        dst.data()[0] = best.value;                                                                      \
        twin::keep_extreme(static_cast<float>(best.value), best.index);                                  \
        if (calIndex) dst.data()[1] = twin::index_bits<T>(best.index);                                   \
    }

TWIN_REDUCE_EXTREME(ReduceMax, true)
TWIN_REDUCE_EXTREME(ReduceMin, false)

#undef TWIN_REDUCE_EXTREME

// Repeat forms with a count mask or a bit mask. The index counts elements of whole repeats.
#define TWIN_REDUCE_EXTREME_MASKED(NAME, MAXIMUM)                                                           \
    template <typename T>                                                                                   \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work,             \
              twin::Mask mask, const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = false, \
              const twin::Site& site = twin::Site::here()) {                                                \
        static_assert(twin::is_one_of<T, half, float>, #NAME ": half and float only");                      \
        TWIN_CALL(dst, src, work, mask, repeatTime, srcRepStride, calIndex, site);                          \
        const auto frame = twin::make_frame<true>(mask, static_cast<uint32_t>(repeatTime),                  \
                                                  twin::lanes_of(sizeof(T)), #NAME, site);                  \
        twin::extreme_of_repeats<MAXIMUM>(#NAME, site, frame, dst, work,                                    \
                                          twin::Operand<T>{src, {1, uint32_t(srcRepStride)}}, calIndex);    \
    }

TWIN_REDUCE_EXTREME_MASKED(ReduceMax, true)
TWIN_REDUCE_EXTREME_MASKED(ReduceMin, false)

#undef TWIN_REDUCE_EXTREME_MASKED

// Repeat forms of the sum: one result for each repeat in the work tensor, which are then added in pairs.
template <typename T>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work,
               twin::Mask mask, const int32_t repeatTime, const int32_t srcRepStride,
               const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, work, mask, repeatTime, srcRepStride, site);
    const auto frame = twin::make_frame<true>(mask, static_cast<uint32_t>(repeatTime),
                                              twin::lanes_of(sizeof(T)), "ReduceSum", site);
    if (frame.repeats == 0) return;
    twin::whole_sum("ReduceSum", site, frame, work, 1, twin::Operand<T>{src, {1, uint32_t(srcRepStride)}});
    twin::Instruction instruction(twin::Pipe::V, "ReduceSum", site);
    const uint64_t sums = frame.repeats;
    instruction.read_aligned(work.view(), 0, sums * sizeof(T));
    instruction.write_aligned(dst.view(), 0, sizeof(T), sizeof(T));
    twin::issue_tensor_reduce(instruction, sums, sizeof(T));
    dst.data()[0] = twin::tensor_sum(work.data(), sums);
    twin::keep_sum(static_cast<float>(dst.data()[0]));
}

}  // namespace AscendC
