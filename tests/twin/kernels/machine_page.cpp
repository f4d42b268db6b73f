// What an instruction costs, for the page of numbers in the model's prompt.
#include "case.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

/// One call over `parameter(0)` repeats of 256 bytes.
template <class T, class Call>
void repeated(const Case& run, Call call) {
    constexpr uint32_t kLanes = 256 / sizeof(T), kMost = 64 * kLanes;
    Scratch scratch;
    const auto x = scratch.make<T>(kMost), y = scratch.make<T>(kMost), z = scratch.make<T>(kMost);
    Duplicate(x, T(1), kMost);
    Duplicate(y, T(1), kMost);
    PipeBarrier<PIPE_V>();
    const auto repeats = run.parameter<uint32_t>(0);
    call(z, x, y, repeats, repeats * kLanes);
}
#define REPEATED_OF(name, T, ...)                                                       \
    void name##_##T(const Case& run) {                                                  \
        repeated<T>(run, [](auto z, auto x, auto y, uint32_t repeats, uint32_t count) { \
            static_cast<void>(z), static_cast<void>(y), static_cast<void>(repeats),     \
                static_cast<void>(count);                                               \
            __VA_ARGS__;                                                                \
        });                                                                             \
    }                                                                                   \
    CASE(#name "/" #T, name##_##T)
#define REPEATED(name, ...)              \
    REPEATED_OF(name, half, __VA_ARGS__) \
    REPEATED_OF(name, float, __VA_ARGS__)
REPEATED(Abs, Abs(z, x, count))
REPEATED(Relu, Relu(z, x, count))
REPEATED(Muls, Muls(z, x, x.GetValue(0), count))
REPEATED(Maxs, Maxs(z, x, x.GetValue(0), count))
REPEATED(Rsqrt, Rsqrt(z, x, count))
REPEATED(Reciprocal, Reciprocal(z, x, count))
REPEATED(Duplicate, Duplicate(z, x.GetValue(0), count))
REPEATED(Compare, Compare(z.template ReinterpretCast<uint8_t>(), x, y, CMPMODE::LT, count))
REPEATED(Add, Add(z, x, y, count))
REPEATED(Mul, Mul(z, x, y, count))
REPEATED(Axpy, Axpy(z, x, x.GetValue(0), count))
REPEATED(Max, Max(z, x, y, count))
REPEATED(MulAddDst, MulAddDst(x, x, y, count))
REPEATED(FusedMulAdd, FusedMulAdd(x, x, y, count))
REPEATED(Select,
         Select(z, y.template ReinterpretCast<uint8_t>(), x, x, SELMODE::VSEL_TENSOR_TENSOR_MODE, count))
REPEATED(Div, Div(z, x, y, count))
REPEATED(Exp, Exp(z, x, count))
REPEATED(Ln, Ln(z, x, count))
REPEATED(Sqrt, Sqrt(z, x, count))
REPEATED(WholeReduceSum, WholeReduceSum(z, x, static_cast<int32_t>(count / repeats), repeats, 1, 1, 8))
REPEATED(BlockReduceMax, BlockReduceMax(z, x, repeats, static_cast<int32_t>(count / repeats), 1, 1, 8))
REPEATED(PairReduceSum, PairReduceSum(z, x, repeats, static_cast<int32_t>(count / repeats), 1, 1, 8))
REPEATED_OF(Cast, half, Cast(z.template ReinterpretCast<int8_t>(), x, RoundMode::CAST_NONE, count))
REPEATED_OF(Cast, float, Cast(z.template ReinterpretCast<half>(), x, RoundMode::CAST_NONE, count))

/// Each repeat transposes 16 rows of 32 bytes, as many bytes as two repeats of other instructions.
void transposed(const Case& run) {
    constexpr uint32_t kMost = 40;
    Scratch scratch;
    const auto x = scratch.make<half>(kMost * 256), z = scratch.make<half>(kMost * 256);
    Duplicate(x, half(1), kMost * 256);
    PipeBarrier<PIPE_V>();
    LocalTensor<half> rows[16], columns[16];
    for (uint32_t i = 0; i < 16; ++i) rows[i] = x[i * 16], columns[i] = z[i * 16];
    TransDataTo5HD(columns, rows, {false, false, run.parameter<uint8_t>(0), 16, 16});
}
CASE("transposed", transposed)

constexpr uint32_t kFloats = 4096;

/// One call over `parameter(0)` repeats of 64 floats, with a tensor of numbers beside them.
template <class Call>
void over_floats(const Case& run, uint32_t number, Call call) {
    Scratch scratch;
    const auto results = scratch.make<float>(2 * kFloats), values = scratch.make<float>(kFloats);
    const auto numbers = scratch.make<uint32_t>(kFloats);
    Duplicate(values, 1.0f, kFloats);
    Duplicate(numbers, number, kFloats);
    PipeBarrier<PIPE_V>();
    call(results, values, numbers, run.parameter<uint32_t>(0) * 64);
}

void picked(const Case& run) {
    over_floats(run, 0, [](auto results, auto values, auto offsets, uint32_t count) {
        Gather(results, values, offsets, 0, count);
    });
}
CASE("picked", picked)

void sorted(const Case& run) {
    over_floats(run, 0, [](auto pairs, auto values, auto index, uint32_t count) {
        Sort32(pairs, values, index, static_cast<int32_t>(count / 32));
    });
}
CASE("sorted", sorted)

void kept(const Case& run) {
    over_floats(run, ~0u, [](auto results, auto values, auto bits, uint32_t count) {
        uint64_t remaining = 0;
        GatherMask(results, values, bits, true, count, {1, 1, 8, 8}, remaining);
    });
}
CASE("kept", kept)

/// `parameter(0)` short instructions, each with `parameter(1)` pairs of a set and a waited-for flag before
/// it.
void issued(const Case& run) {
    Scratch scratch;
    const auto x = scratch.make<float>(64);
    Duplicate(x, 1.0f, 64);
    for (int i = 0; i < run.parameter(0); ++i) {
        for (int pair = 0; pair < run.parameter(1); ++pair) {
            SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
            WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
        }
        Abs(x, x, 64);
    }
}
CASE("issued", issued)

/// A copy in of `parameter(0)` floats and one out of as many that does not wait for it, if `parameter(1)`.
void both_ways(const Case& run) {
    constexpr uint32_t kMost = 16384;
    Scratch scratch;
    const auto arriving = scratch.make<float>(kMost), leaving = scratch.make<float>(kMost);
    const auto count = run.parameter<uint32_t>(0);
    Duplicate(leaving, 1.0f, count);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetFlag<HardEvent::V_S>(EVENT_ID0);
    WaitFlag<HardEvent::V_S>(EVENT_ID0);
    DataCopy(arriving, run.gm<float>(0), count);
    if (run.parameter(1)) DataCopy(run.gm<float>(1), leaving, count);
}
CASE("both_ways", both_ways)

/// `parameter(0)` copies into L1, each of `parameter(1)` rows of 64 halves that lie `parameter(2)` elements
/// apart.
void rows_into_l1(const Case& run) {
    const LocalTensor<half> l1{TPosition::A1, 0, 65536};
    const auto rows = run.parameter<uint16_t>(1);
    const auto pitch = run.parameter<uint16_t>(2);
    for (int i = 0; i < run.parameter(0); ++i) {
        DataCopy(l1, run.gm<half>(0), Nd2NzParams{1, rows, 64, 0, pitch, 64, 1, 0});
    }
}
CASE("rows_into_l1", rows_into_l1)
