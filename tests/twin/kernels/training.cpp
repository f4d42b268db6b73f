// Flash attention, quantisation, gradients, further normalisations, TopK, Pad and DropOut: one call per case.
#include "case.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

SoftMaxTiling softmax_tiling(const Case& run) {
    SoftMaxTiling tiling;
    tiling.srcM = run.parameter<uint32_t>(0), tiling.srcK = run.parameter<uint32_t>(1);
    return tiling;
}

/// Two halves of every row, one after the other; version 1 or 2.
template <class T, class U, int version>
void flash(const Case& run) {
    Scratch ub;
    const SoftMaxTiling tiling = softmax_tiling(run);
    auto first = ub.load<T>(run, 0), second = ub.load<T>(run, 1);
    const uint32_t rows = tiling.srcM;
    auto sum = ub.make<U>(rows * 32 / sizeof(U)), max = ub.make<U>(rows * 32 / sizeof(U));
    auto correction = ub.make<T>(rows * 32 / sizeof(T));
    auto a = ub.make<T>(rows * tiling.srcK), b = ub.make<T>(rows * tiling.srcK);
    if constexpr (version == 1) {
        SoftmaxFlash<T>(a, sum, max, first, correction, sum, max, tiling);
        SoftmaxFlash<T>(b, sum, max, second, correction, sum, max, tiling, true);
    } else {
        SoftmaxFlashV2<T, false>(a, sum, max, first, correction, sum, max, tiling);
        const auto own =
            SoftMaxFlashV2TilingFunc({rows, tiling.srcK, rows, tiling.srcK}, sizeof(T), sizeof(U), 256, true);
        SoftmaxFlashV2<T, true>(b, sum, max, second, correction, sum, max, ub.make<uint8_t>(256), own);
    }
    ub.store(run, 2, a);
    ub.store(run, 3, b);
    ub.store(run, 4, sum);
    ub.store(run, 5, max);
    ub.store(run, 6, correction);
}
CASE("flash/1", flash<float, float, 1>)
CASE("flash/2", flash<float, float, 2>)
CASE("flash/half", flash<half, float, 2>)

/// Rows shifted by the means of their parts: parameters are rows, width and the number of parts.
void shifted_flash(const Case& run) {
    Scratch ub;
    const uint32_t rows = run.parameter<uint32_t>(0), width = run.parameter<uint32_t>(1);
    auto first = ub.load<half>(run, 0), second = ub.load<half>(run, 1);
    auto mean = ub.make<float>(rows * 8), sum = ub.make<float>(rows * 8), max = ub.make<float>(rows * 8);
    auto correction = ub.make<half>(rows * 16);
    SoftMaxParams params{rows, width, rows, width, 1, run.parameter<uint32_t>(2), 0.9375f};
    SoftmaxFlashV3<half, float>(first, mean, sum, max, first, correction, mean, sum, max, SoftMaxTiling(),
                                params);
    params.loopCnt = 2;
    SoftmaxFlashV3<half, float, true>(second, mean, sum, max, second, correction, mean, sum, max,
                                      ub.make<uint8_t>(256), SoftMaxTiling(), params);
    ub.store(run, 2, first);
    ub.store(run, 3, second);
    ub.store(run, 4, mean);
    ub.store(run, 5, sum);
    ub.store(run, 6, max);
    ub.store(run, 7, correction);
}
CASE("shifted_flash", shifted_flash)

void softmax_grad(const Case& run) {
    Scratch ub;
    const SoftMaxTiling tiling = softmax_tiling(run);
    auto grad = ub.load<float>(run, 0), y = ub.load<float>(run, 1);
    auto out = ub.make<float>(run.count<float>(2)), front = ub.make<float>(tiling.srcM * 8);
    SoftmaxGrad(out, grad, y, tiling);
    SoftmaxGradFront(front, grad, y, tiling);
    ub.store(run, 2, out);
    ub.store(run, 3, front);
}
CASE("softmax_grad", softmax_grad)

void adjust(const Case& run) {
    Scratch ub;
    const SoftMaxTiling tiling = softmax_tiling(run);
    auto y = ub.load<float>(run, 0), max = ub.load<float>(run, 1);
    const bool found = AdjustSoftMaxRes<float, float>(y, max, 0xff800000u, 0.0f,
                                                      {tiling.srcM, tiling.srcK, tiling.srcM, tiling.srcK});
    if (found) ub.store(run, 2, y);
}
CASE("adjust", adjust)

template <class T>
void quant(const Case& run) {
    Scratch ub;
    auto x = ub.load<T>(run, 0), scale = ub.load<T>(run, 1), offset = ub.load<T>(run, 2);
    auto out = ub.make<int8_t>(run.count<T>(0));
    const uint32_t count = run.count<T>(0), columns = run.count<T>(1);
    switch (run.parameter(0)) {
        case 0: AscendQuant<T>(out, x, 2.5f, -3.0f, count); break;
        case 1: AscendQuant<T>(out, x, scale, T(1.0f), columns, count); break;
        default: AscendQuant<T>(out, x, ub.make<uint8_t>(256), scale, offset, columns, columns, count); break;
    }
    ub.store(run, 3, out);
}
CASE("quant/half", quant<half>)
CASE("quant/float", quant<float>)

template <class D, class S>
void dequant(const Case& run) {
    Scratch ub;
    auto x = ub.load<int32_t>(run, 0);
    auto scale = ub.load<S>(run, 1);
    const DequantParams params{run.parameter<uint32_t>(0), run.parameter<uint32_t>(1),
                               run.parameter<uint32_t>(2)};
    auto out = ub.make<D>(run.count<D>(2) + 64);
    AscendDequant(out, x, scale, params);
    ub.store(run, 2, out);
}
CASE("dequant/float", dequant<float, float>)
CASE("dequant/half", dequant<half, uint64_t>)

template <bool transposed>
void antiquant(const Case& run) {
    Scratch ub;
    auto x = ub.load<int8_t>(run, 0);
    x.SetSize(run.count<int8_t>(0));
    auto offset = ub.load<half>(run, 1), scale = ub.load<half>(run, 2);
    auto out = ub.make<half>(run.count<half>(3));
    const auto height = run.parameter<uint32_t>(1), width = run.parameter<uint32_t>(2);
    if (height == 0) {
        AscendAntiQuant<int8_t, half, transposed>(out, x, half(3.0f), half(0.5f), run.parameter<uint32_t>(0));
    } else {
        AscendAntiQuant<int8_t, half, transposed>(out, x, offset, scale, ub.make<uint8_t>(256),
                                                  run.parameter<uint32_t>(0), {height, width, height, width});
    }
    ub.store(run, 3, out);
}
CASE("antiquant/rows", antiquant<false>)
CASE("antiquant/columns", antiquant<true>)

void layer_norm_grad(const Case& run) {
    Scratch ub;
    auto dy = ub.load<float>(run, 0), x = ub.load<float>(run, 1), gamma = ub.load<float>(run, 2);
    auto mean = ub.load<float>(run, 3), variance = ub.load<float>(run, 4);
    const uint32_t count = run.count<float>(0);
    auto dx = ub.make<float>(count), normal = ub.make<float>(count), dgamma = ub.make<float>(64);
    auto dbeta = ub.make<float>(64);
    LayerNormGradTiling tiling;
    tiling.bLength = 1, tiling.sLength = run.parameter<uint32_t>(0),
    tiling.hLength = run.parameter<uint32_t>(1);
    LayerNormGrad(dx, normal, dy, x, variance, mean, gamma, 1e-5f, tiling);
    LayerNormGradBetaTiling beta;
    beta.bLength = 1, beta.sLength = tiling.sLength, beta.hLength = tiling.hLength;
    LayerNormGradBeta(dgamma, dbeta, normal, dy, beta);
    ub.store(run, 5, dx);
    ub.store(run, 6, dgamma);
    ub.store(run, 7, dbeta);
}
CASE("layer_norm_grad", layer_norm_grad)

/// Parameter 0: DeepNorm, BatchNorm, GroupNorm; then the shape.
void norm(const Case& run) {
    Scratch ub;
    auto x = ub.load<float>(run, 0), gamma = ub.load<float>(run, 1), beta = ub.load<float>(run, 2);
    auto other = ub.load<float>(run, 3);
    auto out = ub.make<float>(run.count<float>(4)), mean = ub.make<float>(256), spread = ub.make<float>(256);
    const auto a = run.parameter<uint32_t>(1), b = run.parameter<uint32_t>(2), c = run.parameter<uint32_t>(3);
    if (run.parameter(0) == 0) {
        DeepNormTiling tiling;
        tiling.bLength = a, tiling.sLength = b, tiling.hLength = c;
        DeepNorm(out, mean, spread, x, other, beta, gamma, 1.5f, 1e-5f, tiling);
    } else if (run.parameter(0) == 1) {
        BatchNormTiling tiling;
        tiling.bLength = a, tiling.sLength = b, tiling.hLength = c;
        BatchNorm(out, mean, spread, x, gamma, beta, 1e-5f, tiling);
    } else {
        GroupNormTiling tiling;
        tiling.n = a, tiling.c = b, tiling.hw = c, tiling.g = 2, tiling.d = b / 2;
        GroupNorm(out, mean, spread, x, gamma, beta, 1e-5f, tiling);
    }
    ub.store(run, 4, out);
    ub.store(run, 5, mean);
    ub.store(run, 6, spread);
}
CASE("norm", norm)

/// Mean and variance of rows that come one after the other.
void welford(const Case& run) {
    Scratch ub;
    const auto rows = run.parameter<uint32_t>(0), width = run.parameter<uint32_t>(1);
    auto x = ub.load<float>(run, 0), mean = ub.make<float>(64), sums = ub.make<float>(64);
    auto one = ub.make<float>(64), two = ub.make<float>(64);
    Duplicate(mean, 0.0f, 64);
    Duplicate(sums, 0.0f, 64);
    for (uint32_t row = 0; row < rows; ++row) {
        WelfordUpdate<float, float>(mean, sums, mean, sums, x[row * width],
                                    WelfordUpdateParam{1, width, width, 1.0f / static_cast<float>(row + 1)});
    }
    WelfordFinalizePara para{rows, width, 0, 0, 0, 0, 1.0f / static_cast<float>(width), 0};
    if (run.parameter(2) == 0) {
        WelfordFinalize(one, two, mean, sums, para);
    } else {
        auto counts = ub.make<int32_t>(64);
        Duplicate(counts, static_cast<int32_t>(rows), 64);
        PipeBarrier<PIPE_ALL>();
        WelfordFinalize(one, two, mean, sums, counts, para);
    }
    ub.store(run, 1, one);
    ub.store(run, 2, two);
}
CASE("welford", welford)

template <class T, bool largest>
void top_k(const Case& run) {
    Scratch ub;
    auto x = ub.load<T>(run, 0), values = ub.make<T>(run.count<T>(2));
    auto finish = ub.load<uint8_t>(run, 1).template ReinterpretCast<bool>();
    auto indices = ub.make<int32_t>(run.count<int32_t>(3)), none = ub.make<int32_t>(64);
    Duplicate(values, T(0.0f), run.count<T>(2));
    Duplicate(indices, 0, run.count<int32_t>(3));
    TopkTiling tiling;
    TopKInfo info;
    info.outter = run.parameter(0), info.inner = run.parameter(1), info.n = run.parameter(2);
    TopK<T, false, true>(values, indices, x, none, finish, run.parameter(3), tiling, info, largest);  // top
    ub.store(run, 2, values);
    ub.store(run, 3, indices);
}
CASE("top_k/largest", top_k<float, true>)
CASE("top_k/smallest", top_k<half, false>)

void pad(const Case& run) {
    Scratch ub;
    auto x = ub.load<half>(run, 0);
    auto padded = ub.make<half>(run.count<half>(1)), cut = ub.make<half>(run.count<half>(2) + 64);
    PadTiling tiling;
    tiling.srcHeight = 4, tiling.srcWidth = 16, tiling.srcOriWidth = 13;
    PadParams params{1, 2, 7};
    Pad(padded, x, params, tiling);
    UnPadTiling back;
    back.srcHeight = 4, back.srcWidth = 16;
    UnPadParams drop{0, 3};
    UnPad(cut, x, drop, back);
    ub.store(run, 1, padded);
    ub.store(run, 2, cut);
}
CASE("pad", pad)

void drop_out(const Case& run) {
    Scratch ub;
    auto x = ub.load<float>(run, 0);
    auto mask = ub.load<uint8_t>(run, 1);
    auto out = ub.make<float>(run.count<float>(2));
    const DropOutShapeInfo info{4, 32, run.parameter<uint32_t>(0)};
    DropOut(out, x, mask, 0.5f, info);
    ub.store(run, 2, out);
}
CASE("drop_out", drop_out)
