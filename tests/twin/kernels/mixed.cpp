// Cube and vector cores in one kernel, and signals between cores.
#include "case.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

/// C[m, n] = A[m, k] B[n, k]^T for m, n and k of 16 on the cube core, through one fractal each.
void small_product(const GlobalTensor<half>& a, const GlobalTensor<half>& b, const GlobalTensor<float>& c) {
    LocalTensor<half> a1(TPosition::A1, 0, 256), b1(TPosition::B1, 512, 256);
    LocalTensor<half> a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
    LocalTensor<float> sums(TPosition::CO1, 0, 256);
    const Nd2NzParams nd{1, 16, 16, 0, 16, 16, 1, 0};
    DataCopy(a1, a, nd);
    DataCopy(b1, b, nd);
    PipeBarrier<PIPE_ALL>();
    const LoadData2DParams one{0, 1, 1, 0, 0, false, 0};
    LoadData(a2, a1, one);
    LoadData(b2, b1, one);
    PipeBarrier<PIPE_ALL>();
    Mmad(sums, a2, b2, MmadParams{16, 16, 16, 0, false, true});
    PipeBarrier<PIPE_ALL>();
    Fixpipe(c, sums, FixpipeParamsV220{16, 16, 16, 16, false});
}

/// out[rows of this vector core] = |product|.
void take_half(const Case& run, int from, int to) {
    const int rows = static_cast<int>(16 / GetSubBlockNum());
    const auto group = static_cast<uint32_t>(GetBlockIdx() / GetSubBlockNum());
    const uint32_t offset = group * 256 + static_cast<uint32_t>(GetSubBlockIdx() * rows * 16);
    LocalTensor<float> x(TPosition::VECCALC, 0, 256);
    DataCopy(x, run.gm<float>(from)[offset], rows * 16);
    PipeBarrier<PIPE_ALL>();
    Abs(x, x, rows * 16);
    PipeBarrier<PIPE_ALL>();
    DataCopy(run.gm<float>(to)[offset], x, rows * 16);
}

/// All cores write at the same time what lies on their chips.
void store_everywhere(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    constexpr uint32_t kTile = 8192;
    const bool is_cube = ASCEND_IS_AIC;
    const auto from = is_cube ? TPosition::A1 : TPosition::VECCALC;
    LocalTensor<float> tile(from, 0, kTile);
    if (is_cube) {
        InitConstValue(tile, InitConstValueParams<float>{1, kTile / 8, 0, 1.0f});
    } else {
        Duplicate(tile, 1.0f, kTile);
    }
    PipeBarrier<PIPE_ALL>();
    const auto core = static_cast<uint32_t>(is_cube ? GetBlockIdx() : GetBlockNum() + GetBlockIdx());
    for (uint32_t at = 0; at < 8; ++at) DataCopy(run.gm<float>(0)[(core * 8 + at) * kTile], tile, kTile);
}
CASE("store_everywhere", store_everywhere)

/// The cube core multiplies, its vector cores wait for it and take half of the rows each.
template <int type>
void forward(const Case& run) {
    if (type >= 0) {
        KERNEL_TASK_TYPE_DEFAULT(type);
    }
    if ASCEND_IS_AIC {
        const auto block = static_cast<uint32_t>(GetBlockIdx() * 256);
        small_product(run.gm<half>(0)[block], run.gm<half>(1)[block], run.gm<float>(2)[block]);
        CrossCoreSetFlag<2, PIPE_FIX>(3);
    }
    if ASCEND_IS_AIV {
        CrossCoreWaitFlag(3);
        take_half(run, 2, 3);
    }
}
CASE("forward/1_2", forward<KERNEL_TYPE_MIX_AIC_1_2>)
CASE("forward/1_1", forward<KERNEL_TYPE_MIX_AIC_1_1>)
CASE("forward/undeclared", forward<-1>)

/// The vector cores double the left operand, the cube core waits for both of them.
template <bool both>
void backward(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if (g_coreType == AIV) {
        LocalTensor<half> x(TPosition::VECCALC, 0, 128);
        const auto offset = static_cast<uint32_t>(GetBlockIdx() * 128);
        DataCopy(x, run.gm<half>(0)[offset], 128);
        PipeBarrier<PIPE_ALL>();
        Muls(x, x, half(2), 128);
        PipeBarrier<PIPE_ALL>();
        DataCopy(run.gm<half>(2)[offset], x, 128);
        if (both || GetSubBlockIdx() == 0) CrossCoreSetFlag<2, PIPE_MTE3>(1);
        return;
    }
    CrossCoreWaitFlag(1);  // cube waits
    const auto block = static_cast<uint32_t>(GetBlockIdx() * 256);
    small_product(run.gm<half>(2)[block], run.gm<half>(1)[block], run.gm<float>(3)[block]);
}
CASE("backward", backward<true>)
CASE("backward/one_missing", backward<false>)

/// Without guards: the compiler leaves matrix instructions out of the vector part and the other way
/// round.
void unguarded(const Case& run) {
    const auto block = static_cast<uint32_t>(GetBlockIdx() / GetTaskRatio() * 256);
    small_product(run.gm<half>(0)[block], run.gm<half>(1)[block], run.gm<float>(2)[block]);
    SyncAll<false>();
    take_half(run, 2, 3);
}
CASE("unguarded", unguarded)

/// What the cores of a mixed kernel are called.
void names(const Case& run) {
    KERNEL_TASK_TYPE(7, KERNEL_TYPE_AIV_ONLY);
    KERNEL_TASK_TYPE(0, KERNEL_TYPE_MIX_AIC_1_2);
    auto out = run.gm<int32_t>(0);
    const auto cube = static_cast<uint32_t>(g_coreType == AIC);
    const uint32_t place =
        cube ? 4 * 2 + static_cast<uint32_t>(GetBlockIdx()) : static_cast<uint32_t>(GetBlockIdx());
    out.SetValue(place * 4, static_cast<int32_t>(GetBlockIdx()));
    out.SetValue(place * 4 + 1, static_cast<int32_t>(GetSubBlockIdx()));
    out.SetValue(place * 4 + 2, static_cast<int32_t>(GetBlockNum()));
    out.SetValue(place * 4 + 3, static_cast<int32_t>(GetTaskRatio()));
    if (cube != 0 && GetBlockIdx() == 0) small_product(run.gm<half>(1), run.gm<half>(1), run.gm<float>(2));
}
CASE("names", names)

/// A vector kernel that asks for its core type stays a vector kernel.
void asks(const Case& run) {
    auto out = run.gm<int32_t>(0);
    if ASCEND_IS_AIV
        out.SetValue(static_cast<uint64_t>(GetBlockIdx()) * 16, static_cast<int32_t>(GetBlockIdx() + 1));
}
CASE("asks", asks)

/// Core 0 leaves a number for core 1 by its scalar unit: how 0, in the line where core 1 does so as well; 1,
/// 64 bytes from there; 2, the same and written back before core 1 reads it; 3, so by an instruction that
/// takes no cache.
void by_scalar(const Case& run) {
    auto out = run.gm<int32_t>(0);
    const int how = run.parameter(0), me = static_cast<int>(GetBlockIdx()), step = how == 0 ? 1 : 16;
    if (how == 3) {
        WriteGmByPassDCache(out[me * step].GetPhyAddr(0), me + 1);
    } else {
        out.SetValue(static_cast<uint64_t>(me * step), me + 1);  // one line
    }
    if (how == 2)
        DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
            out[me * step]);
    SyncAll();
    if (how == 0 || me == 0) return;
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(out);
    out.SetValue(48, out.GetValue(0));  // not written back
}
CASE("by_scalar", by_scalar)

/// Each core stores a number by its scalar unit and copies it back from there.
void own_cache(const Case& run) {
    auto out = run.gm<int32_t>(0);
    Scratch ub;
    auto x = ub.make<int32_t>(16);
    const auto place = static_cast<uint64_t>(GetBlockIdx() * 16);
    out.SetValue(place, 1);
    PipeBarrier<PIPE_ALL>();
    DataCopy(x, out[place], 16);  // past the cache
}
CASE("own_cache", own_cache)

/// All vector cores add to one place, meet through flag 0 of `mode`, and one of them per group copies it.
template <uint8_t mode>
void meet(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(mode == 0 ? KERNEL_TYPE_MIX_AIV_1_0 : KERNEL_TYPE_MIX_AIC_1_2);
    if (g_coreType == AIC) return;
    const auto group = mode == 0 ? 0u : static_cast<uint32_t>(GetBlockIdx() / 2);
    Scratch ub;
    auto x = ub.make<float>(64);
    Duplicate(x, 1.0f, 8);
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<float>();
    DataCopy(run.gm<float>(0)[group * 8], x, 8);
    SetAtomicNone();
    CrossCoreSetFlag<mode, PIPE_MTE3>(0);
    CrossCoreWaitFlag(0);
    if (mode == 0 ? GetBlockIdx() != 0 : GetSubBlockIdx() != 0) return;
    DataCopy(x, run.gm<float>(0)[group * 8], 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(run.gm<float>(1)[group * 8], x, 8);
}
CASE("meet/0", meet<0>)
CASE("meet/1", meet<1>)

/// Every core stores by MTE3, signals by `pipe` and reads what its neighbour stored.
template <pipe_t pipe>
void exchange(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    Scratch ub;
    auto mine = ub.make<float>(64), other = ub.make<float>(64);
    const auto me = static_cast<uint32_t>(GetBlockIdx()), cores = static_cast<uint32_t>(GetBlockNum());
    Duplicate(mine, 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(run.gm<float>(0)[me * 64], mine, 64);
    CrossCoreSetFlag<0, pipe>(1);
    CrossCoreWaitFlag(1);
    DataCopy(other, run.gm<float>(0)[(me + 1) % cores * 64], 64);  // of the neighbour
}
CASE("exchange/MTE3", exchange<PIPE_MTE3>)
CASE("exchange/V", exchange<PIPE_V>)
CASE("exchange/M", exchange<PIPE_M>)

/// The vector unit on memory of the cube core.
template <TPosition position>
void vector_on(const Case&) {
    LocalTensor<float> x(position, 0, 64);
    Duplicate(x, 1.0f, 64);  // not in UB
}
CASE("vector_on/L1", vector_on<TPosition::A1>)
CASE("vector_on/L0C", vector_on<TPosition::CO1>)

// Mistakes.
template <int mistake>
void wrong(const Case&) {
    if (mistake != 0) {
        KERNEL_TASK_TYPE_DEFAULT(mistake == 3 ? KERNEL_TYPE_AIV_ONLY : KERNEL_TYPE_MIX_AIC_1_2);
    }
    if (mistake == 0) CrossCoreSetFlag<2, PIPE_MTE3>(0);  // needs a mixed kernel
    if (mistake == 1 && g_coreType == AIC) {
        for (int i = 0; i < 16; ++i) CrossCoreSetFlag<2, PIPE_FIX>(0);  // too often
    }
    if (mistake == 2) CrossCoreSetFlag<2, PIPE_S>(0);      // scalar pipe
    if (mistake == 3) CrossCoreSetFlag<0, PIPE_MTE3>(0);   // unscheduled
    if (mistake == 4) CrossCoreSetFlag<2, PIPE_MTE3>(16);  // flag id
}
CASE("wrong/mode", wrong<0>)
CASE("wrong/count", wrong<1>)
CASE("wrong/pipe", wrong<2>)
CASE("wrong/unscheduled", wrong<3>)
CASE("wrong/id", wrong<4>)

// Global memory shared by cores without an order between them.
template <int how>
void shared(const Case& run) {
    Scratch ub;
    auto x = ub.make<float>(64);
    const auto me = static_cast<uint32_t>(GetBlockIdx());
    auto z = run.gm<float>(0);
    auto out = run.gm<float>(1);
    Duplicate(x, how == 1 ? 1.0f : static_cast<float>(me), 64);
    PipeBarrier<PIPE_ALL>();
    switch (how) {
        case 0:                           // overlapping parts with different values
        case 1:                           // the same with equal values
            DataCopy(z[me * 32], x, 64);  // overlap
            break;
        case 2:
        case 3:  // everybody reads what the neighbour wrote
            DataCopy(z[me * 64], x, 64);
            PipeBarrier<PIPE_ALL>();
            if (how == 3) SyncAll();
            DataCopy(x, z[(me + 3) % 4 * 64], 64);  // neighbour
            PipeBarrier<PIPE_ALL>();
            DataCopy(out[me * 64], x, 64);
            break;
        case 4:  // a sum without zeroing first
            SetAtomicAdd<float>();
            DataCopy(z, x, 64);
            SetAtomicNone();
            break;
        case 5:  // a sum, zeroed by core 0 without a barrier
            if (me == 0) DataCopy(z, x, 64);
            PipeBarrier<PIPE_ALL>();
            SetAtomicAdd<float>();
            DataCopy(z, x, 64);  // sum
            SetAtomicNone();
            break;
        default:  // core 3 overwrites what the others have read
            DataCopy(x, z, 64);
            PipeBarrier<PIPE_ALL>();
            if (me == 3) {
                Adds(x, x, 1.0f, 64);
                PipeBarrier<PIPE_ALL>();
                DataCopy(z, x, 64);  // overwrite
            }
            break;
    }
}
CASE("shared/overlap", shared<0>)
CASE("shared/equal", shared<1>)
CASE("shared/neighbour", shared<2>)
CASE("shared/ordered", shared<3>)
CASE("shared/atomic", shared<4>)
CASE("shared/zeroed", shared<5>)
CASE("shared/overwrite", shared<6>)

/// A vector core keeps a tile in L1, which it does not have.
void tile_in_l1(const Case& run) {
    LocalTensor<float> tile(TPosition::VECCALC, 0, 256), l1(TPosition::A1, 0, 256);
    DataCopy(tile, run.gm<float>(0), 256);
    PipeBarrier<PIPE_ALL>();
    DataCopy(l1, tile, 256);
}
CASE("tile_in_l1", tile_in_l1)
