// Data movement, reductions, gathering, sorting and transposing: one call per case.
#include "case.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

/// DataCopyPad in with strides and padding, then the whole UB area out.
template <class T>
void pad_in(const Case& run) {
    Scratch ub;
    auto t = ub.make<T>(run.count<T>(1));
    Duplicate(t.template ReinterpretCast<int32_t>(), int32_t(0),
              static_cast<int32_t>(run.buffers[1].second / 4));
    PipeBarrier<PIPE_ALL>();
    DataCopyExtParams copy{run.parameter<uint16_t>(0), run.parameter<uint32_t>(1), run.parameter<uint32_t>(2),
                           run.parameter<uint32_t>(3), 0};
    DataCopyPadExtParams<T> pad{true, run.parameter<uint8_t>(4), run.parameter<uint8_t>(5),
                                static_cast<T>(run.parameter<float>(6))};
    DataCopyPad(t, run.gm<T>(0), copy, pad);
    ub.store(run, 1, t);
}
CASE("pad_in/float", pad_in<float>)
CASE("pad_in/half", pad_in<half>)
CASE("pad_in/int8_t", pad_in<int8_t>)

template <class T>
void pad_out(const Case& run) {
    Scratch ub;
    auto t = ub.load<T>(run, 0);
    DataCopyExtParams copy{run.parameter<uint16_t>(0), run.parameter<uint32_t>(1), run.parameter<uint32_t>(2),
                           run.parameter<uint32_t>(3), 0};
    DataCopyPad(run.gm<T>(1), t, copy);
}
CASE("pad_out/float", pad_out<float>)
CASE("pad_out/half", pad_out<half>)

void strided_copy(const Case& run) {
    Scratch ub;
    auto t = ub.make<float>(run.count<float>(1));
    Duplicate(t, 0.0f, static_cast<int32_t>(run.count<float>(1)));
    PipeBarrier<PIPE_ALL>();
    DataCopyParams copy{run.parameter<uint16_t>(0), run.parameter<uint16_t>(1), run.parameter<uint16_t>(2),
                        run.parameter<uint16_t>(3)};
    DataCopy(t, run.gm<float>(0), copy);
    PipeBarrier<PIPE_ALL>();
    DataCopy(run.gm<float>(1), t, run.count<float>(1));
}
CASE("strided_copy", strided_copy)

void inner_copy(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1);
    Copy(c, a, 64, 2, CopyRepeatParams{1, 1, 8, 0});
    DataCopy(c[128], a[8], DataCopyParams{2, 1, 1, 0});
    ub.store(run, 1, c);
}
CASE("inner_copy", inner_copy)

template <class T, int mode>
void atomic(const Case& run) {
    Scratch ub;
    auto a = ub.load<T>(run, 0);
    if (mode == 0) SetAtomicAdd<T>();
    if (mode == 1) SetAtomicMax<T>();
    if (mode == 2) SetAtomicMin<T>();
    DataCopyExtParams copy{1, static_cast<uint32_t>(run.buffers[1].second), 0, 0, 0};
    DataCopyPad(run.gm<T>(1), a, copy);
    SetAtomicNone();
}
CASE("atomic_add/float", atomic<float, 0>)
CASE("atomic_add/half", atomic<half, 0>)
CASE("atomic_add/int32_t", atomic<int32_t, 0>)
CASE("atomic_max/float", atomic<float, 1>)
CASE("atomic_min/int32_t", atomic<int32_t, 2>)

/// Over the whole tensor, or over `repeats` repeats of it. Only the latter needs a work tensor.
template <class T>
void reduce_sum(const Case& run) {
    Scratch ub;
    const auto repeats = run.parameters.empty() ? 0 : run.parameter(0);
    auto a = ub.load<T>(run, 0), c = ub.load<T>(run, 1), work = ub.make<T>(repeats == 0 ? 16 : 1024);
    if (repeats == 0) {
        ReduceSum(c, a, work, static_cast<int32_t>(run.count<T>(0)));
        ReduceSum(c[c.GetSize() / 2], a, work, 0);  // does nothing
    } else {
        ReduceSum(c, a, work, static_cast<int32_t>(256 / sizeof(T)), repeats, 8);
    }
    ub.store(run, 1, c);
}
template <class T>
void reduce_extremes(const Case& run) {
    Scratch ub;
    auto a = ub.load<T>(run, 0), c = ub.load<T>(run, 1), work = ub.make<T>(1024), d = ub.make<T>(64);
    ReduceMax(c, a, work, static_cast<int32_t>(run.count<T>(0)), true);
    ReduceMin(d, a, work, static_cast<int32_t>(run.count<T>(0)), true);
    c.SetValue(2, d.GetValue(0));
    c.SetValue(3, d.GetValue(1));
    ub.store(run, 1, c);
}
CASE("reduce_sum/half", reduce_sum<half>)
CASE("reduce_sum/float", reduce_sum<float>)
CASE("reduce_extremes/half", reduce_extremes<half>)
CASE("reduce_extremes/float", reduce_extremes<float>)

template <class T>
void repeat_reduce(const Case& run) {
    Scratch ub;
    auto a = ub.load<T>(run, 0), c = ub.load<T>(run, 1);
    const int32_t mask = run.parameter(1), repeats = run.parameter(2);
    switch (run.parameter(0)) {
        case 0: WholeReduceSum(c, a, mask, repeats, 1, 1, 8); break;
        case 1: WholeReduceMax(c, a, mask, repeats, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE); break;
        case 2: WholeReduceMin(c, a, mask, repeats, 1, 1, 8, ReduceOrder::ORDER_VALUE_INDEX); break;
        case 3: BlockReduceSum(c, a, repeats, mask, 1, 1, 8); break;
        case 4: BlockReduceMax(c, a, repeats, mask, 1, 1, 8); break;
        case 5: PairReduceSum(c, a, repeats, mask, 1, 1, 8); break;
        default: RepeatReduceSum(c, a, repeats, mask, 0, 1, 1, 8); break;
    }
    ub.store(run, 1, c);
}
CASE("repeat_reduce/half", repeat_reduce<half>)
CASE("repeat_reduce/float", repeat_reduce<float>)

template <class T>
void gather(const Case& run) {
    Scratch ub;
    auto a = ub.load<T>(run, 0);
    auto offsets = ub.load<uint32_t>(run, 1);
    auto c = ub.load<T>(run, 2);
    Gather(c, a, offsets, 0, run.count<T>(2));
    ub.store(run, 2, c);
}
CASE("gather/half", gather<half>)
CASE("gather/float", gather<float>)
CASE("gather/int32_t", gather<int32_t>)

template <class T>
void gather_pattern(const Case& run) {
    Scratch ub;
    auto a = ub.load<T>(run, 0), c = ub.load<T>(run, 1);
    uint64_t kept = 0;
    GatherMask(c, a, run.parameter<uint8_t>(0), true, run.count<T>(0), GatherMaskParams{1, 1, 8, 0}, kept);
    auto counts = run.gm<int32_t>(2);
    counts.SetValue(0, static_cast<int32_t>(kept));
    ub.store(run, 1, c);
}
CASE("gather_pattern/half", gather_pattern<half>)
CASE("gather_pattern/float", gather_pattern<float>)

void gather_bits(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0);
    auto bits = ub.load<uint32_t>(run, 1);
    auto c = ub.load<float>(run, 2);
    uint64_t kept = 0;
    GatherMask(c, a, bits, true, run.count<float>(0), GatherMaskParams{1, 1, 8, 8}, kept);
    ub.store(run, 2, c);
}
CASE("gather_bits", gather_bits)

/// Sorts everything: groups of 32, then merges of up to four lists.
void sort_all(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0);
    auto index = ub.make<uint32_t>(run.count<float>(0));
    CreateVecIndex(index.ReinterpretCast<int32_t>(), int32_t(0), run.count<float>(0));
    auto pairs = ub.make<float>(run.count<float>(0) * 2), merged = ub.make<float>(run.count<float>(0) * 2);
    Sort32(pairs, a, index, static_cast<int32_t>(run.count<float>(0) / 32));
    const uint16_t lengths[4] = {32, 32, 32, 32};
    MrgSortSrcList<float> lists(pairs, pairs[64], pairs[128], pairs[192]);
    MrgSort(merged, lists, MrgSort4Info(lengths, false, 0b1111, 1));
    auto values = ub.make<float>(128);
    auto positions = ub.make<uint32_t>(128);
    Extract(values, positions, merged, 4);
    ub.store(run, 1, values);
    ub.store(run, 2, positions);
}
CASE("sort_all", sort_all)

void transpose(const Case& run) {
    Scratch ub;
    auto a = ub.load<half>(run, 0), c = ub.load<half>(run, 1);
    Transpose(c, a);
    ub.store(run, 1, c);
}
CASE("transpose", transpose)

template <class T>
void to_5hd(const Case& run) {
    Scratch ub;
    auto a = ub.load<T>(run, 0), c = ub.load<T>(run, 1);
    constexpr uint32_t columns = 32 / sizeof(T);
    LocalTensor<T> from[16], to[16];
    for (uint32_t row = 0; row < 16; ++row) {
        from[row] = a[row * columns];
        to[row] = c[row * columns];
    }
    TransDataTo5HD(to, from, TransDataTo5HDParams{false, false, 1, 0, 0});
    ub.store(run, 1, c);
}
CASE("to_5hd/half", to_5hd<half>)
CASE("to_5hd/float", to_5hd<float>)

void global_fill(const Case& run) {
    auto z = run.gm<float>(0);
    InitGlobalMemory(z, run.count<float>(0), 2.5f);
}
CASE("global_fill", global_fill)

void scalar_access(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0);
    auto z = run.gm<float>(1);
    float sum = 0;
    for (uint32_t i = 0; i < run.count<float>(0); ++i) sum += a.GetValue(i) + run.gm<float>(0).GetValue(i);
    a.SetValue(3, sum);
    z.SetValue(0, a(3));
    z.SetValue(1, static_cast<float>(a.ReinterpretCast<int32_t>().GetSize()));
}
CASE("scalar_access", scalar_access)
