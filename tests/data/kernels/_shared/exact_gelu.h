// The exact GELU in float32.
#ifndef EXACT_GELU_H
#define EXACT_GELU_H
#include "kernel_operator.h"

// y = x/2 (1 + erf(x / sqrt(2))) = (x + |x|) / 2 - |x| q with q = (1 - erf(|x| / sqrt(2))) / 2, which
// Abramowitz and Stegun 7.1.26 give as a polynomial in t = 1 / (1 + p |x| / sqrt(2)) times exp(-x^2 / 2), off
// by less than 1e-7. Beyond 16 q is 0. `size` and `work` are scratch; y may not be x.
template <typename Local>
__aicore__ inline void ExactGelu(Local& y, const Local& x, Local& size, Local& work, int32_t count) {
    constexpr float reach = 16.0f;
    constexpr float p = 0.3275911f * 0.70710678118654752f;
    constexpr float factors[] = {1.061405429f, -1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f};
    AscendC::Abs(size, x, count);
    AscendC::Mins(size, size, reach, count);
    AscendC::Muls(work, size, p, count);
    AscendC::Adds(work, work, 1.0f, count);
    AscendC::Duplicate(y, 1.0f, count);
    AscendC::Div(work, y, work, count);
    AscendC::Muls(y, work, factors[0], count);
    for (int32_t i = 1; i < 5; ++i) {
        AscendC::Adds(y, y, factors[i], count);
        AscendC::Mul(y, y, work, count);
    }
    AscendC::Mul(work, size, size, count);
    AscendC::Muls(work, work, -0.5f, count);
    AscendC::Exp(work, work, count);
    AscendC::Mul(y, y, work, count);
    AscendC::Muls(y, y, 0.5f, count);
    AscendC::Mul(y, y, size, count);
    AscendC::Abs(size, x, count);
    AscendC::Muls(size, size, 0.5f, count);
    AscendC::Muls(work, x, 0.5f, count);
    AscendC::Add(size, size, work, count);
    AscendC::Sub(y, size, y, count);
}
#endif
