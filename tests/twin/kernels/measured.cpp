// Two ways to the same result, for lessons that say what the difference costs. Parameter 0: passes.
#include "case.h"
#include "lib/matmul_intf.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

namespace {

constexpr uint32_t kLanes = 64;  // floats of a repeat

/// The scalar unit waits for the vector unit, or the other way round.
template <HardEvent event>
void await() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

// ---- rows [64, 128], each times a number of its own

constexpr uint32_t kRows = 64, kHead = 128, kHalf = kHead / 2;

void scale_by_value(const Case& run) {
    Scratch scratch;
    const auto x = scratch.load<float>(run, 0), by = scratch.load<float>(run, 1);
    const auto y = scratch.make<float>(kRows * kHead);
    for (int pass = 0; pass < run.parameter(0); ++pass) {
        for (uint32_t row = 0; row < kRows; ++row) {
            const float factor = by.GetValue(row);
            await<HardEvent::S_V>();
            Muls(y[row * kHead], x[row * kHead], factor, kHead);
        }
    }
    scratch.store(run, 2, y);
}
CASE("scale/by value", scale_by_value)

void scale_by_block(const Case& run) {
    Scratch scratch;
    const auto x = scratch.load<float>(run, 0), by = scratch.load<float>(run, 1);
    const auto y = scratch.make<float>(kRows * kHead), blocks = scratch.make<float>(8 * kRows);
    constexpr uint8_t pitch = kHead / 8;
    for (int pass = 0; pass < run.parameter(0); ++pass) {
        Brcb(blocks, by, kRows / 8, {1, 8});
        for (uint32_t at = 0; at < kHead; at += kLanes)
            Mul(y[at], x[at], blocks, kLanes, kRows, {1, 1, 0, pitch, pitch, 1});
    }
    scratch.store(run, 2, y);
}
CASE("scale/by block", scale_by_block)

// ---- the sum of each of 16 rows of 512

constexpr uint32_t kLong = 16, kWidth = 512;

void sum_by_row(const Case& run) {
    Scratch scratch;
    const auto x = scratch.load<float>(run, 0);
    const auto y = scratch.make<float>(kLanes), work = scratch.make<float>(kWidth);
    for (int pass = 0; pass < run.parameter(0); ++pass)
        for (uint32_t row = 0; row < kLong; ++row) {
            ReduceSum(work, x[row * kWidth], work[kLanes], kWidth);
            await<HardEvent::V_S>();
            const float sum = work.GetValue(0);
            y.SetValue(row, sum);
            await<HardEvent::S_V>();
        }
    scratch.store(run, 1, y);
}
CASE("sum/by row", sum_by_row)

void sum_by_lane(const Case& run) {
    Scratch scratch;
    const auto x = scratch.load<float>(run, 0);
    const auto y = scratch.make<float>(kLanes), lanes = scratch.make<float>(kLong * kLanes);
    constexpr uint8_t rows = kLong, repeats = kWidth / kLanes;
    for (int pass = 0; pass < run.parameter(0); ++pass) {
        Duplicate(lanes, 0.0f, rows * kLanes);
        for (uint32_t row = 0; row < rows; ++row)
            Add(lanes[row * kLanes], x[row * kWidth], lanes[row * kLanes], kLanes, repeats,
                {1, 1, 1, 0, 8, 0});
        WholeReduceSum(y, lanes, static_cast<int32_t>(kLanes), rows, 1, 1, 8);
    }
    scratch.store(run, 1, y);
}
CASE("sum/by lane", sum_by_lane)

void sum_by_column(const Case& run) {
    Scratch scratch;
    const auto x = scratch.load<float>(run, 0);
    const auto y = scratch.make<float>(kLanes), lanes = scratch.make<float>(kLong * kLanes);
    constexpr uint8_t rows = kLong, pitch = kWidth / 8;
    for (int pass = 0; pass < run.parameter(0); ++pass) {
        Add(lanes, x, x[kLanes], kLanes, rows, {1, 1, 1, 8, pitch, pitch});
        for (uint32_t at = 2 * kLanes; at < kWidth; at += kLanes)
            Add(lanes, lanes, x[at], kLanes, rows, {1, 1, 1, 8, 8, pitch});
        WholeReduceSum(y, lanes, static_cast<int32_t>(kLanes), rows, 1, 1, 8);
    }
    scratch.store(run, 1, y);
}
CASE("sum/by column", sum_by_column)

// ---- rotation: x [64, 128] with the halves of a row as pairs, cos and sin [64, 64]

void rotate_by_row(const Case& run) {
    Scratch scratch;
    const auto x = scratch.load<float>(run, 0), cos = scratch.load<float>(run, 1);
    const auto sin = scratch.load<float>(run, 2);
    const auto y = scratch.make<float>(kRows * kHead), other = scratch.make<float>(kHead);
    for (int pass = 0; pass < run.parameter(0); ++pass)
        for (uint32_t row = 0; row < kRows; ++row) {
            const uint32_t at = row * kHead, angle = row * kHalf;
            Mul(y[at], x[at], cos[angle], kHalf);
            Mul(other, x[at + kHalf], sin[angle], kHalf);
            Sub(y[at], y[at], other, kHalf);
            Mul(y[at + kHalf], x[at + kHalf], cos[angle], kHalf);
            Mul(other[kHalf], x[at], sin[angle], kHalf);
            Add(y[at + kHalf], y[at + kHalf], other[kHalf], kHalf);
        }
    scratch.store(run, 3, y);
}
CASE("rotate/by row", rotate_by_row)

void rotate_by_half(const Case& run) {
    Scratch scratch;
    const auto x = scratch.load<float>(run, 0), cos = scratch.load<float>(run, 1);
    const auto sin = scratch.load<float>(run, 2);
    const auto y = scratch.make<float>(kRows * kHead), other = scratch.make<float>(kRows * kHalf);
    const BinaryRepeatParams turn{1, 1, 1, 16, 16, 8}, apart{1, 1, 1, 8, 16, 8}, add{1, 1, 1, 16, 16, 8};
    for (int pass = 0; pass < run.parameter(0); ++pass) {
        Mul(y, x, cos, kHalf, kRows, turn);
        Mul(other, x[kHalf], sin, kHalf, kRows, apart);
        Sub(y, y, other, kHalf, kRows, add);
        Mul(y[kHalf], x[kHalf], cos, kHalf, kRows, turn);
        Mul(other, x, sin, kHalf, kRows, apart);
        Add(y[kHalf], y[kHalf], other, kHalf, kRows, add);
    }
    scratch.store(run, 3, y);
}
CASE("rotate/by half", rotate_by_half)

// ---- how often each of 16 numbers occurs among 1,024 ids

constexpr uint32_t kIds = 1024, kBins = 16;

void count_by_value(const Case& run) {
    Scratch scratch;
    const auto ids = scratch.load<int32_t>(run, 0);
    const auto counts = scratch.make<int32_t>(kLanes);
    for (int pass = 0; pass < run.parameter(0); ++pass) {
        int32_t bins[kBins] = {};
        for (uint32_t i = 0; i < kIds; ++i) ++bins[ids.GetValue(i)];
        for (uint32_t bin = 0; bin < kBins; ++bin) counts.SetValue(bin, bins[bin]);
    }
    scratch.store(run, 1, counts);
}
CASE("count/by value", count_by_value)

void count_by_mask(const Case& run) {
    Scratch scratch;
    const auto ids = scratch.load<int32_t>(run, 0);
    const auto counts = scratch.make<int32_t>(kLanes), kept = scratch.make<int32_t>(kIds);
    const auto bits = scratch.make<uint32_t>(kIds / 32);
    for (int pass = 0; pass < run.parameter(0); ++pass) {
        for (uint32_t bin = 0; bin < kBins; ++bin) {
            CompareScalar(bits.ReinterpretCast<uint8_t>(), ids, static_cast<int32_t>(bin), CMPMODE::EQ, kIds);
            uint64_t count = 0;
            GatherMask(kept, ids, bits, true, kIds, GatherMaskParams{1, 1, 8, 8}, count);
            counts.SetValue(bin, static_cast<int32_t>(count));
        }
    }
    scratch.store(run, 1, counts);
}
CASE("count/by mask", count_by_mask)

// ---- x where a bool is true, else y: 4,096 halves

constexpr uint32_t kChosen = 4096;

void choose_wide(const Case& run) {
    Scratch scratch;
    const auto flags = scratch.load<uint8_t>(run, 0);
    const auto x = scratch.load<float>(run, 1), y = scratch.load<float>(run, 2);
    const auto z = scratch.make<float>(kChosen), wide = scratch.make<float>(kChosen);
    const auto narrow = scratch.make<half>(kChosen);
    const auto bits = scratch.make<uint8_t>(kChosen / 8);
    for (int pass = 0; pass < run.parameter(0); ++pass) {
        Cast(narrow, flags, RoundMode::CAST_NONE, kChosen);
        Cast(wide, narrow, RoundMode::CAST_NONE, kChosen);
        CompareScalar(bits, wide, 0.0f, CMPMODE::NE, kChosen);
        Select(z, bits, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, kChosen);
    }
    scratch.store(run, 3, z);
}
CASE("choose/wide", choose_wide)

void choose_half(const Case& run) {
    Scratch scratch;
    const auto flags = scratch.load<uint8_t>(run, 0);
    const auto x = scratch.load<float>(run, 1), y = scratch.load<float>(run, 2);
    const auto z = scratch.make<float>(kChosen);
    const auto narrow = scratch.make<half>(kChosen);
    const auto bits = scratch.make<uint8_t>(kChosen / 8);
    for (int pass = 0; pass < run.parameter(0); ++pass) {
        Cast(narrow, flags, RoundMode::CAST_NONE, kChosen);
        CompareScalar(bits, narrow, half(0), CMPMODE::NE, kChosen);
        Select(z, bits, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, kChosen);
    }
    scratch.store(run, 3, z);
}
CASE("choose/half", choose_half)

// ---- the 32 largest of 4,096 numbers with their places

constexpr uint32_t kSorted = 4096, kGroup = 32, kBest = 32;

/// Lists of `length` pairs that lie in a row, merged in fours; of each result the first `most` are of use.
template <bool cut>
void best(const Case& run) {
    Scratch scratch;
    const auto x = scratch.load<float>(run, 0);
    const auto places = scratch.load<uint32_t>(run, 1);
    LocalTensor<float> from = scratch.make<float>(2 * kSorted), to = scratch.make<float>(2 * kSorted);
    for (int pass = 0; pass < run.parameter(0); ++pass) {
        Sort32(from, x, places, kSorted / kGroup);
        uint32_t lists = kSorted / kGroup, length = kGroup, pitch = kGroup;
        while (lists > 1) {
            const uint32_t ways = lists % 4 == 0 ? 4 : 2, taken = cut && length > kBest ? kBest : length;
            const uint16_t each = static_cast<uint16_t>(taken);
            const uint16_t lengths[4] = {each, each, each, each};
            for (uint32_t list = 0; list < lists; list += ways) {
                const auto at = from[2 * list * pitch];
                const uint32_t last = ways - 1;
                const MrgSortSrcList<float> sources(at, at[2 * pitch], at[2 * pitch * (2 < last ? 2 : last)],
                                                    at[2 * pitch * last]);
                MrgSort(to[2 * list / ways * (ways * taken)], sources,
                        MrgSort4Info(lengths, false, static_cast<uint16_t>((1 << ways) - 1), 1));
            }
            length = pitch = ways * taken;
            lists /= ways;
            const LocalTensor<float> other = from;
            from = to;
            to = other;
        }
    }
    scratch.store(run, 2, from);
}
CASE("best/of all", best<false>)
CASE("best/cut", best<true>)

// ---- a thin product: [16, 4096] x [4096, 256] int8 on a cube core's pair

template <const MatmulConfig& config>
void thin(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    using In = MatmulType<TPosition::GM, CubeFormat::ND, int8_t>;
    using Out = MatmulType<TPosition::GM, CubeFormat::ND, int32_t>;
    TCubeTiling t;
    t.M = t.singleCoreM = t.baseM = 16, t.N = t.singleCoreN = t.baseN = 256;
    t.Ka = t.Kb = t.singleCoreK = 4096;
    t.baseK = 128, t.stepKa = 16, t.stepKb = 2;
    TPipe pipe;
    matmul::Matmul<In, In, Out, Out, config> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    for (int pass = 0; pass < run.parameter(0); ++pass) {
        mm.SetTensorA(run.gm<int8_t>(0));
        mm.SetTensorB(run.gm<int8_t>(1));
        mm.IterateAll(run.gm<int32_t>(2));
    }
    mm.End();
}
CASE("thin/norm", thin<CFG_NORM>)
CASE("thin/mdl", thin<CFG_MDL>)

}  // namespace
