// Values the documentation fixes and a simulation gets wrong easily: NaN, masks without a lane.
#include "case.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

/// Largest and smallest value of one repeat of 64 with its place, by every instruction that looks for it.
template <bool largest>
void extremes(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0);
    auto c = ub.load<float>(run, 1);
    auto work = ub.make<float>(64);
    auto blocks = ub.make<float>(64);
    const auto order = ReduceOrder::ORDER_VALUE_INDEX;
    if (largest) {
        WholeReduceMax(c, a, 64, 1, 1, 1, 8, order);
        ReduceMax(c[8], a, work, 64, true);
        ReduceMax(c[16], a, work, 64, 1, 8, true);
        BlockReduceMax(blocks, a, 1, 64, 1, 1, 8);
        WholeReduceMax(c[24], blocks, 8, 1, 1, 1, 8, order);
        Max(blocks, a, a[32], 32);
    } else {
        WholeReduceMin(c, a, 64, 1, 1, 1, 8, order);
        ReduceMin(c[8], a, work, 64, true);
        ReduceMin(c[16], a, work, 64, 1, 8, true);
        BlockReduceMin(blocks, a, 1, 64, 1, 1, 8);
        WholeReduceMin(c[24], blocks, 8, 1, 1, 1, 8, order);
        Min(blocks, a, a[32], 32);
    }
    ReduceSum(c[32], blocks, work, 32);  // NaN when one of the pairs has it
    ub.store(run, 1, c);
}
CASE("extremes/largest", extremes<true>)
CASE("extremes/smallest", extremes<false>)

/// 64 values sorted in two groups of 32, which are then merged.
template <class T>
void sorted(const Case& run) {
    constexpr uint32_t kAll = 64, kGroup = 32;
    Scratch ub;
    auto values = ub.load<T>(run, 0);
    auto places = ub.load<uint32_t>(run, 1);
    auto pairs = ub.make<T>(GetSortLen<T>(kAll));
    auto merged = ub.make<T>(GetSortLen<T>(kAll));
    auto out = ub.load<T>(run, 2);
    auto order = ub.load<uint32_t>(run, 3);
    Sort32(pairs, values, places, kAll / kGroup);
    const uint16_t lengths[4] = {kGroup, kGroup, 0, 0};
    const LocalTensor<T> second = pairs[GetSortLen<T>(kGroup)];
    MrgSort(merged, MrgSortSrcList<T>(pairs, second, pairs, pairs), MrgSort4Info(lengths, false, 0b11, 1));
    Extract(out, order, merged, kAll / kGroup);
    ub.store(run, 2, out);
    ub.store(run, 3, order);
}
CASE("sorted/float", sorted<float>)
CASE("sorted/half", sorted<half>)

/// Instructions of every kind under a mask without a lane, as a count and as bits.
void masked_out(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0);
    auto c = ub.load<float>(run, 1);
    const uint64_t none[2] = {0, 0};
    const UnaryRepeatParams one{1, 1, 8, 8};
    const BinaryRepeatParams two{1, 1, 1, 8, 8, 8};
    Adds(c, a, 1.0f, uint64_t(0), 1, one);
    Adds(c, a, 1.0f, none, 1, one);
    Mul(c, a, a, none, 1, two);
    Duplicate(c, 5.0f, uint64_t(0), 1, 1, 8);
    Cast(c.ReinterpretCast<int32_t>(), a, RoundMode::CAST_RINT, none, 1, one);
    WholeReduceSum(c, a, none, 1, 1, 1, 8);
    WholeReduceMax(c, a, none, 1, 1, 1, 8);
    BlockReduceSum(c, a, 1, none, 1, 1, 8);
    PairReduceSum(c, a, 1, none, 1, 1, 8);
    ReduceSum(c, a, c[32], none, 1, 8);
    ReduceMax(c, a, c[32], none, 1, 8, true);
    Compare(c.ReinterpretCast<uint8_t>(), a, a, CMPMODE::EQ, none, 1, two);
    Copy(c, a, none, 1, {1, 1, 8, 8});
    SetVectorMask<float>(0, 0);
    Exp<float, false>(c, a, MASK_PLACEHOLDER, 1, one);
    ResetMask();
    ub.store(run, 1, c);
}
CASE("masked_out", masked_out)

/// The largest (smallest) of two inputs by atomic copies, in the order of the parameters.
template <bool largest>
void atomic_extreme(const Case& run) {
    Scratch ub;
    auto out = run.gm<float>(2);
    auto first = ub.load<float>(run, 0);
    auto second = ub.load<float>(run, 1);
    DataCopy(out, first, run.count<float>(0));
    PipeBarrier<PIPE_ALL>();
    if (largest) SetAtomicMax<float>();
    if (!largest) SetAtomicMin<float>();
    DataCopy(out, second, run.count<float>(1));
    SetAtomicNone();
}
CASE("atomic/largest", atomic_extreme<true>)
CASE("atomic/smallest", atomic_extreme<false>)
