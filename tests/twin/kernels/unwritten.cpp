// Kernels whose instructions read more than was written, and use what that gives or leave it.
#include "case.h"

using namespace AscendC;
using cases::Case;

/// 104 elements in instructions whose count is rounded up to 128; only `use` looks at what the rounding adds.
template <int use>
void rounded_up(const Case& run) {
    constexpr int32_t count = 104, rounded = 128;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<> bits, halves, sums;
    pipe.InitBuffer(in, 1, rounded * sizeof(float));
    pipe.InitBuffer(out, 1, rounded * sizeof(float));
    pipe.InitBuffer(bits, 32);
    pipe.InitBuffer(halves, rounded * sizeof(half));
    pipe.InitBuffer(sums, rounded * sizeof(float));
    auto a = in.AllocTensor<float>();
    DataCopy(a, run.gm<float>(0), count);
    in.EnQue(a);
    a = in.DeQue<float>();
    auto c = out.AllocTensor<float>();
    auto mask = bits.Get<uint8_t>();
    auto narrow = halves.Get<half>();
    CompareScalar(mask, a, 7.0f, CMPMODE::LT, rounded);
    Select(c, mask, a, 7.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, rounded);
    Cast(narrow, c, RoundMode::CAST_RINT, rounded);
    Cast(c, narrow, RoundMode::CAST_NONE, rounded);
    Add(c, c, a, rounded);
    if (use == 1) ReduceSum(c, c, sums.Get<float>(), rounded);  // sum of the rounding
    if (use == 2) mask.GetValue(15);                            // bits of the rounding
    out.EnQue(c);
    in.FreeTensor(a);
    c = out.DeQue<float>();
    DataCopy(run.gm<float>(1), c, use == 3 ? rounded : count);  // copy of the rounding
    out.FreeTensor(c);
}
CASE("rounded/unused", rounded_up<0>)
CASE("rounded/summed", rounded_up<1>)
CASE("rounded/bits", rounded_up<2>)
CASE("rounded/copied", rounded_up<3>)

/// 13 rows of 8 elements become 8 columns of 16, of which `use` elements are copied out.
template <int use>
void filled_up(const Case& run) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 512);
    pipe.InitBuffer(out, 1, 512);
    auto a = in.AllocTensor<float>();
    DataCopy(a, run.gm<float>(0), 13 * 8);
    in.EnQue(a);
    a = in.DeQue<float>();
    auto c = out.AllocTensor<float>();
    LocalTensor<float> from[16], to[16];
    for (uint32_t row = 0; row < 16; ++row) {
        from[row] = a[row * 8];
        to[row] = c[row * 8];
    }
    TransDataTo5HD(to, from, TransDataTo5HDParams{false, false, 1, 0, 0});
    out.EnQue(c);
    in.FreeTensor(a);
    c = out.DeQue<float>();
    const DataCopyExtParams shape{8, use * sizeof(float), (16 - use) / 8, 0, 0};
    DataCopyPad(run.gm<float>(1), c, shape);  // columns
    out.FreeTensor(c);
}
CASE("filled/unused", filled_up<13>)
CASE("filled/copied", filled_up<16>)

/// Rows of 40 elements in rooms of 64: everything runs over the gaps, `use` decides who looks at them.
template <int use>
void padded(const Case& run) {
    constexpr uint32_t kRows = 8, kUsed = 40, kRoom = 64;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TBuf<> wide_buffer, pair_buffer, places_buffer;
    pipe.InitBuffer(in, 1, kRows * kRoom * sizeof(half));
    pipe.InitBuffer(wide_buffer, kRows * kRoom * sizeof(float));
    pipe.InitBuffer(pair_buffer, kRoom * 8);
    pipe.InitBuffer(places_buffer, kRoom * sizeof(uint32_t));
    auto a = in.AllocTensor<half>();
    DataCopyExtParams rows{kRows, kUsed * sizeof(half), 0, 1, 0};  // 80 bytes in 96, and a block between rows
    DataCopyPad(a, run.gm<half>(0), rows, DataCopyPadExtParams<half>{false, 0, 0, half(0)});
    in.EnQue(a);
    a = in.DeQue<half>();
    auto wide = wide_buffer.Get<float>();
    auto places = places_buffer.Get<uint32_t>();
    Duplicate(places.ReinterpretCast<int32_t>(), 0, kRoom);
    Cast(wide, a, RoundMode::CAST_NONE, kRows * kRoom);  // cast over the gaps
    Muls(wide, wide, 2.0f, int32_t(kRows * kRoom));
    in.FreeTensor(a);
    if (use == 0) Sort32(pair_buffer.Get<float>(), wide[kRoom], places, 1);        // written: 32 of row 1
    if (use == 1) Sort32(pair_buffer.Get<float>(), wide[kRoom], places, 2);        // sorts a gap
    if (use == 2) WholeReduceSum(wide, wide, kRoom, kRows, 1, 1, kRoom * 4 / 32);  // sums gaps
    PipeBarrier<PIPE_ALL>();
}
CASE("padded/unused", padded<0>)
CASE("padded/sorted", padded<1>)
CASE("padded/summed", padded<2>)

/// A buffer that was written in Init, freed and taken again holds nothing.
void taken_again(const Case& run) {
    static_cast<void>(run);
    TPipe pipe;
    TQue<QuePosition::VECCALC, 1> queue;
    TBuf<> out;
    pipe.InitBuffer(queue, 1, 256);
    pipe.InitBuffer(out, 256);
    auto a = queue.AllocTensor<float>();
    Duplicate(a, 0.0f, 64);
    queue.FreeTensor(a);
    a = queue.AllocTensor<float>();
    Adds(out.Get<float>(), a, 1.0f, 64);  // taken again
    queue.FreeTensor(a);
}
CASE("taken_again", taken_again)

#define ADD_AND_ABS(TO, FROM) \
    Adds(TO, FROM, 1.0f, 64); \
    Abs(TO, FROM, 32);        \
    static_cast<void>(FROM.GetValue(32))

/// One line makes the same mistake in many ways: reads nobody wrote for, by several calls in a loop.
void one_line(const Case& run) {
    static_cast<void>(run);
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 8192);
    auto a = buffer.Get<float>();
    for (uint32_t i = 0; i < 5; ++i) {
        ADD_AND_ABS(a[i * 256], a[i * 256 + 128]);  // one line
    }
    LocalTensor<float> rest = a[2000];
    ADD_AND_ABS(a, rest);  // another line
}
CASE("one_line", one_line)

/// A read beyond the buffer: what lies there was never written, because it is beyond.
void beyond(const Case& run) {
    static_cast<void>(run);
    TPipe pipe;
    TBuf<> first, second, out;
    pipe.InitBuffer(first, 256);
    pipe.InitBuffer(second, 256);
    pipe.InitBuffer(out, 512);
    Duplicate(first.Get<float>(), 1.0f, 64);
    Adds(out.Get<float>(), first.Get<float>(), 1.0f, 96);  // beyond
}
CASE("beyond", beyond)
