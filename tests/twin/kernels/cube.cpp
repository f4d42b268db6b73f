// Matrix instructions: each case multiplies, with one way of loading, converting or storing.
#include "case.h"

using namespace AscendC;
using cases::Case;

template <class T>
constexpr uint32_t kC0 = 32 / sizeof(T);

uint32_t up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

/// Tensors at fixed addresses, one for every memory.
template <class T, class C>
struct Tile {
    LocalTensor<T> a1{TPosition::A1, 0, 65536 / sizeof(T)};
    LocalTensor<T> b1{TPosition::B1, 131072, 65536 / sizeof(T)};
    LocalTensor<T> a2{TPosition::A2, 0, 65536 / sizeof(T)};
    LocalTensor<T> b2{TPosition::B2, 0, 65536 / sizeof(T)};
    LocalTensor<C> c{TPosition::CO1, 0, 131072 / sizeof(C)};
};

/// A [m, k] from GM into Zz in L0A.
template <class T, class C>
void load_left(Tile<T, C>& t, const GlobalTensor<T>& a, uint16_t m, uint16_t k) {
    const auto rows = static_cast<uint16_t>(up(m, 16));
    DataCopy(t.a1, a, Nd2NzParams{1, m, k, 0, k, rows, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    const uint32_t blocks = up(k, kC0<T>) / kC0<T>;
    if (m == 1) {  // a plain row: columns of one row each are what the matrix-vector product reads
        for (uint32_t i = 0; i < blocks; ++i) {
            DataCopy(t.a1[32768 / sizeof(T)], a, up(k, kC0<T>));
        }
        SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID1);
        WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID1);
        LoadData(t.a2, t.a1[32768 / sizeof(T)],
                 LoadData2DParams{0, static_cast<uint8_t>(up(k * sizeof(T), 512) / 512), 1, 0, 0, false, 0});
        return;
    }
    for (uint32_t i = 0; i < rows / 16u; ++i) {
        LoadData(t.a2[i * blocks * 16 * kC0<T>], t.a1[i * 16 * kC0<T>],
                 LoadData2DParams{0, static_cast<uint8_t>(blocks), static_cast<uint16_t>(rows / 16), 0, 0,
                                  false, 0});
    }
}

/// B stored as [n, k]: its Nz form is the Zn form of [k, n].
template <class T, class C>
void load_right_transposed(Tile<T, C>& t, const GlobalTensor<T>& b, uint16_t k, uint16_t n) {
    const auto columns = static_cast<uint16_t>(up(n, 16));
    DataCopy(t.b1, b, Nd2NzParams{1, n, k, 0, k, columns, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    const uint32_t fractals = up(k, kC0<T>) / kC0<T> * (columns / 16u);
    LoadData(t.b2, t.b1, LoadData2DParams{0, static_cast<uint8_t>(fractals), 1, 0, 0, false, 0});
}

void start_product() {
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
}

template <class O, class C>
void store(const GlobalTensor<O>& out, const LocalTensor<C>& c, uint16_t m, uint16_t n, QuantMode_t quant,
           bool relu = false, int64_t scalar = 0) {
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    Fixpipe(out, c,
            FixpipeParamsV220{n, m, static_cast<uint16_t>(up(m, 16)), n, relu, quant, scalar, 1, 0, 0, 0});
}

template <class T, class C>
void product(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    const auto m = run.parameter<uint16_t>(0), k = run.parameter<uint16_t>(1), n = run.parameter<uint16_t>(2);
    Tile<T, C> t;
    load_left(t, run.gm<T>(0), m, k);
    load_right_transposed(t, run.gm<T>(1), k, n);
    start_product();
    Mmad(t.c, t.a2, t.b2, MmadParams{m, n, k, 0, false, true});
    store(run.gm<C>(2), t.c, m, n, NoQuant);
}
CASE("product/half", product<half, float>)
CASE("product/bf16", product<bfloat16_t, float>)
CASE("product/float", product<float, float>)
CASE("product/int8", product<int8_t, int32_t>)

/// B as [k, n], transposed fractal by fractal on the way to L0B.
void product_transposing(const Case& run) {
    const auto m = run.parameter<uint16_t>(0), k = run.parameter<uint16_t>(1), n = run.parameter<uint16_t>(2);
    Tile<half, float> t;
    load_left(t, run.gm<half>(0), m, k);
    DataCopy(t.b1, run.gm<half>(1), Nd2NzParams{1, k, n, 0, n, k, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    for (int i = 0; i < k / 16; ++i) {
        LoadData(
            t.b2[i * n * 16], t.b1[i * 256],
            LoadData2DParams{0, static_cast<uint8_t>(n / 16), static_cast<uint16_t>(k / 16), 0, 0, true, 0});
    }
    start_product();
    Mmad(t.c, t.a2, t.b2, MmadParams{m, n, k, 0, false, true});
    store(run.gm<float>(2), t.c, m, n, NoQuant);
}
CASE("transposing/2d", product_transposing)

/// B as [k, n] with k a multiple of a square, through LoadDataWithTranspose.
template <class T, class C>
void product_squares(const Case& run) {
    const auto m = run.parameter<uint16_t>(0), k = run.parameter<uint16_t>(1), n = run.parameter<uint16_t>(2);
    constexpr uint32_t side = sizeof(T) == 1 ? 32 : 16;
    Tile<T, C> t;
    load_left(t, run.gm<T>(0), m, k);
    const auto strips = static_cast<uint16_t>(k / side);  // one Nz matrix of `side` rows for every strip
    DataCopy(t.b1, run.gm<T>(1),
             Nd2NzParams{strips, side, n, static_cast<uint16_t>(side * n), n, side, 1,
                         static_cast<uint16_t>(side * n)});
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    const auto columns = static_cast<uint16_t>(n / 16);
    for (uint32_t strip = 0; strip < strips; ++strip) {
        const uint16_t gap = sizeof(T) == 1 ? 1 : 0;
        const uint16_t part_gap = sizeof(T) == 4 ? static_cast<uint16_t>(columns - 1) : 0;
        LoadDataWithTranspose(t.b2[strip * side * n], t.b1[strip * side * n],
                              LoadData2dTransposeParams{0, static_cast<uint8_t>(n / side), 1, gap, part_gap});
    }
    start_product();
    Mmad(t.c, t.a2, t.b2, MmadParams{m, n, k, 0, false, true});
    store(run.gm<C>(2), t.c, m, n, NoQuant);
}
CASE("squares/half", product_squares<half, float>)
CASE("squares/float", product_squares<float, float>)
CASE("squares/int8", product_squares<int8_t, int32_t>)

/// A convolution: image [C1, H, W, C0] into L0A by image-to-column, weights ready as Zn.
void convolution(const Case& run) {
    const auto height = run.parameter<uint16_t>(0), width = run.parameter<uint16_t>(1);
    const auto channels = run.parameter<uint16_t>(2);
    const auto pad = run.parameter<uint8_t>(3);
    const auto stride = run.parameter<uint8_t>(4), filter = run.parameter<uint8_t>(5);
    const auto m = run.parameter<uint16_t>(6), n = run.parameter<uint16_t>(7);
    const auto k = static_cast<uint16_t>(channels * filter * filter);
    Tile<half, float> t;
    DataCopy(t.a1, run.gm<half>(0), run.count<half>(0));
    DataCopy(t.b1, run.gm<half>(1), run.count<half>(1));
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    const uint8_t pads[4] = {pad, pad, pad, pad};
    LoadData(t.a2, t.a1,
             LoadData3DParamsV2<half>{pads, height, width, channels, k, m, 0, 0, stride, stride, filter,
                                      filter, 1, 1, false, false, half(0)});
    LoadData(t.b2, t.b1, LoadData2DParams{0, static_cast<uint8_t>(k / 16 * (n / 16)), 1, 0, 0, false, 0});
    start_product();
    Mmad(t.c, t.a2, t.b2, MmadParams{m, n, k, 0, false, true});
    store(run.gm<float>(2), t.c, m, n, NoQuant);
}
CASE("convolution", convolution)

/// Both operands through the image path: A stored as [k, m], B as [k, n].
template <class T>
void product_image(const Case& run) {
    const auto m = run.parameter<uint16_t>(0), k = run.parameter<uint16_t>(1), n = run.parameter<uint16_t>(2);
    Tile<T, float> t;
    DataCopy(t.a1, run.gm<T>(0), Nd2NzParams{1, k, m, 0, m, k, 1, 0});
    DataCopy(t.b1, run.gm<T>(1), Nd2NzParams{1, k, n, 0, n, k, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    const uint8_t pads[4] = {0, 0, 0, 0};
    SetFmatrix(k, 1, pads, FmatrixMode::FMATRIX_LEFT);
    SetLoadDataPaddingValue(T(0));
    const auto word = [](uint64_t rows, uint64_t columns) { return rows << 16 | columns; };
    LoadData(t.a2, t.a1,
             LoadData3DParamsV2Pro{m, true, false, false, false, false, word(k, m), 0x10101010101});
    LoadData(t.b2, t.b1,
             LoadData3DParamsV2Pro{n, false, false, false, false, false, word(k, n), 0x10101010101});
    start_product();
    Mmad(t.c, t.a2, t.b2, MmadParams{m, n, k, 0, false, true});
    store(run.gm<float>(2), t.c, m, n, NoQuant);
}
CASE("image/half", product_image<half>)
CASE("image/float", product_image<float>)

/// Two halves of k added up in L0C, with a bias, behind TPipe queues.
void product_queues(const Case& run) {
    const auto m = run.parameter<uint16_t>(0), k = run.parameter<uint16_t>(1), n = run.parameter<uint16_t>(2);
    const auto part = static_cast<uint16_t>(k / 2);
    TPipe pipe;
    TQue<TPosition::A1, 2> a1;
    TQue<TPosition::B1, 2> b1;
    TQue<TPosition::A2, 2> a2;
    TQue<TPosition::B2, 2> b2;
    TQue<TPosition::C1, 1> c1;
    TQue<TPosition::C2, 1> c2;
    TQue<TPosition::CO1, 1> co1;
    pipe.InitBuffer(a1, 2, m * part * 2);
    pipe.InitBuffer(b1, 2, n * part * 2);
    pipe.InitBuffer(a2, 2, m * part * 2);
    pipe.InitBuffer(b2, 2, n * part * 2);
    pipe.InitBuffer(c1, 1, n * 4);
    pipe.InitBuffer(c2, 1, n * 4);
    pipe.InitBuffer(co1, 1, m * n * 4);
    auto bias1 = c1.AllocTensor<float>();
    DataCopy(bias1, run.gm<float>(2), n);
    c1.EnQue(bias1);
    bias1 = c1.DeQue<float>();
    auto bias2 = c2.AllocTensor<float>();
    DataCopy(bias2, bias1, DataCopyParams{1, static_cast<uint16_t>(n * 4 / 64), 0, 0});
    c2.EnQue(bias2);
    c1.FreeTensor(bias1);
    bias2 = c2.DeQue<float>();
    auto sum = co1.AllocTensor<float>();
    for (uint16_t step = 0; step < 2; ++step) {
        auto left = a1.AllocTensor<half>();
        auto right = b1.AllocTensor<half>();
        DataCopy(left, run.gm<half>(0)[step * part], Nd2NzParams{1, m, part, 0, k, m, 1, 0});
        DataCopy(right, run.gm<half>(1)[step * part], Nd2NzParams{1, n, part, 0, k, n, 1, 0});
        a1.EnQue(left);
        b1.EnQue(right);
        left = a1.DeQue<half>();
        right = b1.DeQue<half>();
        auto zz = a2.AllocTensor<half>();
        auto zn = b2.AllocTensor<half>();
        for (int i = 0; i < m / 16; ++i) {
            LoadData(zz[i * part * 16], left[i * 256],
                     LoadData2DParams{0, static_cast<uint8_t>(part / 16), static_cast<uint16_t>(m / 16), 0, 0,
                                      false, 0});
        }
        LoadData(zn, right,
                 LoadData2DParams{0, static_cast<uint8_t>(part / 16 * (n / 16)), 1, 0, 0, false, 0});
        a2.EnQue(zz);
        b2.EnQue(zn);
        a1.FreeTensor(left);
        b1.FreeTensor(right);
        zz = a2.DeQue<half>();
        zn = b2.DeQue<half>();
        if (step == 0) {
            Mmad(sum, zz, zn, bias2, MmadParams{m, n, part, 0, false, false});
        } else {
            if (run.parameter(3) != 0) PipeBarrier<PIPE_M>();
            Mmad(sum, zz, zn, MmadParams{m, n, part, 0, false, false});  // adds up
        }
        a2.FreeTensor(zz);
        b2.FreeTensor(zn);
    }
    c2.FreeTensor(bias2);
    co1.EnQue(sum);
    sum = co1.DeQue<float>();
    Fixpipe(run.gm<float>(3), sum, FixpipeParamsV220{n, m, m, n, false});
    co1.FreeTensor(sum);
}
CASE("queues", product_queues)

// FixPipe: the product of A with an identity, so that L0C holds A, converted on the way out.
template <class T, class C, class O, bool nz = false>
void fix(const Case& run) {
    const auto m = run.parameter<uint16_t>(0), n = run.parameter<uint16_t>(1);
    const auto quant = static_cast<QuantMode_t>(run.parameter(2));
    const auto scalar = static_cast<int64_t>(run.parameter<double>(4));
    Tile<T, C> t;
    load_left(t, run.gm<T>(0), m, n);
    load_right_transposed(t, run.gm<T>(1), n, n);
    start_product();
    Mmad(t.c, t.a2, t.b2, MmadParams{m, n, n, 0, false, true});
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    FixpipeParamsV220 p{n, m, static_cast<uint16_t>(up(m, 16)), n, run.parameter(3) != 0, quant, scalar, 1, 0,
                        0, 0};
    const bool vector = quant == VREQ8 || quant == VDEQF16 || quant == VQF322B8_PRE;
    if (nz) {
        p.isChannelSplit = run.parameter(5) != 0;
        p.dstStride = m *
                      (p.isChannelSplit ? 8
                       : sizeof(O) == 1 ? 32
                                        : 16) *
                      static_cast<uint32_t>(sizeof(O)) / 32;
        Fixpipe<O, C, CFG_NZ>(run.gm<O>(3), t.c, p);
    } else if (vector) {
        LocalTensor<uint64_t> factors(TPosition::C1, 400000, 64);
        DataCopy(factors, run.gm<uint64_t>(2), n);
        SetFlag<HardEvent::MTE2_FIX>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_FIX>(EVENT_ID0);
        Fixpipe<O, C, CFG_ROW_MAJOR>(run.gm<O>(3), t.c, factors, p);
    } else {
        Fixpipe(run.gm<O>(3), t.c, p);
    }
}
CASE("fix/f32_f32", fix<float, float, float>)
CASE("fix/f32_f16", fix<float, float, half>)
CASE("fix/f32_bf16", fix<float, float, bfloat16_t>)
CASE("fix/f32_s8", fix<float, float, int8_t>)
CASE("fix/f32_u8", fix<float, float, uint8_t>)
CASE("fix/s32_f16", fix<int8_t, int32_t, half>)
CASE("fix/s32_s8", fix<int8_t, int32_t, int8_t>)
CASE("fix/nz_f32", fix<float, float, float, true>)
CASE("fix/nz_f16", fix<float, float, half, true>)
CASE("fix/nz_s8", fix<float, float, int8_t, true>)

/// (A B) B with the first result going through L1.
void chain(const Case& run) {
    const auto m = run.parameter<uint16_t>(0), n = run.parameter<uint16_t>(1);
    Tile<half, float> t;
    load_left(t, run.gm<half>(0), m, n);
    load_right_transposed(t, run.gm<half>(1), n, n);
    start_product();
    Mmad(t.c, t.a2, t.b2, MmadParams{m, n, n, 3, false, true});
    Fixpipe(t.a1, t.c, FixpipeParamsV220{n, m, m, static_cast<uint32_t>(m), false, F322F16, 0, 1, 0, 0, 3});
    SetFlag<HardEvent::FIX_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::FIX_MTE1>(EVENT_ID0);
    SetFlag<HardEvent::M_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::M_MTE1>(EVENT_ID0);
    for (int i = 0; i < m / 16; ++i) {
        LoadData(
            t.a2[i * n * 16], t.a1[i * 256],
            LoadData2DParams{0, static_cast<uint8_t>(n / 16), static_cast<uint16_t>(m / 16), 0, 0, false, 0});
    }
    start_product();
    Mmad(t.c, t.a2, t.b2, MmadParams{m, n, n, 3, false, true});
    DataCopyCO12DstParams out{n, m, n, m, NoQuant, 0, false, true};
    out.unitFlag = 3;
    SetFixpipeNz2ndFlag(1, 0, 0);
    DataCopy(run.gm<float>(2), t.c, out);
}
CASE("chain", chain)

// A product and its store by unit flags, the product's as the parameter gives it.
void unit_flags(const Case& run) {
    Tile<half, float> t;
    load_left(t, run.gm<half>(0), 32, 32);
    load_right_transposed(t, run.gm<half>(1), 32, 32);
    start_product();
    Mmad(t.c, t.a2, t.b2, MmadParams{32, 32, 32, run.parameter<uint8_t>(0), false, true});
    FixpipeParamsV220 out{32, 32, 32, 32, false, NoQuant, 0, 1, 0, 0, 3};
    Fixpipe(run.gm<float>(2), t.c, out);
}
CASE("unit_flags", unit_flags)

// The result lies in L1 where the factors of its columns lay; then it is copied out.
void fix_over_factors(const Case& run) {
    const auto m = run.parameter<uint16_t>(0), n = run.parameter<uint16_t>(1);
    Tile<int8_t, int32_t> t;
    load_left(t, run.gm<int8_t>(0), m, n);
    load_right_transposed(t, run.gm<int8_t>(1), n, n);
    start_product();
    Mmad(t.c, t.a2, t.b2, MmadParams{m, n, n, 0, false, true});
    LocalTensor<uint64_t> factors(TPosition::C1, 400000, 128);
    LocalTensor<int8_t> target(TPosition::A1, 400000, 1024);
    DataCopy(factors, run.gm<uint64_t>(2), n);
    SetFlag<HardEvent::MTE2_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_FIX>(EVENT_ID0);
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    Fixpipe<int8_t, int32_t, CFG_NZ>(target, t.c, factors,
                                     FixpipeParamsV220{n, m, m, m, false, VREQ8, 0, 1, 0, 0, 0});
    SetFlag<HardEvent::FIX_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::FIX_MTE3>(EVENT_ID0);
    DataCopy(run.gm<int8_t>(3), target, m * n);
}
CASE("fix_over_factors", fix_over_factors)

void fill(const Case& run) {
    LocalTensor<half> a1(TPosition::A1, 0, 4096);
    Fill(a1, InitConstValueParams<half>{4, 2, 2, half(1.5)});
    Fill(a1[32], InitConstValueParams<half>{4, 2, 2, half(-2)});
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(run.gm<half>(0), a1, 256);
}
CASE("fill", fill)

// Mistakes.
template <int mistake>
void wrong(const Case& run) {
    if (mistake == 6) {
        KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    }
    Tile<half, float> t;
    const uint16_t m = 16, n = 16, k = 16;
    const Nd2NzParams nd{1, m, k, 0, mistake == 0 ? uint64_t(65535) : k, mistake == 5 ? uint16_t(0) : m,
                         1, 0};
    DataCopy(t.a1, run.gm<half>(0), nd);  // load
    DataCopy(t.b1, run.gm<half>(1), nd);
    if (mistake != 1) {
        SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    }
    const LoadData2DParams one{0, 1, 1, 0, 0, false, 0};
    LoadData(mistake == 2 ? t.a2[16] : t.a2, t.a1, one);  // to L0A
    LoadData(t.b2, mistake == 7 ? t.b1[30000] : t.b1, one);
    if (mistake != 3) start_product();
    Mmad(t.c, mistake == 4 ? t.b2 : t.a2, t.b2, MmadParams{m, n, k, 0, false, true});  // product
    if (mistake != 8) {
        SetFlag<HardEvent::M_FIX>(EVENT_ID0);
        WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    }
    const auto quant = mistake == 9 ? DEQF16 : NoQuant;
    Fixpipe(run.gm<float>(2), t.c, FixpipeParamsV220{n, m, m, n, false, quant, 0, 1, 0, 0, 0});  // result
}
CASE("wrong/none", wrong<-1>)
CASE("wrong/rows", wrong<0>)
CASE("wrong/no_mte2_mte1", wrong<1>)
CASE("wrong/l0_alignment", wrong<2>)
CASE("wrong/no_mte1_m", wrong<3>)
CASE("wrong/swapped", wrong<4>)
CASE("wrong/limit", wrong<5>)
CASE("wrong/core", wrong<6>)
CASE("wrong/unwritten", wrong<7>)
CASE("wrong/no_m_fix", wrong<8>)
CASE("wrong/quant", wrong<9>)
