// Cosine in float32.
#ifndef COSINE_H
#define COSINE_H
#include "kernel_operator.h"

// With k = round(x / pi - 1/2) and r = x - (k + 1/2) pi, which lies in [-pi/2, pi/2], cos(x) = (-1)^(k + 1)
// sin(r).
struct Cosine {
    static constexpr int32_t SCRATCH = 3;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        auto& x = tile.x[0];
        auto& half = tile.scratch[0];
        auto& part = tile.scratch[1];
        auto& sign = tile.scratch[2];
        ReduceLarge(tile, count);
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
    static constexpr float REACH = 65536.0f;  // beyond it products with the parts of pi are no longer exact
    static constexpr int32_t REACH_BITS = 0x47800000;
    static constexpr int32_t INFINITY_BITS = 0x7f800000;

    // Arguments beyond the reach of the vector reduction are rare; the scalar unit takes whole turns off
    // them.
    template <typename Tile>
    __aicore__ inline void ReduceLarge(Tile& tile, int32_t count) {
        auto& x = tile.x[0];
        AscendC::Abs(tile.scratch[0], x, count);
        AscendC::ReduceMax(tile.scratch[1], tile.scratch[0], tile.scratch[2], count);
        float largest = tile.scratch[1].GetValue(0);
        if (largest <= REACH) {
            return;
        }
        auto bits = x.template ReinterpretCast<int32_t>();
        for (int32_t i = 0; i < count; ++i) {
            int32_t magnitude = bits.GetValue(i) & 0x7fffffff;
            if (magnitude > REACH_BITS && magnitude < INFINITY_BITS) {
                x.SetValue(i, Reduced(magnitude));
            }
        }
    }
    // The positive float32 with these bits is m 2^e with a whole m. Of 1 / (2 pi) only the 64 bits from 2^-e
    // on matter: m times them, modulo 1, is the part of a turn that is left.
    __aicore__ inline float Reduced(int32_t bits) {
        constexpr float turn = 1.4629180792671596e-9f;  // 2 pi / 2^32
        uint32_t position = static_cast<uint32_t>((bits >> 23) - 150 + 32);
        uint64_t whole = static_cast<uint64_t>((bits & 0x7fffff) | 0x800000);
        uint32_t word = position / 32;
        uint32_t shift = position % 32;
        uint64_t window = static_cast<uint64_t>(InverseTurn(word)) << 32 | InverseTurn(word + 1);
        if (shift > 0) {
            window = window << shift | InverseTurn(word + 2) >> (32 - shift);
        }
        int32_t part = static_cast<int32_t>(static_cast<uint32_t>((whole * window) >> 32));
        return static_cast<float>(part) * turn;
    }
    // Bits of 1 / (2 pi) by words of 32, behind one word for the whole part.
    __aicore__ inline uint32_t InverseTurn(uint32_t word) {
        switch (word) {
            case 1: return 0x28be60dbu;
            case 2: return 0x9391054au;
            case 3: return 0x7f09d5f4u;
            case 4: return 0x7d4d3770u;
            case 5: return 0x36d8a566u;
            case 6: return 0x4f10e410u;
            default: return 0;
        }
    }

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
