// Cosine in float32 for arguments of either sign up to some ten thousand radians.
#ifndef COSINE_H
#define COSINE_H
#include "kernel_operator.h"

// With k = round(x / pi - 1/2) and r = x - (k + 1/2) pi, which lies in [-pi/2, pi/2], cos(x) = (-1)^(k + 1) sin(r).
struct Cosine {
    static constexpr int32_t SCRATCH = 3;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        auto& x = tile.x[0];
        auto& half = tile.scratch[0];
        auto& part = tile.scratch[1];
        auto& sign = tile.scratch[2];
        AscendC::Muls(part, x, INVERSE_PI, count);
        AscendC::Adds(part, part, -0.5f, count);
        AscendC::Cast(half, part, AscendC::RoundMode::CAST_RINT, count);
        Parity(sign, part, half, count);
        AscendC::Adds(half, half, 0.5f, count);
        // pi in four parts, the first ones so short that their products with k + 1/2 are exact.
        AscendC::Axpy(x, half, -3.140625f, count);
        AscendC::Axpy(x, half, -0.0009670257568359375f, count);
        AscendC::Axpy(x, half, -6.2771141529083251953e-7f, count);
        AscendC::Axpy(x, half, -1.2154201256553420e-10f, count);
        Sine(tile.y[0], x, part, count);
        AscendC::Mul(tile.y[0], tile.y[0], sign, count);
    }

private:
    static constexpr float INVERSE_PI = 0.31830988618379067f;

    // sign = (-1)^(k + 1) = 4 (k/2 - floor(k/2)) - 1.
    template <typename Local>
    __aicore__ inline void Parity(Local& sign, Local& part, const Local& k, int32_t count) {
        AscendC::Muls(part, k, 0.5f, count);
        AscendC::Cast(sign, part, AscendC::RoundMode::CAST_FLOOR, count);
        AscendC::Sub(sign, part, sign, count);
        AscendC::Muls(sign, sign, 4.0f, count);
        AscendC::Adds(sign, sign, -1.0f, count);
    }
    // Taylor series to r^11, off by less than 6e-8 in [-pi/2, pi/2].
    template <typename Local>
    __aicore__ inline void Sine(Local& y, const Local& r, Local& square, int32_t count) {
        AscendC::Mul(square, r, r, count);
        AscendC::Muls(y, square, -2.5052108385441720e-8f, count);
        Horner(y, square, 2.7557319223985893e-6f, count);
        Horner(y, square, -1.9841269841269841e-4f, count);
        Horner(y, square, 8.3333333333333333e-3f, count);
        Horner(y, square, -1.6666666666666667e-1f, count);
        AscendC::Adds(y, y, 1.0f, count);
        AscendC::Mul(y, y, r, count);
    }
    template <typename Local>
    __aicore__ inline void Horner(Local& y, const Local& square, float coefficient, int32_t count) {
        AscendC::Adds(y, y, coefficient, count);
        AscendC::Mul(y, y, square, count);
    }
};
#endif
