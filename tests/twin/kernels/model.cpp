// Kernels whose modelled time is tested. Where not said otherwise they loop over one small window of global
// memory: only sizes matter.
#include "case.h"
#include "lib/matmul_intf.h"
#include "twin/core/cube_schedule.h"

using namespace AscendC;
using cases::Case;

/// Adds whole tensors, in equal parts. Parameters: elements of all cores, elements of a tile.
template <int buffers>
void add(const Case& run) {
    const auto tile = run.parameter<uint32_t>(1);
    const auto per_core = run.parameter<int64_t>(0) / GetBlockNum();
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in0, in1;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in0, buffers, tile * sizeof(half));
    pipe.InitBuffer(in1, buffers, tile * sizeof(half));
    pipe.InitBuffer(out, buffers, tile * sizeof(half));
    auto x = run.gm<half>(0), y = run.gm<half>(1), z = run.gm<half>(2);
    for (int64_t done = 0; done + tile <= per_core; done += tile) {
        const int64_t at = GetBlockIdx() * per_core + done;
        auto a = in0.AllocTensor<half>(), b = in1.AllocTensor<half>();
        DataCopy(a, x[at], tile);
        DataCopy(b, y[at], tile);
        in0.EnQue(a);
        in1.EnQue(b);
        a = in0.DeQue<half>();
        b = in1.DeQue<half>();
        auto c = out.AllocTensor<half>();
        Add(c, a, b, static_cast<int32_t>(tile));
        out.EnQue(c);
        in0.FreeTensor(a);
        in1.FreeTensor(b);
        c = out.DeQue<half>();
        DataCopy(z[at], c, tile);
        out.FreeTensor(c);
    }
}
CASE("add/single", add<1>)
CASE("add/double", add<2>)

/// Element by element through the scalar unit. Parameter: elements.
void scalar(const Case& run) {
    auto x = run.gm<half>(0), z = run.gm<half>(1);
    for (uint32_t i = 0; i < run.parameter<uint32_t>(0); ++i) {
        z.SetValue(i, half(static_cast<float>(x.GetValue(i)) + 1.0f));
    }
}
CASE("scalar", scalar)

/// Vector work only. Parameters: repetitions, elements of a call.
void compute(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 65536);
    auto t = buffer.Get<float>();
    Duplicate(t, 1.0f, 16384);
    for (int i = 0; i < run.parameter(0); ++i) Muls(t, t, 1.0f, run.parameter(1));
}
CASE("compute", compute)

/// The same bytes in rows of `parameter(1)` bytes.
void rows(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 131072);
    auto t = buffer.Get<uint8_t>();
    const auto bytes = run.parameter<uint32_t>(1);
    const auto count = static_cast<uint16_t>(run.parameter<uint32_t>(0) / bytes);
    DataCopyPad(t, run.gm<uint8_t>(0), DataCopyExtParams{count, bytes, 0, 0, 0},
                DataCopyPadExtParams<uint8_t>{false, 0, 0, 0});
}
CASE("rows", rows)

/// The time of a product, without its data. Parameters: m, n, k of a core, base blocks, steps of K that a
/// copy of A and of B brings, whether B is stored transposed, bytes of C, share of A and of B that comes from
/// HBM, bytes between rows of A and of B.
void product(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    twin::ProductShape shape;
    uint64_t* const sizes[] = {&shape.m,      &shape.n,      &shape.k,       &shape.base_m,
                               &shape.base_n, &shape.base_k, &shape.step_ka, &shape.step_kb};
    for (int i = 0; i < 8; ++i) *sizes[i] = run.parameter<uint64_t>(i);
    shape.b.rows_along_k = run.parameter(8) != 0, shape.c_bytes = run.parameter<uint64_t>(9);
    shape.a.missed = run.parameter<double>(10), shape.b.missed = run.parameter<double>(11);
    shape.a.step = run.parameter<uint64_t>(12), shape.b.step = run.parameter<uint64_t>(13);
    twin::Core& core = twin::core();
    twin::join_readers(core, core.cube.reads);
    twin::ProductSchedule schedule(shape, core.launch.cube_rates);
    core.pipe(twin::Pipe::M).done =
        schedule.run(0, [&core](twin::Pipe pipe, double begin, double cycles, double, char) {
            core.spend(pipe, {begin, cycles});
        });
}
CASE("product", product)

using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;

/// 128 x 256 x 512 as one block of a core.
TCubeTiling one_block() {
    TCubeTiling t;
    t.M = t.singleCoreM = t.baseM = 128, t.N = t.singleCoreN = t.baseN = 256,
    t.Ka = t.Kb = t.singleCoreK = 512;
    t.baseK = 64, t.stepKa = t.stepKb = 4;
    return t;
}

/// A product of 128 x 256 x 512 on every vector core and, beside it, vector work. Parameter: repetitions of
/// that work.
template <int task, const MatmulConfig& config, bool sync, bool waits, bool waits_for_another = false>
void beside(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(task);
    TCubeTiling t = one_block();
    TPipe pipe;
    matmul::Matmul<Half, Half, Half, Half, config> mm, idle;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    TBuf<> buffer, back;
    pipe.InitBuffer(buffer, 65536);
    pipe.InitBuffer(back, 65536);
    auto c = run.gm<half>(2)[GetBlockIdx() * 128 * 256];
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1));
    mm.template IterateAll<sync>(c, 0, false, !sync);
    auto x = buffer.Get<float>();
    Duplicate(x, 1.0f, 16384);
    for (int i = 0; i < run.parameter(0); ++i) Muls(x, x, 1.0f, 16384);
    if (waits) mm.WaitIterateAll();
    if (waits_for_another) idle.WaitIterateAll();
    PipeBarrier<PIPE_ALL>();
    DataCopy(back.Get<half>(), c, 32768);
    mm.End();
}
CASE("beside/sync", beside<KERNEL_TYPE_MIX_AIC_1_2, CFG_NORM, true, false>)
CASE("beside/async", beside<KERNEL_TYPE_MIX_AIC_1_2, CFG_NORM, false, true>)
CASE("beside/forgotten", beside<KERNEL_TYPE_MIX_AIC_1_2, CFG_NORM, false, false>)
CASE("beside/another", beside<KERNEL_TYPE_MIX_AIC_1_2, CFG_NORM, false, false, true>)
CASE("beside/mdl", beside<KERNEL_TYPE_MIX_AIC_1_2, CFG_MDL, true, false>)
CASE("beside/one", beside<KERNEL_TYPE_MIX_AIC_1_1, CFG_NORM, true, false>)

/// An asynchronous product, whose caller overwrites a part of an operand before it waits, or behind that.
template <bool early>
void overwritten(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    TCubeTiling t = one_block();
    TPipe pipe;
    matmul::Matmul<Half, Half, Half> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 2048);
    auto zeros = buffer.Get<half>();
    Duplicate(zeros, half(0), 1024);
    PipeBarrier<PIPE_ALL>();
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1));
    mm.template IterateAll<false>(run.gm<half>(2), 0, false, true);
    if (early) DataCopy(run.gm<half>(0), zeros, 1024);  // over an operand
    mm.WaitIterateAll();
    if (!early) DataCopy(run.gm<half>(0), zeros, 1024);
    mm.End();
}
CASE("overwritten/early", overwritten<true>)
CASE("overwritten/late", overwritten<false>)

/// A product of 64 x 64 x 64 with A in UB or in global memory. The tensor in UB is filled with zeros at once,
/// or when the library has copied it.
enum class Operand { global, local, reused, reused_early };
template <Operand kind>
void operand(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    constexpr auto kPlace = kind == Operand::global ? TPosition::GM : TPosition::VECOUT;
    TCubeTiling t = one_block();
    t.M = t.singleCoreM = t.baseM = t.N = t.singleCoreN = t.baseN = t.Ka = t.Kb = t.singleCoreK = 64;
    t.stepKa = t.stepKb = 1;
    TPipe pipe;
    matmul::Matmul<MatmulType<kPlace, CubeFormat::ND, half>, Half, Half> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 64 * 64 * sizeof(half));
    auto a = buffer.Get<half>();
    DataCopy(a, run.gm<half>(0), 64 * 64);
    PipeBarrier<PIPE_ALL>();
    if constexpr (kind == Operand::global) {
        mm.SetTensorA(run.gm<half>(0));
    } else {
        mm.SetTensorA(a);
    }
    if (kind == Operand::reused) {
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    }
    if (kind >= Operand::reused) Duplicate(a, half(0), 64 * 64);  // over what is copied
    mm.SetTensorB(run.gm<half>(1));
    mm.IterateAll(run.gm<half>(2));
    mm.End();
}
CASE("operand/global", operand<Operand::global>)
CASE("operand/local", operand<Operand::local>)
CASE("operand/reused", operand<Operand::reused>)
CASE("operand/reused_early", operand<Operand::reused_early>)

/// Takes a number from each of eight results of the vector unit, by the scalar unit: out of UB, or out of
/// global memory, where MTE3 stores it.
template <bool is_global>
void number_of_result(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 65536);
    auto x = buffer.Get<float>();
    auto out = run.gm<float>(0);
    Duplicate(x, 1.0f, 16384);
    for (int i = 0; i < 8; ++i) {
        for (int again = 0; again < 8; ++again) Muls(x, x, 1.0f, 16384);
        if (is_global) {
            PipeBarrier<PIPE_ALL>();
            DataCopy(out, x, 8);
        }
        const float scale = is_global ? out.GetValue(0) : x.GetValue(0);
        Muls(x, x, scale, 8);
    }
}
CASE("number_of_result/local", number_of_result<false>)
CASE("number_of_result/global", number_of_result<true>)

/// Eight times a copy, vector work on it, and the next copy behind that; each hands over directly, or by way
/// of a pipe that does nothing.
template <bool is_relayed>
void relayed(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 65536);
    auto x = buffer.Get<float>();
    for (int i = 0; i < 8; ++i) {
        DataCopy(x, run.gm<float>(0), 16384);
        if (is_relayed) {
            SetFlag<HardEvent::MTE2_M>(0), WaitFlag<HardEvent::MTE2_M>(0);
            SetFlag<HardEvent::M_V>(0), WaitFlag<HardEvent::M_V>(0);
        } else {
            SetFlag<HardEvent::MTE2_V>(0), WaitFlag<HardEvent::MTE2_V>(0);
        }
        Muls(x, x, 2.0f, 16384);
        SetFlag<HardEvent::V_MTE2>(0), WaitFlag<HardEvent::V_MTE2>(0);
    }
}
CASE("relayed/no", relayed<false>)
CASE("relayed/yes", relayed<true>)

/// Instructions that each need the result of the last, with a copy of no bytes between them or without.
template <bool is_parted>
void in_a_row(const Case&) {
    TPipe pipe;
    TBuf<> buffer, none;
    pipe.InitBuffer(buffer, 256);
    pipe.InitBuffer(none, 256);
    auto x = buffer.Get<float>(), empty = none.Get<float>();
    Duplicate(x, 1.0f, 64);
    for (int i = 0; i < 64; ++i) {
        if (is_parted) DataCopy(empty, empty, DataCopyParams{1, 0, 0, 0});
        Muls(x, x, 1.0f, 64);
    }
}
CASE("in_a_row/plain", in_a_row<false>)
CASE("in_a_row/parted", in_a_row<true>)

/// A Matmul object that no cube core serves, on vector cores alone or on both kinds of cores.
template <int task>
void unserved(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(task);
    TCubeTiling t = one_block();
    TPipe pipe;
    matmul::Matmul<Half, Half, Half, Half, CFG_NORM> mm;
    mm.Init(&t, &pipe);
    mm.SetTensorA(run.gm<half>(0));
    mm.SetTensorB(run.gm<half>(1));
    const bool is_cube = ASCEND_IS_AIC;
    mm.IterateAll(run.gm<half>(2)[(is_cube ? 1 : 0) * 128 * 256]);
}
CASE("unserved/vector", unserved<KERNEL_TYPE_AIV_ONLY>)
CASE("unserved/mixed", unserved<KERNEL_TYPE_MIX_AIC_1_1>)

/// 2,048 numbers sorted by 32, or as a whole.
template <bool is_full>
void sorted(const Case&) {
    TPipe pipe;
    TBuf<> values, places, pairs, room;
    for (TBuf<>* each : {&values, &places}) pipe.InitBuffer(*each, 8192);
    for (TBuf<>* each : {&pairs, &room}) pipe.InitBuffer(*each, 16384);
    auto x = values.Get<float>(), work = room.Get<float>();
    auto index = places.Get<uint32_t>();
    Duplicate(x, 1.0f, 2048);
    Duplicate(index.ReinterpretCast<int32_t>(), 1, 2048);
    PipeBarrier<PIPE_V>();
    for (int i = 0; i < 16; ++i) Sort<float, is_full>(pairs.Get<float>(), x, index, work, 64);
}
CASE("sorted/parts", sorted<false>)
CASE("sorted/whole", sorted<true>)

/// A product of a Matmul object on every vector core. Parameters: m, n, k of a core, base blocks, columns of
/// the whole product, cores along m.
void object(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    using Float = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    TCubeTiling t;
    t.singleCoreM = run.parameter(0), t.singleCoreN = run.parameter(1);
    t.Ka = t.Kb = t.singleCoreK = run.parameter(2);
    t.baseM = run.parameter(3), t.baseN = run.parameter(4), t.baseK = run.parameter(5);
    t.N = run.parameter(6), t.M = t.singleCoreM * run.parameter(7);
    t.stepKa = t.stepKb = 4;
    const int64_t along_m = GetBlockIdx() % run.parameter(7), along_n = GetBlockIdx() / run.parameter(7);
    TPipe pipe;
    matmul::Matmul<Half, Half, Float, Float, CFG_NORM> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    mm.SetTensorA(run.gm<half>(0)[along_m * t.singleCoreM * t.Ka]);
    mm.SetTensorB(run.gm<half>(1)[along_n * t.singleCoreN]);
    mm.IterateAll(run.gm<float>(2)[along_m * t.singleCoreM * t.N + along_n * t.singleCoreN]);
    mm.End();
}
CASE("object", object)

/// Products of 128 x 256 x 512, one call behind the other on a cube core. Parameter: calls.
void behind(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TCubeTiling t = one_block();
    TPipe pipe;
    matmul::Matmul<Half, Half, Half, Half, CFG_MDL> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    for (int i = 0; i < run.parameter(0); ++i) {
        mm.SetTensorA(run.gm<half>(0));
        mm.SetTensorB(run.gm<half>(1));
        mm.IterateAll(run.gm<half>(2));
    }
    mm.End();
}
CASE("behind", behind)

/// Products of 128 x 128 x 128 by instructions. Parameters: how many, copies in L1 and L0, whether unit flags
/// order product and store, rows a copy turns, elements between the first copies of two cores, cores that
/// have any.
void steps(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    if (GetBlockIdx() >= run.parameter(5)) return;
    constexpr uint32_t kTile = 16384;
    const auto buffers = run.parameter<int>(1);
    const bool unit = run.parameter(2) != 0;
    const auto rows = run.parameter<uint16_t>(3);
    const auto columns = static_cast<uint16_t>(kTile / rows);
    const LoadData2DParams whole{0, kTile * 2 / 512, 1, 0, 0, false, 0};
    auto in = run.gm<half>(0);
    const int64_t first = GetBlockIdx() * run.parameter<int64_t>(4);
    const LocalTensor<float> c(TPosition::CO1, 0, kTile);
    for (int i = 0; i < buffers; ++i) {
        SetFlag<HardEvent::MTE1_MTE2>(static_cast<event_t>(i));
        SetFlag<HardEvent::M_MTE1>(static_cast<event_t>(i));
    }
    SetFlag<HardEvent::FIX_M>(EVENT_ID0);
    for (int64_t i = 0; i < run.parameter(0); ++i) {
        const auto slot = static_cast<event_t>(i % buffers);
        const auto place = static_cast<uint32_t>(slot) * kTile * 2;
        const LocalTensor<half> l1(TPosition::A1, place, kTile), a(TPosition::A2, place, kTile),
            b(TPosition::B2, place, kTile);
        WaitFlag<HardEvent::MTE1_MTE2>(slot);
        DataCopy(l1, in[(first + i * kTile) % run.count<half>(0)],
                 Nd2NzParams{1, rows, columns, 0, columns, rows, 1, 0});
        SetFlag<HardEvent::MTE2_MTE1>(slot);
        WaitFlag<HardEvent::M_MTE1>(slot);
        WaitFlag<HardEvent::MTE2_MTE1>(slot);
        LoadData(a, l1, whole);
        LoadData(b, l1, whole);
        SetFlag<HardEvent::MTE1_MTE2>(slot);
        SetFlag<HardEvent::MTE1_M>(slot);
        WaitFlag<HardEvent::MTE1_M>(slot);
        if (!unit) WaitFlag<HardEvent::FIX_M>(EVENT_ID0);
        Mmad(c, a, b, MmadParams{128, 128, 128, static_cast<uint8_t>(unit ? 3 : 0), false, true});
        SetFlag<HardEvent::M_MTE1>(slot);
        FixpipeParamsV220 out{128, 128, 128, 128, false, F322F16, 0, 1, 0, 0, 0};
        out.unitFlag = unit ? 3 : 0;
        if (!unit) SetFlag<HardEvent::M_FIX>(EVENT_ID0), WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
        Fixpipe(run.gm<half>(1)[GetBlockIdx() * kTile], c, out);
        if (!unit) SetFlag<HardEvent::FIX_M>(EVENT_ID0);
    }
    PipeBarrier<PIPE_ALL>();
}
CASE("steps", steps)

/// A vector core reads 64 KB which its cube core has stored just before, or which nobody has touched.
template <bool stored>
void handed_over(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if ASCEND_IS_AIC {
        const LocalTensor<float> c(TPosition::CO1, 0, 16384);
        Fixpipe(run.gm<float>(1), c, FixpipeParamsV220{128, 128, 128, 128, false, NoQuant, 0, 1, 0, 0, 0});
        CrossCoreSetFlag<2, PIPE_FIX>(0);
        return;
    }
    CrossCoreWaitFlag(0);
    const LocalTensor<float> x(TPosition::VECCALC, 0, 16384);
    if (GetSubBlockIdx() == 0) DataCopy(x, run.gm<float>(stored ? 1 : 0), 16384);
}
CASE("handed over/stored", handed_over<true>)
CASE("handed over/new", handed_over<false>)

/// Each core copies tiles of its own into L1. Parameters: tiles, tensors the cores are spread over.
void spread(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    constexpr int64_t kTile = 64 * 256;
    const auto tiles = run.parameter<int64_t>(0), tensors = run.parameter<int64_t>(1);
    const auto own =
        run.gm<half>(static_cast<int>(GetBlockIdx() % tensors))[GetBlockIdx() / tensors * tiles * kTile];
    const LocalTensor<half> l1(TPosition::A1, 0, kTile);
    for (int64_t i = 0; i < tiles; ++i) {
        DataCopy(l1, own[i * kTile], Nd2NzParams{1, 64, 256, 0, 256, 64, 1, 0});
        PipeBarrier<PIPE_ALL>();
    }
}
CASE("spread", spread)

/// Each core reads rows of 512 bytes, perhaps after the first 32 of each. Parameters: rows of a core,
/// whether.
void read_again(const Case& run) {
    constexpr uint32_t kRow = 512, kRows = 256;
    const auto rows = run.parameter<int64_t>(0);
    const LocalTensor<uint8_t> t(TPosition::VECCALC, 0, kRow * kRows);
    auto own = run.gm<uint8_t>(0)[GetBlockIdx() * rows * kRow];
    for (int64_t i = 0; i < rows && run.parameter(1) != 0; i += kRows) {
        DataCopyPad(t, own[i * kRow], DataCopyExtParams{kRows, 32, kRow - 32, 0, 0},
                    DataCopyPadExtParams<uint8_t>{false, 0, 0, 0});
    }
    for (int64_t i = 0; i < rows; i += kRows) DataCopy(t, own[i * kRow], kRow * kRows);
}
CASE("read again", read_again)
