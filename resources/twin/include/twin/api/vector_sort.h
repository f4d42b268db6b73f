// Sorting: 32-element sorts, merges of sorted lists, and the library calls on top of them.
//
// A sorted element is a pair of 8 bytes: the value (a half is followed by two unused bytes) and a 32-bit
// index. All orders are descending and stable.
#pragma once

#include "twin/api/vector_frame.h"

namespace twin {

template <class T>
struct Scored {
    T value;
    uint32_t index;
};

constexpr uint32_t kScoredBytes = 8;

template <class T>
void write_scored(uint8_t* target, const Scored<T>& element) {
    std::memset(target, 0, kScoredBytes);
    std::memcpy(target, static_cast<const void*>(&element.value), sizeof(T));
    std::memcpy(target + 4, &element.index, 4);
}
template <class T>
Scored<T> read_scored(const uint8_t* source) {
    Scored<T> element;
    std::memcpy(static_cast<void*>(&element.value), source, sizeof(T));
    std::memcpy(&element.index, source + 4, 4);
    return element;
}
/// Largest (or smallest) first; NaN before every number in both orders, so that numbers keep theirs. Source:
/// TopK, constraints; Sort32 and MrgSort say nothing of NaN.
template <bool largest = true>
bool precedes(float a, float b) {
    if (a != a || b != b) return a != a && b == b;
    return largest ? a > b : a < b;
}
template <class T>
bool sorts_before(const Scored<T>& a, const Scored<T>& b) {
    return precedes(static_cast<float>(a.value), static_cast<float>(b.value));
}

/// Sorts `groups` groups of `members` elements each.
template <class T>
void sort_groups(const char* call, const Site& site, const AscendC::LocalTensor<T>& dst,
                 const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<uint32_t>& index,
                 uint64_t groups, uint64_t members) {
    static_assert(is_one_of<T, half, float>, "sorting: half and float only");
    const uint64_t elements = groups * members;
    Instruction instruction(Pipe::V, call, site);
    instruction.read_aligned(src.view(), 0, elements * sizeof(T));
    instruction.read_aligned(index.view(), 0, elements * sizeof(uint32_t));
    instruction.write_aligned(dst.view(), 0, elements * kScoredBytes);
    uint64_t passes = 1;  // of Sort32; what is longer is merged, four lists into one
    for (uint64_t sorted = 32; sorted < members; sorted *= 4) ++passes;
    issue_vector(instruction, kSortRate, passes * elements, sizeof(T));
    std::vector<Scored<T>> list(elements);
    for (uint64_t i = 0; i < elements; ++i) list[i] = {src.data()[i], index.data()[i]};
    for (uint64_t group = 0; group < groups; ++group) {
        const auto first = list.begin() + static_cast<int64_t>(group * members);
        std::stable_sort(first, first + static_cast<int64_t>(members), sorts_before<T>);
    }
    for (uint64_t i = 0; i < elements; ++i) write_scored(dst.view().data + i * kScoredBytes, list[i]);
}

}  // namespace twin

namespace AscendC {

template <typename T>
void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
            const int32_t repeatTime, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src0, src1, repeatTime, site);
    twin::sort_groups("Sort32", site, dst, src0, src1, twin::checked_repeats(repeatTime, "Sort32", site), 32);
}

template <typename T>
struct MrgSortSrcList {
    LocalTensor<T> src1, src2, src3, src4;
    MrgSortSrcList() = default;
    MrgSortSrcList(const LocalTensor<T>& first, const LocalTensor<T>& second, const LocalTensor<T>& third,
                   const LocalTensor<T>& fourth)
        : src1(first), src2(second), src3(third), src4(fourth) {}
};

struct MrgSort4Info {
    uint16_t elementLengths[4] = {0, 0, 0, 0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0b1111;
    uint8_t repeatTimes = 1;
    MrgSort4Info() = default;
    MrgSort4Info(const uint16_t lengths[4], bool suspend, uint16_t valid, uint16_t repeats)
        : ifExhaustedSuspension(suspend), validBit(valid), repeatTimes(static_cast<uint8_t>(repeats)) {
        for (int i = 0; i < 4; ++i) elementLengths[i] = lengths[i];
    }
};

}  // namespace AscendC

namespace twin {

/// Four lists lie one behind the other, have one length and are all merged to their ends: then the
/// instruction repeats.
template <class T>
bool merges_repeat(const AscendC::LocalTensor<T>* const lists[4], const uint16_t lengths[4], uint16_t valid,
                   bool suspends) {
    bool repeats = valid == 0b1111 && !suspends;
    for (int i = 1; i < 4; ++i) {
        const auto apart = lists[i]->view().data - lists[i - 1]->view().data;
        repeats =
            repeats && lengths[i] == lengths[0] && apart == static_cast<ptrdiff_t>(lengths[0] * kScoredBytes);
    }
    return repeats;
}

/// One merge of lists that begin `offset` bytes behind their tensors; `taken` returns how far each was used.
template <class T>
void merge_lists(Instruction& instruction, const View& target, const AscendC::LocalTensor<T>* const lists[4],
                 const uint16_t lengths[4], uint16_t valid, bool suspends, uint64_t offset,
                 uint32_t taken[4]) {
    std::vector<std::vector<Scored<T>>> queues(4);
    uint64_t total = 0;
    for (int i = 0; i < 4; ++i) {
        taken[i] = 0;
        if ((valid >> i & 1) == 0) continue;
        instruction.read_aligned(lists[i]->view(), offset, uint64_t(lengths[i]) * kScoredBytes, 8);
        for (uint64_t k = 0; k < lengths[i]; ++k) {
            queues[i].push_back(read_scored<T>(lists[i]->view().data + offset + k * kScoredBytes));
        }
        total += lengths[i];
    }
    std::vector<Scored<T>> merged;
    while (merged.size() < total) {
        int best = -1;
        for (int i = 0; i < 4; ++i) {
            if (taken[i] >= queues[i].size()) continue;
            if (best < 0 || sorts_before(queues[i][taken[i]], queues[best][taken[best]])) best = i;
        }
        merged.push_back(queues[best][taken[best]++]);
        if (suspends && taken[best] == queues[best].size()) break;
    }
    instruction.write_aligned(target, offset, merged.size() * kScoredBytes, 8);
    for (size_t i = 0; i < merged.size(); ++i)
        write_scored(target.data + offset + i * kScoredBytes, merged[i]);
}

/// Four numbers: of the elements of each list, or of those a merge used.
struct FourCounts {
    uint32_t of[4] = {};
};

constexpr uint32_t kMostMerged = 4095;  // [guide] MrgSort: elements of a list

/// Merges up to four sorted lists, or several groups of four; returns how far each was used.
template <class T, bool suspends>
FourCounts merge_groups(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& first,
                        const AscendC::LocalTensor<T>& second, const AscendC::LocalTensor<T>& third,
                        const AscendC::LocalTensor<T>& fourth, const FourCounts& counts, uint16_t valid,
                        int32_t repeat_time, const Site& site) {
    TWIN_ASK(FourCounts, dst, first, second, third, fourth, counts, valid, repeat_time, site);
    Instruction instruction(Pipe::V, "MrgSort", site);
    const AscendC::LocalTensor<T>* lists[4] = {&first, &second, &third, &fourth};
    uint16_t lengths[4];
    uint64_t elements = 0;
    for (int i = 0; i < 4; ++i) {
        lengths[i] = static_cast<uint16_t>(counts.of[i]);
        if ((valid >> i & 1) != 0 && lengths[i] > kMostMerged) {
            instruction.fail(
                rules::vector_limit,
                {format("list %d has %u elements, of which MrgSort takes %u", i, lengths[i], kMostMerged), "",
                 format("%u elements", kMostMerged)});
        }
        elements += (valid >> i & 1) != 0 ? lengths[i] : 0;
    }
    const bool repeats = merges_repeat(lists, lengths, valid, suspends);
    const uint64_t groups = repeats ? checked_repeats(repeat_time, "MrgSort", site) : 1;
    FourCounts taken;
    for (uint64_t group = 0; group < groups; ++group) {
        merge_lists(instruction, dst.view(), lists, lengths, valid, suspends, group * elements * kScoredBytes,
                    taken.of);
    }
    for (size_t i = 0; i < 4; ++i) core().vector.merged_counts[i] = static_cast<uint16_t>(taken.of[i]);
    core().vector.merged_by = vector_instruction();
    issue_vector(instruction, kSortRate, groups * elements, sizeof(T));
    return taken;
}

/// What the register says of the last merge.
inline FourCounts last_merge(const char* call, const Site& site) {
    TWIN_ASK(FourCounts, call, site);
    take_register(core().vector.merged_by, call, site);
    FourCounts taken;
    for (size_t i = 0; i < 4; ++i) taken.of[i] = core().vector.merged_counts[i];
    return taken;
}

/// MrgSort of lists with these lengths.
template <class T, bool suspends>
FourCounts merge(const AscendC::LocalTensor<T>& dst, const AscendC::MrgSortSrcList<T>& sources,
                 const uint16_t lengths[4], uint16_t valid, int32_t repeat_time, const Site& site) {
    FourCounts counts;
    std::copy(lengths, lengths + 4, counts.of);
    return merge_groups<T, suspends>(dst, sources.src1, sources.src2, sources.src3, sources.src4, counts,
                                     valid, repeat_time, site);
}

}  // namespace twin

namespace AscendC {

/// Merges up to four sorted lists, or several groups of four. Where it ends with a list, the register is
/// read.
template <typename T, bool isExhaustedSuspension = false>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sources, const uint16_t elementCountList[4],
             uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTime,
             const twin::Site& site = twin::Site::here()) {
    if (repeatTime <= 0) return;
    auto taken =
        twin::merge<T, isExhaustedSuspension>(dst, sources, elementCountList, validBit, repeatTime, site);
    if (isExhaustedSuspension) taken = twin::last_merge("MrgSort", site);
    std::copy(taken.of, taken.of + 4, sortedNum);
}

template <typename T>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params,
             const twin::Site& site = twin::Site::here()) {
    if (params.repeatTimes == 0) return;
    if (params.ifExhaustedSuspension) {
        twin::merge<T, true>(dst, src, params.elementLengths, params.validBit, params.repeatTimes, site);
    } else {
        twin::merge<T, false>(dst, src, params.elementLengths, params.validBit, params.repeatTimes, site);
    }
}

/// How many elements of each list the last MrgSort used, which with ifExhaustedSuspension ends with a list.
inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                             uint16_t& mrgSortList4, const twin::Site& site = twin::Site::here()) {
    const twin::FourCounts taken = twin::last_merge("GetMrgSortResult", site);
    mrgSortList1 = static_cast<uint16_t>(taken.of[0]), mrgSortList2 = static_cast<uint16_t>(taken.of[1]);
    mrgSortList3 = static_cast<uint16_t>(taken.of[2]), mrgSortList4 = static_cast<uint16_t>(taken.of[3]);
}

/// Splits pairs into values and indices; 32 pairs per repeat.
template <typename T>
void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex,
             const LocalTensor<T>& sorted, const int32_t repeatTime,
             const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dstValue, dstIndex, sorted, repeatTime, site);
    const uint64_t elements = uint64_t(repeatTime) * 32;
    twin::Instruction instruction(twin::Pipe::V, "Extract", site);
    instruction.read_aligned(sorted.view(), 0, elements * twin::kScoredBytes);
    instruction.write_aligned(dstValue.view(), 0, elements * sizeof(T));
    instruction.write_aligned(dstIndex.view(), 0, elements * sizeof(uint32_t));
    twin::issue_vector(instruction, twin::kGatherMaskRate, elements * 2, sizeof(T));
    std::vector<twin::Scored<T>> list(elements);
    for (uint64_t i = 0; i < elements; ++i) {
        list[i] = twin::read_scored<T>(sorted.view().data + i * twin::kScoredBytes);
    }
    for (uint64_t i = 0; i < elements; ++i) {
        dstValue.data()[i] = list[i].value;
        dstIndex.data()[i] = list[i].index;
    }
}

/// On this architecture the values need no conversion before sorting.
template <typename T>
void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>& tmp,
            const int32_t repeatTime) {
    static_cast<void>(tmp);
    static_cast<void>(repeatTime);
    concat = src;
}

/// Sorts groups of 32, or with isFullSort all of them together.
template <typename T, bool isFullSort>
void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index,
          LocalTensor<T>& tmp, const int32_t repeatTime, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, concat, index, tmp, repeatTime, site);
    static_cast<void>(tmp);
    const auto repeats = static_cast<uint64_t>(repeatTime);
    twin::sort_groups("Sort", site, dst, concat, index, isFullSort ? 1 : repeats,
                      isFullSort ? repeats * 32 : 32);
}

template <typename T>
uint32_t GetSortOffset(const uint32_t elemOffset) {
    return elemOffset * twin::kScoredBytes / sizeof(T);
}
template <typename T>
uint32_t GetSortLen(const uint32_t elemCount) {
    return elemCount * twin::kScoredBytes / sizeof(T);
}

}  // namespace AscendC
