// Plain, well-written kernels for the operators of public profiles: what they are modelled to take is held
// against what CANN's own operators took (bench/bench_time.py, tests/twin/test_time.py). All share one frame:
// equal parts of the tensors for every core, tiles through double-buffered queues.
#include <cmath>

#include "case.h"
#include "lib/matmul_intf.h"

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
    static void compute(const LocalTensor<Out>& y, const LocalTensor<uint8_t>& x, TBuf<>& temp,
                        uint32_t count) {
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

#define UNARY_OPERATION(name, call)                                                                      \
    struct name {                                                                                        \
        template <class T>                                                                               \
        static void compute(const LocalTensor<T>& y, const LocalTensor<T>& x, TBuf<>&, uint32_t count) { \
            call;                                                                                        \
        }                                                                                                \
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

#define BINARY_OPERATION(name, call)                                                                   \
    struct name {                                                                                      \
        template <class T>                                                                             \
        static void compute(const LocalTensor<T>& z, const LocalTensor<T>& x, const LocalTensor<T>& y, \
                            TBuf<>&, uint32_t count) {                                                 \
            call;                                                                                      \
        }                                                                                              \
        template <class T>                                                                             \
        static void compute(const LocalTensor<T>& z, const LocalTensor<T>& x, T y, uint32_t count) {   \
            scalar_##call;                                                                             \
        }                                                                                              \
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
    static void compute(const LocalTensor<uint8_t>& z, const LocalTensor<float>& x, TBuf<>& temp,
                        uint32_t count) {
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

// ---- transcendental functions

namespace {
UNARY_OPERATION(TakesAbs, Abs(y, x, count))
UNARY_OPERATION(TakesExponential, Exp(y, x, count))

/// x / (1 + exp(-1.702 x)).
struct TakesFastGelu {
    static void compute(const LocalTensor<half>& y, const LocalTensor<half>& x, TBuf<>& temp,
                        uint32_t count) {
        auto wide = temp.Get<float>();
        auto denominator = wide[kTempBytes / 2 / sizeof(float)];
        Cast(wide, x, RoundMode::CAST_NONE, count);
        Muls(denominator, wide, -1.702f, count);
        Exp(denominator, denominator, count);
        Adds(denominator, denominator, 1.0f, count);
        Div(wide, wide, denominator, count);
        Cast(y, wide, RoundMode::CAST_RINT, count);
    }
};
}  // namespace

CASE("abs/float", unary<float, float, TakesAbs>)
CASE("exp/float", unary<float, float, TakesExponential>)
CASE("fast_gelu/half", unary<half, half, TakesFastGelu>)

// ---- rows: parameters are elements of a tile, rows, columns

namespace {

/// The rows of this core.
Part rows_of(int64_t rows) {
    const int64_t share = (rows + GetBlockNum() - 1) / GetBlockNum();
    const int64_t begin = std::min<int64_t>(rows, share * GetBlockIdx());
    return {begin, std::min<int64_t>(rows, begin + share)};
}

constexpr float kEpsilon = 1e-6f;

/// Sums of `rows` rows of `columns` floats, as scalars one behind the other.
void sum_rows(const LocalTensor<float>& sums, const LocalTensor<float>& x, uint32_t rows, uint32_t columns) {
    // Fold to one repeat of 64 lanes a row, then all rows at once.
    const auto step = static_cast<uint8_t>(columns / 8);
    uint32_t width = columns;
    while (width > 64) {
        width /= 2;
        for (uint32_t at = 0; at < width; at += 64) {
            Add(x[at], x[at], x[at + width], uint64_t(64), static_cast<uint8_t>(rows),
                BinaryRepeatParams{1, 1, 1, step, step, step});
        }
        PipeBarrier<PIPE_V>();
    }
    WholeReduceSum(sums, x, width, static_cast<int32_t>(rows), 1, 1, step);
}

/// One value of a row in every lane of it: x *= value or x /= value.
void scale_rows(const LocalTensor<float>& x, const LocalTensor<float>& values,
                const LocalTensor<float>& spread, uint32_t rows, uint32_t columns) {
    Brcb(spread, values, static_cast<uint8_t>((rows + 7) / 8), BrcbRepeatParams{1, 8});
    PipeBarrier<PIPE_V>();
    const auto step = static_cast<uint8_t>(columns / 8);
    for (uint32_t at = 0; at < columns; at += 64) {
        Mul(x[at], x[at], spread, uint64_t(64), static_cast<uint8_t>(rows),
            BinaryRepeatParams{1, 1, 0, step, step, 1});
    }
}

/// y = x / sqrt(mean(x^2) + epsilon) * gamma, several rows at a time; the reciprocal is kept.
void rms_norm(const Case& run) {
    const auto columns = run.parameter<uint32_t>(2);
    const uint32_t group = std::max<uint32_t>(8, std::min<uint32_t>(64, 4096 / columns / 8 * 8));
    const Part part = rows_of(run.parameter<int64_t>(1));
    const uint32_t tile = group * columns;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out, kept;
    TBuf<> wide_buffer, square_buffer, gamma_buffer, small_buffer;
    pipe.InitBuffer(in, 2, tile * sizeof(bfloat16_t));
    pipe.InitBuffer(out, 2, tile * sizeof(bfloat16_t));
    pipe.InitBuffer(kept, 2, 64 * sizeof(float));
    pipe.InitBuffer(wide_buffer, tile * sizeof(float));
    pipe.InitBuffer(square_buffer, tile * sizeof(float));
    pipe.InitBuffer(gamma_buffer, columns * 6);
    pipe.InitBuffer(small_buffer, 64 * 8 * sizeof(float));
    auto gamma = gamma_buffer.Get<float>();
    auto gamma16 = gamma_buffer.Get<bfloat16_t>()[columns * 2];
    DataCopy(gamma16, run.gm<bfloat16_t>(1), columns);
    PipeBarrier<PIPE_ALL>();
    Cast(gamma, gamma16, RoundMode::CAST_NONE, columns);
    auto x = run.gm<bfloat16_t>(0);
    auto y = run.gm<bfloat16_t>(2);
    auto rstd = run.gm<float>(3);
    auto wide = wide_buffer.Get<float>();
    auto square = square_buffer.Get<float>();
    auto spread = small_buffer.Get<float>();
    for (int64_t row = part.begin; row < part.end; row += group) {
        const auto rows = static_cast<uint32_t>(std::min<int64_t>(group, part.end - row));
        const uint32_t count = rows * columns;
        auto a = in.AllocTensor<bfloat16_t>();
        load(a, x[row * columns], count);
        in.EnQue(a);
        a = in.DeQue<bfloat16_t>();
        Cast(wide, a, RoundMode::CAST_NONE, count);
        in.FreeTensor(a);
        Mul(square, wide, wide, count);
        auto sums = kept.AllocTensor<float>();
        sum_rows(sums, square, rows, columns);
        Muls(sums, sums, 1.0f / static_cast<float>(columns), rows);
        Adds(sums, sums, kEpsilon, rows);
        Sqrt(sums, sums, rows);
        Duplicate(square, 1.0f, 64);
        Div(sums, square, sums, rows);
        scale_rows(wide, sums, spread, rows, columns);
        for (uint32_t i = 0; i < rows; ++i) Mul(wide[i * columns], wide[i * columns], gamma, columns);
        auto b = out.AllocTensor<bfloat16_t>();
        Cast(b, wide, RoundMode::CAST_RINT, count);
        out.EnQue(b);
        kept.EnQue(sums);
        b = out.DeQue<bfloat16_t>();
        store(y[row * columns], b, count);
        out.FreeTensor(b);
        sums = kept.DeQue<float>();
        store(rstd[row], sums, rows);
        kept.FreeTensor(sums);
    }
}

/// Halves a and b of each row: silu(a) * b. Parameters: tile, rows, columns of the input.
void swiglu(const Case& run) {
    const auto columns = run.parameter<uint32_t>(2) / 2;
    const uint32_t width = std::min<uint32_t>(columns, 3072);
    const Part part = rows_of(run.parameter<int64_t>(1));
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in0, in1;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<> temp0, temp1, temp2;
    pipe.InitBuffer(in0, 2, width * sizeof(bfloat16_t));
    pipe.InitBuffer(in1, 2, width * sizeof(bfloat16_t));
    pipe.InitBuffer(out, 2, width * sizeof(bfloat16_t));
    pipe.InitBuffer(temp0, width * sizeof(float));
    pipe.InitBuffer(temp1, width * sizeof(float));
    pipe.InitBuffer(temp2, width * sizeof(float));
    auto x = run.gm<bfloat16_t>(0);
    auto y = run.gm<bfloat16_t>(1);
    auto gate = temp0.Get<float>();
    auto up = temp1.Get<float>();
    auto denominator = temp2.Get<float>();
    for (int64_t row = part.begin; row < part.end; ++row) {
        for (uint32_t at = 0; at < columns; at += width) {
            const uint32_t count = std::min(width, columns - at);
            auto a = in0.AllocTensor<bfloat16_t>();
            load(a, x[row * columns * 2 + at], count);
            in0.EnQue(a);
            auto b = in1.AllocTensor<bfloat16_t>();
            load(b, x[row * columns * 2 + columns + at], count);
            in1.EnQue(b);
            a = in0.DeQue<bfloat16_t>();
            Cast(gate, a, RoundMode::CAST_NONE, count);
            in0.FreeTensor(a);
            b = in1.DeQue<bfloat16_t>();
            Cast(up, b, RoundMode::CAST_NONE, count);
            in1.FreeTensor(b);
            Muls(denominator, gate, -1.0f, count);
            Exp(denominator, denominator, count);
            Adds(denominator, denominator, 1.0f, count);
            Div(gate, gate, denominator, count);
            Mul(gate, gate, up, count);
            auto c = out.AllocTensor<bfloat16_t>();
            Cast(c, gate, RoundMode::CAST_RINT, count);
            out.EnQue(c);
            c = out.DeQue<bfloat16_t>();
            store(y[row * columns + at], c, count);
            out.FreeTensor(c);
        }
    }
}

/// Rotation by halves: heads of 128 lanes, cosine and sine by token. Parameters: tile, tokens, heads.
void rotate(const Case& run) {
    constexpr uint32_t kLanes = 128;
    const auto heads = run.parameter<uint32_t>(2);
    const uint32_t count = heads * kLanes;
    const Part part = rows_of(run.parameter<int64_t>(1));
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in, angles;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<> temp0, temp1, temp2;
    pipe.InitBuffer(in, 2, count * sizeof(bfloat16_t));
    pipe.InitBuffer(angles, 2, 2 * kLanes * sizeof(bfloat16_t));
    pipe.InitBuffer(out, 2, count * sizeof(bfloat16_t));
    pipe.InitBuffer(temp0, count * sizeof(float));
    pipe.InitBuffer(temp1, count * sizeof(float));
    pipe.InitBuffer(temp2, 2 * kLanes * sizeof(float));
    auto x = run.gm<bfloat16_t>(0);
    auto y = run.gm<bfloat16_t>(3);
    auto wide = temp0.Get<float>();
    auto turned = temp1.Get<float>();
    auto factors = temp2.Get<float>();
    const auto step = static_cast<uint8_t>(kLanes / 8);
    const auto repeats = static_cast<uint8_t>(heads);
    for (int64_t token = part.begin; token < part.end; ++token) {
        auto a = in.AllocTensor<bfloat16_t>();
        load(a, x[token * count], count);
        in.EnQue(a);
        auto angle = angles.AllocTensor<bfloat16_t>();
        DataCopy(angle, run.gm<bfloat16_t>(1)[token * kLanes], kLanes);
        DataCopy(angle[kLanes], run.gm<bfloat16_t>(2)[token * kLanes], kLanes);
        angles.EnQue(angle);
        a = in.DeQue<bfloat16_t>();
        Cast(wide, a, RoundMode::CAST_NONE, count);
        in.FreeTensor(a);
        angle = angles.DeQue<bfloat16_t>();
        Cast(factors, angle, RoundMode::CAST_NONE, 2 * kLanes);
        angles.FreeTensor(angle);
        Muls(factors[kLanes], factors[kLanes], -1.0f, kLanes / 2);
        const BinaryRepeatParams by_row{1, 1, 1, step, step, 0};
        Mul(turned, wide[64], factors[kLanes], uint64_t(64), repeats, by_row);
        Mul(turned[64], wide, factors[kLanes + 64], uint64_t(64), repeats, by_row);
        Mul(wide, wide, factors, uint64_t(64), repeats, by_row);
        Mul(wide[64], wide[64], factors[64], uint64_t(64), repeats, by_row);
        Add(wide, wide, turned, count);
        auto b = out.AllocTensor<bfloat16_t>();
        Cast(b, wide, RoundMode::CAST_RINT, count);
        out.EnQue(b);
        b = out.DeQue<bfloat16_t>();
        store(y[token * count], b, count);
        out.FreeTensor(b);
    }
}

/// LayerNorm of long rows of half, mean and reciprocal deviation kept.
void layer_norm(const Case& run) {
    const auto columns = run.parameter<uint32_t>(2);
    const Part part = rows_of(run.parameter<int64_t>(1));
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<> temp0, temp1, parameters;
    pipe.InitBuffer(in, 1, columns * sizeof(half));
    pipe.InitBuffer(out, 1, columns * sizeof(half));
    pipe.InitBuffer(temp0, columns * sizeof(float));
    pipe.InitBuffer(temp1, 8192 * sizeof(float));
    pipe.InitBuffer(parameters, 2 * columns * sizeof(half));
    auto x = run.gm<half>(0);
    auto y = run.gm<half>(3);
    auto gamma = parameters.Get<half>();
    auto beta = gamma[columns];
    DataCopy(gamma, run.gm<half>(1), columns);
    DataCopy(beta, run.gm<half>(2), columns);
    PipeBarrier<PIPE_ALL>();
    auto wide = temp0.Get<float>();
    auto piece = temp1.Get<float>();
    constexpr uint32_t kPiece = 4096;
    for (int64_t row = part.begin; row < part.end; ++row) {
        auto a = in.AllocTensor<half>();
        load(a, x[row * columns], columns);
        in.EnQue(a);
        a = in.DeQue<half>();
        Cast(wide, a, RoundMode::CAST_NONE, columns);
        in.FreeTensor(a);
        float sum = 0;
        ReduceSum(piece, wide, piece[64], columns);
        auto event = GetTPipePtr()->FetchEventID(HardEvent::V_S);
        SetFlag<HardEvent::V_S>(event);
        WaitFlag<HardEvent::V_S>(event);
        sum = piece.GetValue(0);
        Adds(wide, wide, -sum / static_cast<float>(columns), columns);
        float squares = 0;
        for (uint32_t at = 0; at < columns; at += kPiece) {
            Mul(piece[64], wide[at], wide[at], kPiece);
            ReduceSum(piece, piece[64], piece[64 + kPiece], kPiece);
            SetFlag<HardEvent::V_S>(event);
            WaitFlag<HardEvent::V_S>(event);
            squares += piece.GetValue(0);
        }
        Muls(wide, wide, 1.0f / std::sqrt(squares / static_cast<float>(columns) + kEpsilon), columns);
        auto b = out.AllocTensor<half>();
        Cast(b, wide, RoundMode::CAST_RINT, columns);
        Mul(b, b, gamma, columns);
        Add(b, b, beta, columns);
        out.EnQue(b);
        b = out.DeQue<half>();
        store(y[row * columns], b, columns);
        out.FreeTensor(b);
    }
}

/// Everything to one sum: partial sums of the cores by atomic addition.
void sum_all(const Case& run) {
    const Part part = part_of(run.count<float>(0));
    if (part.begin >= part.end) return;
    const uint32_t tile = tile_of(run);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<> total_buffer;
    pipe.InitBuffer(in, 2, tile * sizeof(float));
    pipe.InitBuffer(out, 1, 32);
    pipe.InitBuffer(total_buffer, tile * sizeof(float));
    auto x = run.gm<float>(0);
    auto total = total_buffer.Get<float>();
    Duplicate(total, 0.0f, tile);
    for (int64_t at = part.begin; at < part.end; at += tile) {
        const auto count = static_cast<uint32_t>(std::min<int64_t>(tile, part.end - at));
        auto a = in.AllocTensor<float>();
        load(a, x[at], count);
        in.EnQue(a);
        a = in.DeQue<float>();
        Add(total, total, a, count);
        in.FreeTensor(a);
    }
    auto b = out.AllocTensor<float>();
    ReduceSum(b, total, total, tile);
    out.EnQue(b);
    b = out.DeQue<float>();
    SetAtomicAdd<float>();
    DataCopyPad(run.gm<float>(1), b, DataCopyExtParams{1, 4, 0, 0, 0});
    SetAtomicNone();
    out.FreeTensor(b);
}

/// Each row to its sum. Parameters: tile, rows, columns.
void sum_each_row(const Case& run) {
    const auto columns = run.parameter<uint32_t>(2);
    const Part part = rows_of(run.parameter<int64_t>(1));
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, columns * sizeof(float));
    pipe.InitBuffer(out, 2, 32);
    auto x = run.gm<float>(0);
    auto y = run.gm<float>(1);
    for (int64_t row = part.begin; row < part.end; ++row) {
        auto a = in.AllocTensor<float>();
        load(a, x[row * columns], columns);
        in.EnQue(a);
        a = in.DeQue<float>();
        auto b = out.AllocTensor<float>();
        ReduceSum(b, a, a, columns);
        out.EnQue(b);
        in.FreeTensor(a);
        b = out.DeQue<float>();
        store(y[row], b, 1);
        out.FreeTensor(b);
    }
}

/// Rows by index. Parameters: tile, rows of the output, columns.
template <class T, class Index>
void gather(const Case& run) {
    const auto columns = run.parameter<uint32_t>(2);
    const Part part = rows_of(run.parameter<int64_t>(1));
    const auto most = static_cast<uint32_t>(part.end - part.begin);
    if (most == 0) return;
    TPipe pipe;
    TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> queue;
    TBuf<> index_buffer;
    pipe.InitBuffer(queue, 2, columns * sizeof(T));
    pipe.InitBuffer(index_buffer, (most * sizeof(Index) + 63) / 32 * 32);
    auto index = index_buffer.Get<Index>();
    load(index, run.gm<Index>(1)[part.begin], most);
    const auto event = GetTPipePtr()->FetchEventID(HardEvent::MTE2_S);
    SetFlag<HardEvent::MTE2_S>(event);
    WaitFlag<HardEvent::MTE2_S>(event);
    auto x = run.gm<T>(0);
    auto y = run.gm<T>(2);
    for (int64_t row = part.begin; row < part.end; ++row) {
        const auto from = static_cast<int64_t>(index.GetValue(row - part.begin));
        auto a = queue.template AllocTensor<T>();
        DataCopy(a, x[from * columns], columns);
        queue.EnQue(a);
        a = queue.template DeQue<T>();
        DataCopy(y[row * columns], a, columns);
        queue.FreeTensor(a);
    }
}

/// Rows of 512 floats to four bits each, as TurboQuant stores them: the nearest of 16 ascending centroids to
/// what is left of a value when its row's norm is divided out. A row becomes 256 bytes of pairs, the norm as
/// half and zeros up to 320 bytes. Parameters: rows at a time, rows.
void turbo_quant(const Case& run) {
    constexpr uint32_t kColumns = 512, kSlot = 320, kCentroids = 16, kMostRows = 12;
    constexpr uint8_t kSlotBlocks = kSlot / 32;
    const auto group = run.parameter<uint32_t>(0);
    const Part part = rows_of(run.parameter<int64_t>(1));
    if (part.begin >= part.end) return;
    const uint32_t tile = group * kColumns;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<> centroid_buffer, work_buffer, index_buffer, one_buffer, mask_buffer, norm_buffer;
    pipe.InitBuffer(in, 2, tile * sizeof(float));
    pipe.InitBuffer(out, 2, kMostRows * kSlot);
    pipe.InitBuffer(centroid_buffer, kCentroids * sizeof(float));
    pipe.InitBuffer(work_buffer, tile * sizeof(float));
    pipe.InitBuffer(index_buffer, tile * sizeof(float));
    pipe.InitBuffer(one_buffer, tile * sizeof(float));
    pipe.InitBuffer(mask_buffer, tile / 8);
    pipe.InitBuffer(norm_buffer, 4096);
    auto centroids = centroid_buffer.Get<float>();
    DataCopy(centroids, run.gm<float>(1), kCentroids);
    const auto loaded = GetTPipePtr()->FetchEventID(HardEvent::MTE2_S);
    SetFlag<HardEvent::MTE2_S>(loaded);
    WaitFlag<HardEvent::MTE2_S>(loaded);
    float bounds[kCentroids - 1];
    for (uint32_t i = 0; i + 1 < kCentroids; ++i) {
        bounds[i] = (centroids.GetValue(i) + centroids.GetValue(i + 1)) / 2;
    }
    auto work = work_buffer.Get<float>();
    auto index = index_buffer.Get<float>();
    auto ones = one_buffer.Get<float>();
    auto mask = mask_buffer.Get<uint8_t>();
    auto norms = norm_buffer.Get<float>();
    auto factors = norms[16];
    auto spread = norms[32];
    auto halves = norm_buffer.Get<half>()[512];
    auto first = halves[16];
    auto blocks = halves[32];
    Duplicate(ones, 1.0f, tile);
    Duplicate(norms, 1.0f, 32);
    Duplicate(first, half(0.0f), 16);
    Duplicate(first, half(1.0f), 1);
    auto x = run.gm<float>(0);
    auto y = run.gm<uint8_t>(2);
    for (int64_t row = part.begin; row < part.end; row += group) {
        const auto rows = static_cast<uint32_t>(std::min<int64_t>(group, part.end - row));
        const uint32_t count = rows * kColumns;
        auto a = in.AllocTensor<float>();
        DataCopy(a, x[row * kColumns], count);
        in.EnQue(a);
        a = in.DeQue<float>();
        Mul(work, a, a, count);
        sum_rows(norms, work, rows, kColumns);
        Adds(norms, norms, 1e-16f, 16);
        Sqrt(norms, norms, 16);
        Div(factors, ones, norms, 16);
        scale_rows(a, factors, spread, rows, kColumns);
        Duplicate(index, 0.0f, count);
        for (const float bound : bounds) {
            CompareScalar(mask, a, bound, CMPMODE::GE, count);
            Select(work, mask, ones, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
            Add(index, index, work, count);
        }
        uint64_t kept = 0;
        const GatherMaskParams whole{1, static_cast<uint16_t>(count / 64), 8, 0};
        GatherMask(work, index, uint8_t(2), false, 0, whole, kept);
        GatherMask(a, index, uint8_t(1), false, 0, whole, kept);
        Muls(work, work, 16.0f, count / 2);
        Add(a, a, work, count / 2);
        auto packed = work.ReinterpretCast<half>();
        Cast(packed, a, RoundMode::CAST_NONE, count / 2);
        in.FreeTensor(a);
        auto slots = out.AllocTensor<uint8_t>();
        auto words = slots.ReinterpretCast<half>();
        Duplicate(words, half(0.0f), rows * kSlot / 2);
        for (uint32_t i = 0; i < rows; ++i) {
            Cast(slots[i * kSlot], packed[i * kColumns / 2], RoundMode::CAST_TRUNC, kColumns / 2);
        }
        Cast(halves, norms, RoundMode::CAST_RINT, 16);
        Brcb(blocks, halves, 2, BrcbRepeatParams{1, 8});
        Mul(words[kColumns / 4], blocks, first, uint64_t(16), static_cast<uint8_t>(rows),
            BinaryRepeatParams{1, 1, 1, kSlotBlocks, 1, 0});
        out.EnQue(slots);
        slots = out.DeQue<uint8_t>();
        DataCopy(y[row * kSlot], slots, rows * kSlot);
        out.FreeTensor(slots);
    }
}

/// C = A B by the Matmul library. Parameters: unused, m, n, k, of a core m and n, base blocks of m, n, k,
/// steps of k a copy brings, whether A and B are stored transposed.
template <class T, bool a_turned, bool b_turned>
void product(const Case& run) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    using A = MatmulType<TPosition::GM, CubeFormat::ND, T, a_turned>;
    using B = MatmulType<TPosition::GM, CubeFormat::ND, T, b_turned>;
    using C = MatmulType<TPosition::GM, CubeFormat::ND, T>;
    const auto m = run.parameter<int64_t>(1), n = run.parameter<int64_t>(2), k = run.parameter<int64_t>(3);
    const auto core_m = run.parameter<int64_t>(4), core_n = run.parameter<int64_t>(5);
    const int64_t along_m = (m + core_m - 1) / core_m;
    const int64_t at_m = GetBlockIdx() % along_m * core_m, at_n = GetBlockIdx() / along_m * core_n;
    if (at_n >= n) return;
    TCubeTiling t;
    t.M = m, t.N = n, t.Ka = t.Kb = t.singleCoreK = k;
    t.singleCoreM = std::min(core_m, m - at_m), t.singleCoreN = std::min(core_n, n - at_n);
    t.baseM = run.parameter(6), t.baseN = run.parameter(7), t.baseK = run.parameter(8);
    t.stepKa = t.stepKb = run.parameter(9);
    TPipe pipe;
    matmul::Matmul<A, B, C, C, CFG_MDL> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    mm.SetTensorA(run.gm<T>(0)[a_turned ? at_m : at_m * k], a_turned);
    mm.SetTensorB(run.gm<T>(1)[b_turned ? at_n * k : at_n], b_turned);
    mm.IterateAll(run.gm<T>(2)[at_m * n + at_n]);
    mm.End();
}

}  // namespace

CASE("rms_norm/bfloat16", rms_norm)
CASE("swiglu/bfloat16", swiglu)
CASE("rotate/bfloat16", rotate)
CASE("layer_norm/half", layer_norm)
CASE("sum_all/float", sum_all)
CASE("sum_rows/float", sum_each_row)
CASE("gather/bfloat16/int64", gather<bfloat16_t, int64_t>)
CASE("gather/half/int32", gather<half, int32_t>)
CASE("gather/half/int64", gather<half, int64_t>)
CASE("turbo_quant", turbo_quant)
CASE("product/bfloat16/nn", product<bfloat16_t, false, false>)
CASE("product/bfloat16/nt", product<bfloat16_t, false, true>)
CASE("product/bfloat16/tn", product<bfloat16_t, true, false>)
CASE("product/half/nn", product<half, false, false>)
CASE("product/half/nt", product<half, false, true>)
