// Where the matrices of a batched product lie: the layouts of IterateBatch.
#pragma once

#include "twin/lib/matmul_types.h"

namespace twin {

/// Axes of a batched operand: batches, rows, heads, groups, columns. Rows and columns are one matrix.
struct BatchAxes {
    int32_t b = 0, s = 0, n = 0, g = 0, d = 0;
};

/// Elements between rows of a matrix, and between the matrices of neighbouring batches.
struct BatchStrides {
    uint64_t row = 0, matrix = 0;
};

constexpr bool is_laid_out(LayoutMode mode) {
    return mode == LayoutMode::BSNGD || mode == LayoutMode::SBNGD || mode == LayoutMode::BNGS1S2;
}

inline BatchStrides batch_strides(LayoutMode mode, const BatchAxes& axes) {
    const auto width = static_cast<uint64_t>(axes.d);
    if (mode == LayoutMode::BNGS1S2) return {width, width * static_cast<uint64_t>(axes.s)};
    const uint64_t row = width * static_cast<uint64_t>(axes.n) * static_cast<uint64_t>(axes.g);
    return {mode == LayoutMode::SBNGD ? row * static_cast<uint64_t>(axes.b) : row, width};
}

inline BatchAxes a_axes(const TCubeTiling& t) {
    return {t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD};
}
inline BatchAxes b_axes(const TCubeTiling& t) {
    return {t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD};
}
inline BatchAxes c_axes(const TCubeTiling& t) {
    return {t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2};
}

}  // namespace twin
