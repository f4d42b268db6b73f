// How long a product of the Matmul library takes: copies into L1, loads into L0, products and stores of its
// base blocks as they follow each other on the pipes of a cube core. No data is touched.
//
// A base block of C is summed over k in steps of base_k. A step needs its parts of A and B in L0, from copies
// in L1 that bring step_ka (step_kb) parts at a time: 1 with CFG_NORM, as the tiling says with CFG_MDL. L1,
// L0A and L0B hold two such copies where they have room for them, and L0C two blocks, so that a pipe waits
// only until the next one has used one of them up.
#pragma once

#include <algorithm>
#include <cstdint>

#include "twin/core/cube_rates.h"
#include "twin/core/pipes.h"
#include "twin/soc_data.h"

namespace twin {

/// Where an operand of a product comes from.
struct ProductOperand {
    bool rows_along_k = true;  ///< it lies in rows of k elements, else in rows of m or n
    bool fractal = false;      ///< Nz already: no rows to turn
    double missed = 1;         ///< share of the bytes copied that come from HBM, the others from L2
    uint64_t begin = 0;        ///< address in global memory, and
    uint64_t step = 0;         ///< bytes between its rows; 0 where both are unknown
};

/// C[m, n] = A[m, k] B[k, n] in base blocks.
struct ProductShape {
    uint64_t m = 0, n = 0, k = 0;
    uint64_t base_m = 16, base_n = 16, base_k = 16;
    uint64_t step_ka = 1, step_kb = 1;
    uint64_t bytes = 2, c_bytes = 2;  ///< of an element of A and B, and of C
    ProductOperand a, b{false};
    double step_cycles = 1;  ///< of the matrix unit for two fractals of 512 bytes
};

/// What one base block takes of L0A, L0B and L0C, and its copies of L1.
struct BlockBytes {
    uint64_t a = 0, b = 0, c = 0, l1 = 0;
};

/// Source: TCubeTiling, limits of baseM, baseN and baseK; a block is never larger than the product.
inline BlockBytes bytes_of(const ProductShape& shape) {
    constexpr uint64_t kFractal = 16;
    const uint64_t c0 = kBlockBytes / shape.bytes;
    const auto whole = [](uint64_t value, uint64_t limit, uint64_t unit) {
        return (std::min(value, limit) + unit - 1) / unit * unit;
    };
    const uint64_t m = whole(shape.base_m, shape.m, kFractal), n = whole(shape.base_n, shape.n, kFractal);
    const auto along_k = [&](uint64_t steps) {
        return whole(shape.base_k * std::min(steps, shape.k), shape.k, c0) * shape.bytes;
    };
    const uint64_t k = along_k(1);
    return {m * k, n * k, m * n * 4, m * along_k(shape.step_ka) + n * along_k(shape.step_kb)};
}

/// Times of the pipes while a product runs.
class ProductSchedule {
public:
    ProductSchedule(const ProductShape& shape, const CubeRates& rates) : shape_(shape), rates_(rates) {
        const uint64_t a = shape.base_m * shape.base_k * shape.step_ka,
                       b = shape.base_n * shape.base_k * shape.step_kb;
        l1_ = 2 * (a + b) * shape.bytes <= kL1Bytes ? 2 : 1;
        l0c_ = 2 * shape.base_m * shape.base_n * 4 <= kL0cBytes ? 2 : 1;
        const BlockBytes bytes = bytes_of(shape);
        l0_ = 2 * bytes.a <= kL0aBytes && 2 * bytes.b <= kL0bBytes ? 2 : 1;
    }

    /// Runs the product from `start` on; `take(pipe, start, cycles, bytes, operand)` gets every piece of
    /// work; the operand is 'a' or 'b' of a copy of one, else 0. The time C is stored.
    template <class Take>
    double run(double start, Take&& take) {
        CubeTimes times;
        times.not_before(start);
        return run(times, take);
    }

    /// The same behind the products that left `times`, which are those behind this one afterwards.
    template <class Take>
    double run(CubeTimes& times, Take&& take) {
        t_ = times;
        t_.l0c_at %= l0c_;
        const uint64_t rows = blocks(shape_.m, shape_.base_m), columns = blocks(shape_.n, shape_.base_n);
        for (uint64_t column = 0; column < columns; ++column) {
            for (uint64_t row = 0; row < rows; ++row) block(row, column, take);
        }
        times = t_;
        return std::max({t_.mte2, t_.mte1, t_.cube, t_.fix}) + rates_.copy_latency;
    }

private:
    static uint64_t blocks(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }

    template <class Take>
    void block(uint64_t row, uint64_t column, Take& take) {
        const uint64_t m = std::min(shape_.base_m, shape_.m - row * shape_.base_m);
        const uint64_t n = std::min(shape_.base_n, shape_.n - column * shape_.base_n);
        const uint64_t steps = blocks(shape_.k, shape_.base_k);
        for (uint64_t step = 0; step < steps; ++step) {
            const uint64_t k = std::min(shape_.base_k, shape_.k - step * shape_.base_k);
            if (step % shape_.step_ka == 0) {
                bring(shape_.a, {row * shape_.base_m, m, shape_.step_ka, step}, row * steps + step, a_held_,
                      a_ready_, t_.a_at, t_.a_free, take);
            }
            if (step % shape_.step_kb == 0) {
                bring(shape_.b, {column * shape_.base_n, n, shape_.step_kb, step}, column * steps + step,
                      b_held_, b_ready_, t_.b_at, t_.b_free, take);
            }
            const double a_bytes = static_cast<double>(m * k * shape_.bytes),
                         b_bytes = static_cast<double>(n * k * shape_.bytes);
            const double load =
                2 * kMte1IssueCycles + a_bytes / kL0aBytesPerCycle + b_bytes / kL0bBytesPerCycle;
            double begin = std::max({t_.mte1, a_ready_, b_ready_, t_.l0_free[step % l0_]});
            take(Pipe::MTE1, begin, load, a_bytes + b_bytes, '\0');
            t_.mte1 = begin + load;
            t_.a_free[t_.a_at] = t_.b_free[t_.b_at] = t_.mte1;
            const double work =
                static_cast<double>(blocks(m, 16) * blocks(n, 16) * blocks(k, kBlockBytes / shape_.bytes)) *
                    shape_.step_cycles +
                rates_.product_start;
            begin = std::max(t_.cube, t_.mte1);
            if (step == 0) begin = std::max(begin, t_.l0c_free[t_.l0c_at]);
            take(Pipe::M, begin, work, 0, '\0');
            t_.cube = t_.l0_free[step % l0_] = begin + work;
        }
        const double bytes = static_cast<double>(m * n * shape_.c_bytes);
        const double begin = std::max(t_.fix, t_.cube),
                     length = store_cycles(static_cast<double>(m * n * 4), bytes, rates_);
        take(Pipe::FIX, begin, length, bytes, '\0');
        t_.fix = t_.l0c_free[t_.l0c_at] = begin + length;
        t_.l0c_at = (t_.l0c_at + 1) % l0c_;
    }

    /// Base blocks that one copy brings: `across` lines of m or n from `first` on, `parts` steps of k from
    /// `step` on.
    struct Piece {
        uint64_t first, across, parts, step;
    };

    /// Copies a piece of an operand into L1, unless it is what lies there.
    template <class Take>
    void bring(const ProductOperand& x, const Piece& piece, uint64_t which, uint64_t& held, double& ready,
               uint64_t& at, double (&free)[2], Take& take) {
        if (held == which) return;
        held = which;
        at = (at + 1) % l1_;
        const uint64_t k_first = piece.step * shape_.base_k;
        const uint64_t k = std::min(piece.parts * shape_.base_k, shape_.k - k_first);
        const double bytes = static_cast<double>(piece.across * k * shape_.bytes);
        CopiedRows rows{x.begin + piece.first * x.step + k_first * shape_.bytes, piece.across,
                        k * shape_.bytes, x.step};
        if (!x.rows_along_k) {
            rows = {x.begin + k_first * x.step + piece.first * shape_.bytes, k, piece.across * shape_.bytes,
                    x.step};
        }
        const double turned = x.fractal ? 0 : static_cast<double>(rows.count);
        const double least = x.fractal || x.step == 0 ? 0 : row_cycles(rows, rates_);
        const double begin = std::max(t_.mte2, free[at]),
                     length = l1_copy_cycles(bytes, turned, x.missed, least, rates_);
        take(Pipe::MTE2, begin, length, bytes, &x == &shape_.a ? 'a' : 'b');
        t_.mte2 = ready = begin + length;
    }

    ProductShape shape_;
    CubeRates rates_;
    CubeTimes t_;
    uint64_t l1_ = 2, l0_ = 2, l0c_ = 1;
    uint64_t a_held_ = ~0ull, b_held_ = ~0ull;
    double a_ready_ = 0, b_ready_ = 0;
};

}  // namespace twin
