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
