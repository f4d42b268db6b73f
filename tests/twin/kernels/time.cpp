// Plain, well-written kernels for the operators of public profiles: what they are modelled to take is held
// against what CANN's own operators took (bench/bench_time.py, tests/twin/test_time.py). All share one frame:
// equal parts of the tensors for every core, tiles through double-buffered queues.
#include "case.h"

using namespace AscendC;
using cases::Case;

namespace {

constexpr uint32_t kTempBytes = 32 * 1024;

/// Elements of the tile: parameter 0.
uint32_t tile_of(const Case& run) { return run.parameter<uint32_t>(0); }

struct Part {
    int64_t begin, end;
};

/// The elements of `total` that this core handles, in whole units of 256.
Part part_of(int64_t total) {
    const int64_t blocks = GetBlockNum();
    const int64_t share = (((total + blocks - 1) / blocks) + 255) / 256 * 256;
    const int64_t begin = std::min<int64_t>(total, share * GetBlockIdx());
    return {begin, std::min<int64_t>(total, begin + share)};
}

template <class T>
void load(const LocalTensor<T>& to, const GlobalTensor<T>& from, uint32_t count) {
    if (count * sizeof(T) % 32 == 0) {
        DataCopy(to, from, count);
        return;
    }
    DataCopyPad(to, from, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0},
                DataCopyPadExtParams<T>{false, 0, 0, T(0)});
}

template <class T>
void store(const GlobalTensor<T>& to, const LocalTensor<T>& from, uint32_t count) {
    if (count * sizeof(T) % 32 == 0) {
        DataCopy(to, from, count);
        return;
    }
    DataCopyPad(to, from, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0});
}

/// One input, one output.
template <class In, class Out, class Operation>
void unary(const Case& run) {
    const Part part = part_of(run.count<Out>(1));
    if (part.begin >= part.end) return;
    const uint32_t tile = tile_of(run);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<> temp;
    pipe.InitBuffer(in, 2, tile * sizeof(In));
    pipe.InitBuffer(out, 2, tile * sizeof(Out));
    pipe.InitBuffer(temp, kTempBytes);
    auto x = run.gm<In>(0);
    auto y = run.gm<Out>(1);
    for (int64_t at = part.begin; at < part.end; at += tile) {
        const auto count = static_cast<uint32_t>(std::min<int64_t>(tile, part.end - at));
        auto a = in.AllocTensor<In>();
        load(a, x[at], count);
        in.EnQue(a);
        a = in.DeQue<In>();
        auto b = out.AllocTensor<Out>();
        Operation::compute(b, a, temp, count);
        out.EnQue(b);
        in.FreeTensor(a);
        b = out.DeQue<Out>();
        store(y[at], b, count);
        out.FreeTensor(b);
    }
}

/// Two inputs, one output; a second input of one element is read once.
template <class In0, class In1, class Out, class Operation>
void binary(const Case& run) {
    const Part part = part_of(run.count<Out>(2));
    if (part.begin >= part.end) return;
    const uint32_t tile = tile_of(run);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in0, in1;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<> temp;
    pipe.InitBuffer(in0, 2, tile * sizeof(In0));
    pipe.InitBuffer(in1, 2, tile * sizeof(In1));
    pipe.InitBuffer(out, 2, tile * sizeof(Out));
    pipe.InitBuffer(temp, kTempBytes);
    auto x = run.gm<In0>(0);
    auto y = run.gm<In1>(1);
    auto z = run.gm<Out>(2);
    for (int64_t at = part.begin; at < part.end; at += tile) {
        const auto count = static_cast<uint32_t>(std::min<int64_t>(tile, part.end - at));
        auto a = in0.AllocTensor<In0>();
        load(a, x[at], count);
        in0.EnQue(a);
        auto b = in1.AllocTensor<In1>();
        load(b, y[at], count);
        in1.EnQue(b);
        a = in0.DeQue<In0>();
        b = in1.DeQue<In1>();
        auto c = out.AllocTensor<Out>();
        Operation::compute(c, a, b, temp, count);
        out.EnQue(c);
        in0.FreeTensor(a);
        in1.FreeTensor(b);
        c = out.DeQue<Out>();
        store(z[at], c, count);
        out.FreeTensor(c);
    }
}

/// One input and a scalar that lies in global memory, one output.
template <class T, class Operation>
void with_scalar(const Case& run) {
    const Part part = part_of(run.count<T>(2));
    if (part.begin >= part.end) return;
    const uint32_t tile = tile_of(run);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<> one;
    pipe.InitBuffer(in, 2, tile * sizeof(T));
    pipe.InitBuffer(out, 2, tile * sizeof(T));
    pipe.InitBuffer(one, 32);
    auto x = run.gm<T>(0);
    auto z = run.gm<T>(2);
    auto word = one.Get<T>();
    load(word, run.gm<T>(1), 1);
    const auto loaded = GetTPipePtr()->FetchEventID(HardEvent::MTE2_S);
    SetFlag<HardEvent::MTE2_S>(loaded);
    WaitFlag<HardEvent::MTE2_S>(loaded);
    const T scalar = word.GetValue(0);
    for (int64_t at = part.begin; at < part.end; at += tile) {
        const auto count = static_cast<uint32_t>(std::min<int64_t>(tile, part.end - at));
        auto a = in.AllocTensor<T>();
        load(a, x[at], count);
        in.EnQue(a);
        a = in.DeQue<T>();
        auto b = out.AllocTensor<T>();
        Operation::compute(b, a, scalar, count);
        out.EnQue(b);
        in.FreeTensor(a);
        b = out.DeQue<T>();
        store(z[at], b, count);
        out.FreeTensor(b);
    }
}

/// One queue binds both directions: nothing is computed.
template <class T>
void copy(const Case& run) {
    const Part part = part_of(run.count<T>(1));
    if (part.begin >= part.end) return;
    const uint32_t tile = tile_of(run);
    TPipe pipe;
    TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, tile * sizeof(T));
    auto x = run.gm<T>(0);
    auto y = run.gm<T>(1);
    for (int64_t at = part.begin; at < part.end; at += tile) {
        const auto count = static_cast<uint32_t>(std::min<int64_t>(tile, part.end - at));
        auto a = queue.template AllocTensor<T>();
        load(a, x[at], count);
        queue.EnQue(a);
        a = queue.template DeQue<T>();
        store(y[at], a, count);
        queue.FreeTensor(a);
    }
}

template <class T>
void fill(const Case& run) {
    const Part part = part_of(run.count<T>(0));
    if (part.begin >= part.end) return;
    const uint32_t tile = tile_of(run);
    TPipe pipe;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(out, 1, tile * sizeof(T));
    auto y = run.gm<T>(0);
    auto a = out.AllocTensor<T>();
    Duplicate(a, T(1), tile);
    out.EnQue(a);
    a = out.DeQue<T>();
    for (int64_t at = part.begin; at < part.end; at += tile) {
        store(y[at], a, static_cast<uint32_t>(std::min<int64_t>(tile, part.end - at)));
    }
    out.FreeTensor(a);
}

template <RoundMode mode>
struct Converts {
    template <class Out, class In>
    static void compute(const LocalTensor<Out>& y, const LocalTensor<In>& x, TBuf<>&, uint32_t count) {
        Cast(y, x, mode, count);
    }
};

/// A byte through half.
struct FromByte {
    template <class Out>
    static void compute(const LocalTensor<Out>& y, const LocalTensor<uint8_t>& x, TBuf<>& temp, uint32_t count) {
        auto half_x = temp.Get<half>();
        Cast(half_x, x, RoundMode::CAST_NONE, count);
        if constexpr (std::is_same_v<Out, int32_t>) {
            Cast(y, half_x, RoundMode::CAST_TRUNC, count);
        } else {
            Cast(y, half_x, RoundMode::CAST_NONE, count);
        }
    }
};

struct NegatesByte {
    static void compute(const LocalTensor<uint8_t>& y, const LocalTensor<uint8_t>& x, TBuf<>& temp,
                        uint32_t count) {
        auto half_x = temp.Get<half>();
        Cast(half_x, x, RoundMode::CAST_NONE, count);
        Muls(half_x, half_x, half(-1.0f), count);
        Adds(half_x, half_x, half(1.0f), count);
        Cast(y, half_x, RoundMode::CAST_TRUNC, count);
    }
};

#define UNARY_OPERATION(name, call)                                                                         \
    struct name {                                                                                           \
        template <class T>                                                                                  \
        static void compute(const LocalTensor<T>& y, const LocalTensor<T>& x, TBuf<>&, uint32_t count) {    \
            call;                                                                                           \
        }                                                                                                   \
    };
UNARY_OPERATION(TakesRelu, Relu(y, x, count))
UNARY_OPERATION(TakesReciprocal, Reciprocal(y, x, count))
UNARY_OPERATION(TakesLogarithm, Ln(y, x, count))
UNARY_OPERATION(TakesSquare, Mul(y, x, x, count))

/// bfloat16 has no vector arithmetic: in float and back.
struct ScalesInFloat {
    static void compute(const LocalTensor<bfloat16_t>& y, const LocalTensor<bfloat16_t>& x, TBuf<>& temp,
                        uint32_t count) {
        auto wide = temp.Get<float>();
        Cast(wide, x, RoundMode::CAST_NONE, count);
        Muls(wide, wide, 0.5f, count);
        Cast(y, wide, RoundMode::CAST_RINT, count);
    }
};

#define BINARY_OPERATION(name, call)                                                                        \
    struct name {                                                                                           \
        template <class T>                                                                                  \
        static void compute(const LocalTensor<T>& z, const LocalTensor<T>& x, const LocalTensor<T>& y,      \
                            TBuf<>&, uint32_t count) {                                                      \
            call;                                                                                           \
        }                                                                                                   \
        template <class T>                                                                                  \
        static void compute(const LocalTensor<T>& z, const LocalTensor<T>& x, T y, uint32_t count) {        \
            scalar_##call;                                                                                  \
        }                                                                                                   \
    };
#define scalar_Add(z, x, y, count) Adds(z, x, y, count)
#define scalar_Mul(z, x, y, count) Muls(z, x, y, count)
#define scalar_Sub(z, x, y, count) Adds(z, x, static_cast<T>(-y), count)
#define scalar_Div(z, x, y, count) Muls(z, x, static_cast<T>(1.0f / static_cast<float>(y)), count)
BINARY_OPERATION(Adds2, Add(z, x, y, count))
BINARY_OPERATION(Multiplies, Mul(z, x, y, count))
BINARY_OPERATION(Subtracts, Sub(z, x, y, count))
BINARY_OPERATION(Divides, Div(z, x, y, count))

struct AddsInFloat {
    static void compute(const LocalTensor<bfloat16_t>& z, const LocalTensor<bfloat16_t>& x,
                        const LocalTensor<bfloat16_t>& y, TBuf<>& temp, uint32_t count) {
        auto wide_x = temp.Get<float>();
        auto wide_y = wide_x[kTempBytes / 2 / sizeof(float)];
        Cast(wide_x, x, RoundMode::CAST_NONE, count);
        Cast(wide_y, y, RoundMode::CAST_NONE, count);
        Add(wide_x, wide_x, wide_y, count);
        Cast(z, wide_x, RoundMode::CAST_RINT, count);
    }
    static void compute(const LocalTensor<float>& z, const LocalTensor<float>& x,
                        const LocalTensor<bfloat16_t>& y, TBuf<>& temp, uint32_t count) {
        auto wide_y = temp.Get<float>();
        Cast(wide_y, y, RoundMode::CAST_NONE, count);
        Add(z, x, wide_y, count);
    }
};

/// The gradient of Relu: the incoming gradient where the output is above zero.
struct GradientOfRelu {
    static void compute(const LocalTensor<float>& z, const LocalTensor<float>& gradient,
                        const LocalTensor<float>& output, TBuf<>& temp, uint32_t count) {
        auto mask = temp.Get<uint8_t>();
        CompareScalar(mask, output, 0.0f, CMPMODE::GT, (count + 63) / 64 * 64);
        Select(z, mask, gradient, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    }
};

/// A comparison with a scalar, its answer as bytes.
struct IsBelow {
    static void compute(const LocalTensor<uint8_t>& z, const LocalTensor<float>& x, TBuf<>& temp, uint32_t count) {
        auto mask = temp.Get<uint8_t>();
        auto ones = temp.Get<half>()[2048];
        CompareScalar(mask, x, 0.5f, CMPMODE::LT, (count + 63) / 64 * 64);
        Duplicate(ones, half(1.0f), count);
        Select(ones, mask, ones, half(0.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
        Cast(z, ones, RoundMode::CAST_TRUNC, count);
    }
};

}  // namespace

CASE("copy/float", copy<float>)
CASE("copy/bfloat16", copy<bfloat16_t>)
CASE("copy/half", copy<half>)
CASE("fill/float", fill<float>)
CASE("fill/bfloat16", fill<bfloat16_t>)
CASE("fill/half", fill<half>)
CASE("cast/float/bfloat16", unary<float, bfloat16_t, Converts<RoundMode::CAST_RINT>>)
CASE("cast/float/half", unary<float, half, Converts<RoundMode::CAST_RINT>>)
CASE("cast/half/float", unary<half, float, Converts<RoundMode::CAST_NONE>>)
CASE("cast/bfloat16/float", unary<bfloat16_t, float, Converts<RoundMode::CAST_NONE>>)
CASE("cast/int32/float", unary<int32_t, float, Converts<RoundMode::CAST_NONE>>)
CASE("cast/int32/int64", unary<int32_t, int64_t, Converts<RoundMode::CAST_NONE>>)
CASE("cast/int64/int32", unary<int64_t, int32_t, Converts<RoundMode::CAST_NONE>>)
CASE("cast/uint8/float", unary<uint8_t, float, FromByte>)
CASE("cast/uint8/half", unary<uint8_t, half, Converts<RoundMode::CAST_NONE>>)
CASE("cast/uint8/int32", unary<uint8_t, int32_t, FromByte>)
CASE("not/uint8", unary<uint8_t, uint8_t, NegatesByte>)
CASE("relu/float", unary<float, float, TakesRelu>)
CASE("reciprocal/float", unary<float, float, TakesReciprocal>)
CASE("log/float", unary<float, float, TakesLogarithm>)
CASE("square/float", unary<float, float, TakesSquare>)
CASE("muls/bfloat16", unary<bfloat16_t, bfloat16_t, ScalesInFloat>)
CASE("compare/float", unary<float, uint8_t, IsBelow>)
CASE("add/float", binary<float, float, float, Adds2>)
CASE("add/half", binary<half, half, half, Adds2>)
CASE("add/bfloat16", binary<bfloat16_t, bfloat16_t, bfloat16_t, AddsInFloat>)
CASE("add/float/bfloat16", binary<float, bfloat16_t, float, AddsInFloat>)
CASE("mul/float", binary<float, float, float, Multiplies>)
CASE("mul/half", binary<half, half, half, Multiplies>)
CASE("mul/int32", binary<int32_t, int32_t, int32_t, Multiplies>)
CASE("sub/float", binary<float, float, float, Subtracts>)
CASE("div/float", binary<float, float, float, Divides>)
CASE("relu_grad/float", binary<float, float, float, GradientOfRelu>)
CASE("mul/float/scalar", with_scalar<float, Multiplies>)
CASE("mul/half/scalar", with_scalar<half, Multiplies>)
CASE("add/float/scalar", with_scalar<float, Adds2>)
CASE("sub/float/scalar", with_scalar<float, Subtracts>)
CASE("sub/int32/scalar", with_scalar<int32_t, Subtracts>)
CASE("add/int32/scalar", with_scalar<int32_t, Adds2>)
CASE("div/float/scalar", with_scalar<float, Divides>)
CASE("div/half/scalar", with_scalar<half, Divides>)
