// The Matmul object, driven from vector cores and from cube cores.
#include "case.h"
#include "lib/matmul_intf.h"

using namespace AscendC;
using cases::Case;

template <class T, CubeFormat format = CubeFormat::ND, TPosition position = TPosition::GM>
using Type = MatmulType<position, format, T, true>;

/// Split given by parameters 0..: M, N, K, rows and columns of a core, rows and columns of a block.
TCubeTiling tiling_of(const Case& run) {
    TCubeTiling t;
    t.M = run.parameter(0), t.N = run.parameter(1), t.Ka = t.Kb = t.singleCoreK = run.parameter(2);
    t.singleCoreM = run.parameter(3), t.singleCoreN = run.parameter(4);
    t.baseM = run.parameter(5), t.baseN = run.parameter(6), t.baseK = 16;
    return t;
}

/// Part of the product this core computes; the grid goes down the rows first.
struct Part {
    Part(const TCubeTiling& t, int64_t core) {
        const int64_t rows = (t.M + t.singleCoreM - 1) / t.singleCoreM;
        m = static_cast<int>(core % rows) * t.singleCoreM, n = static_cast<int>(core / rows) * t.singleCoreN;
        used_m = std::min(t.singleCoreM, t.M - m), used_n = std::min(t.singleCoreN, t.N - n);
    }
    int m, n, used_m, used_n;
};

/// Parameters 7, 8: A, B stored transposed; 9: with bias.
template <class T, class C, int task>
void whole(const Case& run) {
    if (task >= 0) {
        KERNEL_TASK_TYPE_DEFAULT(task);
    }
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    matmul::Matmul<Type<T>, Type<T>, Type<C>, Type<C>> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    const Part part(t, GetBlockIdx());
    const bool turn_a = run.parameter(7) != 0, turn_b = run.parameter(8) != 0;
    if (part.n >= t.N) return;
    mm.SetTail(part.used_m, part.used_n);
    mm.SetTensorA(run.gm<T>(0)[turn_a ? part.m : part.m * t.Ka], turn_a);
    mm.SetTensorB(run.gm<T>(1)[turn_b ? part.n * t.Kb : part.n], turn_b);
    if (run.parameter(9) != 0) mm.SetBias(run.gm<C>(2)[part.n]);
    mm.IterateAll(run.gm<C>(3)[part.m * t.N + part.n], static_cast<uint8_t>(run.parameter(10)));
    mm.End();
}
CASE("whole/half", whole<half, float, KERNEL_TYPE_MIX_AIC_1_2>)
CASE("whole/undeclared", whole<half, float, -1>)
CASE("whole/bf16", whole<bfloat16_t, float, -1>)
CASE("whole/float", whole<float, float, KERNEL_TYPE_AIC_ONLY>)
CASE("whole/int8", whole<int8_t, int32_t, -1>)
CASE("whole/vector_only", whole<half, float, KERNEL_TYPE_AIV_ONLY>)
CASE("whole/half_half", whole<half, half, -1>)

/// Both vector cores clear C, and each adds its half of K.
void halves_of_k(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    matmul::Matmul<Type<half>, Type<half>, Type<float>, Type<float>> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    InitOutput<float>(run.gm<float>(2), t.M * t.N, 0);  // clear
    if (run.parameter(10) != 0) SyncAll();
    const int half_k = t.Ka / 2, first = static_cast<int>(GetBlockIdx()) * half_k;
    mm.SetTensorA(run.gm<half>(0)[first]);
    mm.SetTensorB(run.gm<half>(1)[first * t.N]);
    mm.SetSingleShape(t.M, t.N, half_k);
    mm.IterateAll(run.gm<float>(2), 1);
    mm.End();
}
CASE("halves_of_k", halves_of_k)

/// Blocks one by one through UB, with a vector function on each.
template <IterateOrder order>
void blocks(const Case& run) {
    static constexpr MatmulConfig config = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(
        MatmulFuncParams{false, false, false, false, 0, order, ScheduleType::INNER_PRODUCT, true, false});
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    Matmul<Type<half>, Type<half>, Type<float, CubeFormat::ND, TPosition::VECIN>, Type<float>, config> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    const Part part(t, GetBlockIdx());
    if (part.n >= t.N) return;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, t.baseM * t.baseN * 4);
    pipe.InitBuffer(out, 1, t.baseM * t.baseN * 4);
    mm.SetTensorA(run.gm<half>(0)[part.m * t.Ka]);
    mm.SetTensorB(run.gm<half>(1)[part.n]);
    const int rows = t.singleCoreM / t.baseM, columns = t.singleCoreN / t.baseN;
    for (int round = 0; mm.template Iterate<true>(); ++round) {
        auto x = in.AllocTensor<float>();
        mm.template GetTensorC<true>(x, 0, true);
        in.EnQue(x);
        x = in.DeQue<float>();
        auto y = out.AllocTensor<float>();
        LeakyRelu(y, x, 0.5f, t.baseM * t.baseN);
        out.EnQue(y);
        in.FreeTensor(x);
        y = out.DeQue<float>();
        const int row = order == IterateOrder::ORDER_N ? round / columns : round % rows;
        const int column = order == IterateOrder::ORDER_N ? round % columns : round / rows;
        const int offset = (part.m + row * t.baseM) * t.N + part.n + column * t.baseN;
        DataCopy(run.gm<float>(2)[offset], y,
                 DataCopyParams{static_cast<uint16_t>(t.baseM), static_cast<uint16_t>(t.baseN / 8), 0,
                                static_cast<uint16_t>((t.N - t.baseN) / 8)});
        out.FreeTensor(y);
    }
    mm.End();
}
CASE("blocks/m", blocks<IterateOrder::ORDER_M>)
CASE("blocks/n", blocks<IterateOrder::ORDER_N>)

/// A in UB, B in global memory as Nz, C as Nz.
void formats(const Case& run) {
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    Matmul<Type<half, CubeFormat::ND, TPosition::VECOUT>, Type<half, CubeFormat::NZ>,
           Type<float, CubeFormat::NZ>>
        mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, t.M * t.Ka * 2);
    auto a = buffer.Get<half>();
    DataCopy(a, run.gm<half>(0), t.M * t.Ka);
    PipeBarrier<PIPE_ALL>();
    mm.SetTensorA(a);
    mm.SetTensorB(run.gm<half>(1));
    mm.IterateAll(run.gm<float>(2));
    mm.End();
}
CASE("formats", formats)

/// The sums of two halves of k added on the cube core, block by block.
void partial(const Case& run) {
    TCubeTiling t = tiling_of(run);
    TPipe pipe;
    Matmul<Type<half>, Type<half>, Type<float>> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    mm.SetSingleShape(t.M, t.N, t.Ka / 2);
    for (int part = 0; part < 2; ++part) {
        mm.SetTensorA(run.gm<half>(0)[part * t.Ka / 2]);
        mm.SetTensorB(run.gm<half>(1)[part * (t.Kb / 2) * t.N]);
        mm.Iterate(part != 0);
    }
    mm.GetTensorC(run.gm<float>(2));
    mm.End();
}
CASE("partial", partial)

template <class C>
void quantised(const Case& run) {
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    Matmul<Type<int8_t>, Type<int8_t>, Type<C>> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    mm.SetTensorA(run.gm<int8_t>(0));
    mm.SetTensorB(run.gm<int8_t>(1));
    const auto how = run.parameter(7);
    if (how == 1) mm.SetQuantScalar(*run.gm<uint64_t>(2).GetPhyAddr());
    if (how == 2) mm.SetQuantVector(run.gm<uint64_t>(2));
    mm.IterateAll(run.gm<C>(3));
    mm.End();
}
CASE("quantised/half", quantised<half>)
CASE("quantised/int8", quantised<int8_t>)

void batches(const Case& run) {
    using Normal = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NORMAL>;
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    Matmul<Normal, Normal, MatmulType<TPosition::GM, CubeFormat::ND, float, false, LayoutMode::NORMAL>> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1));
    mm.IterateBatch(run.gm<float>(2), run.parameter<uint32_t>(7), run.parameter<uint32_t>(8), false);
    mm.End();
}
CASE("batches", batches)

/// C as Nz, in fractals of 16 columns or, with channel split, of 8.
template <bool split>
void fractals(const Case& run) {
    static constexpr MatmulConfig config = [] {
        MatmulConfig made = CFG_NORM;
        made.isEnableChannelSplit = split;
        return made;
    }();
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    Matmul<Type<half>, Type<half>, Type<float, CubeFormat::NZ>, Type<float>, config> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1));
    while (mm.Iterate()) mm.GetTensorC(run.gm<float>(2));
    mm.End();
}
CASE("fractals/16", fractals<false>)
CASE("fractals/8", fractals<true>)

/// One asynchronous Iterate, then block after block one behind the other. With `late` a part of A is stored
/// after it was asked for.
template <bool late>
void asynchronous(const Case& run) {
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 2048);
    const auto some = buffer.Get<half>();
    const auto left = run.gm<half>(late ? 3 : 0);
    Matmul<Type<half>, Type<half>, Type<float>> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    if (late) Duplicate(some, half(1), 1024);
    PipeBarrier<PIPE_ALL>();
    for (int row = 0; late && row < t.M; row += 16) DataCopy(left[row * t.Ka], some, 16 * t.Ka);
    PipeBarrier<PIPE_ALL>();
    mm.SetTensorA(left);
    mm.SetTensorB(run.gm<half>(1));
    mm.Iterate<false>();
    const int blocks = t.M / t.baseM * (t.N / t.baseN);
    for (int i = 0; i < blocks; ++i) {
        if (late && i == 1) DataCopy(left[16 * t.Ka], some, 16 * t.Ka);
        PipeBarrier<PIPE_ALL>();
        mm.GetTensorC<false>(run.gm<float>(2)[i * t.baseM * t.baseN], 0, true);
    }
    mm.End();
}
CASE("asynchronous", asynchronous<false>)
CASE("asynchronous/late", asynchronous<true>)

/// Every block of the inner dimension by itself, one behind the other.
void inner_parts(const Case& run) {
    static constexpr MatmulConfig config = [] {
        MatmulConfig made = CFG_NORM;
        made.isPartialOutput = true;
        return made;
    }();
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    Matmul<Type<half>, Type<half>, Type<float>, Type<float>, config> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1));
    mm.IterateAll(run.gm<float>(2));
    mm.End();
}
CASE("inner_parts", inner_parts)

template <template <const auto&, typename, typename, typename, typename, typename> class Policy>
void triangle(const Case& run) {
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    Matmul<Type<half>, Type<half>, Type<float>, Type<float>, CFG_NORM, MatmulCallBackFunc<>, Policy> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1));
    mm.IterateAll(run.gm<float>(2));
    mm.End();
}
CASE("triangle/upper", triangle<Impl::Detail::TrianUpperMatmulPolicy>)
CASE("triangle/lower", triangle<Impl::Detail::TrianLowerMatmulPolicy>)

void own_copy(const void*, GM_ADDR, LocalTensor<int8_t>&, int, int, bool) {}
void copies_itself(const Case& run) {
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    using Copies = MatmulCallBackFunc<nullptr, own_copy, nullptr>;
    Matmul<Type<half>, Type<half>, Type<float>, Type<float>, CFG_NORM, Copies> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1));
    mm.IterateAll(run.gm<float>(2));
}
CASE("copies_itself", copies_itself)

/// As kernels choose one by a parameter of their own.
template <bool upper>
struct PolicyOf {
    template <const auto& MM_CFG, typename IMPL, typename A, typename B, typename C, typename BIAS>
    struct Result : Impl::Detail::TrianUpperMatmulPolicy<MM_CFG, IMPL, A, B, C, BIAS> {};
};
CASE("triangle/upper/derived", triangle<PolicyOf<true>::Result>)

/// Kernels fill a configuration by position.
constexpr MatmulConfig kByPosition = {false, false, true, 16, 32, 64, true, false, true, false, 2};
static_assert(kByPosition.doMultiDataLoad && kByPosition.basicK == 64 && kByPosition.intrinsicsCheck &&
              kByPosition.enVecND2NZ && kByPosition.doMTE2Preload == 2 && kByPosition.singleCoreM == 0);

/// The split is a constant of the configuration; there is no tiling data.
void constant_split(const Case& run) {
    static constexpr auto split = GetMatmulApiTiling<Type<half>, Type<half>, Type<float>, Type<float>>(
        GetMMConfig<MatmulConfigMode::CONFIG_NORM>(MatmulShapeParams{32, 48, 64, 16, 16, 32}));
    TPipe pipe;
    Matmul<Type<half>, Type<half>, Type<float>, Type<float>, split> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, static_cast<TCubeTiling*>(nullptr));
    if (GetBlockIdx() != 0) return;
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1));
    mm.IterateAll(run.gm<float>(2));
    mm.End();
}
CASE("constant_split", constant_split)

/// Three batches that share one row of bias.
void shared_bias(const Case& run) {
    static constexpr MatmulConfig config = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(
        MatmulBatchParams{false, BatchMode::BATCH_LESS_THAN_L1, false});
    using Normal = MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::NORMAL>;
    using Sums = MatmulType<TPosition::GM, CubeFormat::ND, float, false, LayoutMode::NORMAL>;
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    Matmul<Normal, Normal, Sums, Type<float>, config> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1));
    mm.SetBias(run.gm<float>(2));
    mm.IterateBatch(run.gm<float>(3), 3, 3, false);
    mm.End();
}
CASE("shared_bias", shared_bias)

/// Batches as heads of [B, S, N, G, D], of [S, B, N, G, D], or as [B, N, G, S, D]; B is stored transposed.
template <LayoutMode layout>
void heads(const Case& run) {
    using Left = MatmulType<TPosition::GM, CubeFormat::ND, half, false, layout>;
    using Right = MatmulType<TPosition::GM, CubeFormat::ND, half, true, layout>;
    using Sums = MatmulType<TPosition::GM, CubeFormat::ND, float, false, layout>;
    TCubeTiling t = tiling_of(run);
    const int32_t count = run.parameter(7);
    t.ALayoutInfoB = t.BLayoutInfoB = t.CLayoutInfoB = 1;
    t.ALayoutInfoS = t.CLayoutInfoS1 = t.M, t.BLayoutInfoS = t.CLayoutInfoS2 = t.N;
    t.ALayoutInfoN = t.BLayoutInfoN = t.CLayoutInfoN = 1;
    t.ALayoutInfoG = t.BLayoutInfoG = t.CLayoutInfoG = count;
    t.ALayoutInfoD = t.BLayoutInfoD = t.Ka;
    TPipe pipe;
    Matmul<Left, Right, Sums> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1), true);
    const auto batches = static_cast<uint32_t>(count);
    mm.IterateBatch(run.gm<float>(2), batches, batches, false);
    mm.End();
}
CASE("heads/BSNGD", heads<LayoutMode::BSNGD>)
CASE("heads/SBNGD", heads<LayoutMode::SBNGD>)
CASE("heads/BNGS1S2", heads<LayoutMode::BNGS1S2>)

/// A vector function works on the block where the Matmul object put it, without a queue in between.
void in_place(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    const TCubeTiling t = tiling_of(run);
    TPipe pipe;
    Matmul<Type<half>, Type<half>, Type<float, CubeFormat::ND, TPosition::VECIN>> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() != 0) return;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(out, 1, t.M * t.N * 4);
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1));
    auto x = out.AllocTensor<float>();
    mm.Iterate();
    mm.GetTensorC<true>(x, 0, true);
    Relu(x, x, t.M * t.N);
    out.EnQue(x);
    x = out.DeQue<float>();
    DataCopy(run.gm<float>(2), x, t.M * t.N);
    out.FreeTensor(x);
    mm.End();
}
CASE("in_place", in_place)
