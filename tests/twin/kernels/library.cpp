// The high-level library: one call per case.
#include "case.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

#define LIBRARY_UNARY(NAME)                                  \
    template <class T>                                       \
    void lib_##NAME(const Case& run) {                       \
        Scratch ub;                                          \
        auto a = ub.load<T>(run, 0), c = ub.load<T>(run, 1); \
        auto tmp = ub.make<uint8_t>(1024);                   \
        NAME(c, a, tmp, run.count<T>(0));                    \
        NAME(c, a, run.count<T>(0));                         \
        ub.store(run, 1, c);                                 \
    }                                                        \
    CASE(#NAME "/float", lib_##NAME<float>)                  \
    CASE(#NAME "/half", lib_##NAME<half>)

LIBRARY_UNARY(Tanh)
LIBRARY_UNARY(Sin)
LIBRARY_UNARY(Cos)
LIBRARY_UNARY(Tan)
LIBRARY_UNARY(Sinh)
LIBRARY_UNARY(Cosh)
LIBRARY_UNARY(Asin)
LIBRARY_UNARY(Acos)
LIBRARY_UNARY(Atan)
LIBRARY_UNARY(Asinh)
LIBRARY_UNARY(Acosh)
LIBRARY_UNARY(Atanh)
LIBRARY_UNARY(Erf)
LIBRARY_UNARY(Erfc)
LIBRARY_UNARY(Floor)
LIBRARY_UNARY(Ceil)
LIBRARY_UNARY(Round)
LIBRARY_UNARY(Trunc)
LIBRARY_UNARY(Frac)
LIBRARY_UNARY(Sign)
LIBRARY_UNARY(Log)
LIBRARY_UNARY(Log2)
LIBRARY_UNARY(Log10)
LIBRARY_UNARY(Lgamma)
LIBRARY_UNARY(Digamma)
LIBRARY_UNARY(Sigmoid)
LIBRARY_UNARY(Silu)
LIBRARY_UNARY(Gelu)
LIBRARY_UNARY(FasterGelu)
#define LIBRARY_BINARY(NAME)                                                                     \
    void lib_##NAME(const Case& run) {                                                           \
        Scratch ub;                                                                              \
        auto a = ub.load<float>(run, 0), b = ub.load<float>(run, 1), c = ub.load<float>(run, 2); \
        NAME(c, a, b, run.count<float>(0));                                                      \
        ub.store(run, 2, c);                                                                     \
    }                                                                                            \
    CASE(#NAME, lib_##NAME)

LIBRARY_BINARY(Power)
LIBRARY_BINARY(Fmod)
LIBRARY_BINARY(GeGLU)
LIBRARY_BINARY(ReGlu)

void swiglu(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), b = ub.load<float>(run, 1), c = ub.load<float>(run, 2);
    SwiGLU(c, a, b, 1.0f, run.count<float>(0));
    ub.store(run, 2, c);
}
CASE("SwiGLU", swiglu)

void with_scalars(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1);
    auto tmp = ub.make<uint8_t>(1024);
    switch (run.parameter(0)) {
        case 0: Power(c, a, run.parameter<float>(1), run.count<float>(0)); break;
        case 1: Power(c, run.parameter<float>(1), a, tmp, run.count<float>(0)); break;
        case 2: ClampMax(c, a, tmp, run.parameter<float>(1), run.count<float>(0)); break;
        case 3: ClampMin(c, a, run.parameter<float>(1), run.count<float>(0)); break;
        case 4: Swish(c, a, run.count<float>(0), run.parameter<float>(1)); break;
        default: Exp<float, 10>(c, a, tmp, run.count<float>(0)); break;
    }
    ub.store(run, 1, c);
}
CASE("with_scalars", with_scalars)

void softmax(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1);
    SoftMaxTiling tiling;
    tiling.srcM = run.parameter<uint32_t>(0);
    tiling.srcK = run.parameter<uint32_t>(1);
    auto sum = ub.make<float>(tiling.srcM * 8), max = ub.make<float>(tiling.srcM * 8);
    SoftMaxShapeInfo shape{tiling.srcM, tiling.srcK, tiling.srcM, run.parameter<uint32_t>(2)};
    SoftMax<float>(c, sum, max, a, tiling, shape);
    ub.store(run, 1, c);
    SoftMax<float>(c, a, ub.make<uint8_t>(1024), tiling, shape);
    ub.store(run, 2, sum);
}
CASE("softmax", softmax)

void log_softmax(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1);
    LogSoftMaxTiling tiling;
    tiling.srcM = run.parameter<uint32_t>(0);
    tiling.srcK = run.parameter<uint32_t>(1);
    auto sum = ub.make<float>(tiling.srcM * 8), max = ub.make<float>(tiling.srcM * 8);
    LogSoftMax(c, sum, max, a, tiling);
    ub.store(run, 1, c);
}
CASE("log_softmax", log_softmax)

void sum_rows(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1);
    SumParams params{run.parameter<uint32_t>(0), run.parameter<uint32_t>(1), run.parameter<uint32_t>(2)};
    Sum(c, a, params);
    ub.store(run, 1, c);
}
CASE("sum_rows", sum_rows)

template <class Where>
void pattern(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1);
    const uint32_t shape[2] = {run.parameter<uint32_t>(0), run.parameter<uint32_t>(1)};
    ReduceSum<float, Where>(c, a, ub.make<uint8_t>(1024), shape, true);
    ub.store(run, 1, c);
}
CASE("pattern/AR", pattern<Pattern::Reduce::AR>)
CASE("pattern/RA", pattern<Pattern::Reduce::RA>)

void broadcast(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1);
    const uint32_t to[2] = {4, 16}, from[2] = {run.parameter<uint32_t>(0), run.parameter<uint32_t>(1)};
    if (from[0] == 1) {
        Broadcast<float, 2, 0>(c, a, to, from);
    } else {
        Broadcast<float, 2, 1>(c, a, to, from);
    }
    ub.store(run, 1, c);
}
CASE("broadcast", broadcast)

void layer_norm(const Case& run) {
    Scratch ub;
    auto x = ub.load<float>(run, 0), gamma = ub.load<float>(run, 1), beta = ub.load<float>(run, 2);
    auto y = ub.load<float>(run, 3), mean = ub.make<float>(64), variance = ub.make<float>(64);
    LayerNormTiling tiling;
    tiling.bLength = 1;
    tiling.sLength = run.parameter<uint32_t>(0);
    tiling.hLength = run.parameter<uint32_t>(1);
    LayerNorm(y, mean, variance, x, gamma, beta, 1e-5f, tiling);
    ub.store(run, 3, y);
}
CASE("layer_norm", layer_norm)

void rms_norm(const Case& run) {
    Scratch ub;
    auto x = ub.load<float>(run, 0), gamma = ub.load<float>(run, 1), y = ub.load<float>(run, 2);
    RmsNormTiling tiling;
    tiling.bLength = 1;
    tiling.sLength = run.parameter<uint32_t>(0);
    tiling.hLength = run.parameter<uint32_t>(1);
    RmsNorm(y, x, gamma, 1e-6f, tiling);
    ub.store(run, 2, y);
}
CASE("rms_norm", rms_norm)

void cumulative(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1), last = ub.make<float>(64);
    CumSum<float>(c, last, a, CumSumInfo{run.parameter<uint32_t>(0), run.parameter<uint32_t>(1)});
    ub.store(run, 1, c);
}
CASE("cumulative", cumulative)
