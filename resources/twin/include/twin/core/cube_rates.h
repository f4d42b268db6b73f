// Bandwidths of a cube core, and what its copies take of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "twin/soc_data.h"

namespace twin {

/// What a cube core gets of the memories around it, in bytes per cycle.
struct CubeRates {
    double hbm = 1, l2_read = 1, l2_write = 1;
    double clock_mhz = 1000;
    double copy_latency = 0, copy_issue = 0, product_start = 0;  ///< cycles
};

/// When the pipes of a cube core and the places products use are free, in cycles.
struct CubeTimes {
    double mte2 = 0, mte1 = 0, cube = 0, fix = 0;
    double a_free[2] = {}, b_free[2] = {}, l0_free[2] = {}, l0c_free[2] = {};
    uint64_t a_at = 0, b_at = 0, l0c_at = 0;  ///< the places used last

    /// Nothing is free before `start`.
    void not_before(double start) {
        for (double* time : {&mte2, &mte1, &cube, &fix}) *time = std::max(*time, start);
        for (double* places : {a_free, b_free, l0_free, l0c_free}) {
            for (int i = 0; i < 2; ++i) places[i] = std::max(places[i], start);
        }
    }
};

/// Rows of global memory that a copy turns into fractals: `count` of `length` bytes, `step` bytes apart.
struct CopiedRows {
    uint64_t begin = 0;  ///< address of the first
    uint64_t count = 0, length = 0, step = 0;
};

/// Cycles for which such rows keep MTE2 however fast the memory is: requests for one unit of 512 bytes come
/// one after the other, and rows that begin within 32 bytes are put together block by block.
inline double row_cycles(const CopiedRows& rows, const CubeRates& rates) {
    if ((rows.begin | rows.step) % kBlockBytes == 0 && rows.step >= rows.length + kGmUnitBytes) return 0;
    uint64_t same = 0, odd = 0;
    for (uint64_t row = 0; row < rows.count; ++row) {
        const uint64_t begin = rows.begin + row * rows.step;
        same += row > 0 && begin / kGmUnitBytes == (begin - rows.step + rows.length - 1) / kGmUnitBytes;
        odd += begin % kBlockBytes != 0;
    }
    const uint64_t blocks = rows.length / kBlockBytes + 1;
    return static_cast<double>(same) * kSameUnitNs * 1e-3 * rates.clock_mhz +
           static_cast<double>(odd * blocks) * kOddBlockCycles;
}

/// Cycles of a copy into L1 that turns `rows` rows into fractals, at least `least`; `missed` is the share
/// that L2 lacks.
inline double l1_copy_cycles(double bytes, double rows, double missed, double least, const CubeRates& rates) {
    const double moved =
        rows * kL1RowCycles + bytes * missed / rates.hbm + bytes * (1 - missed) / rates.l2_read;
    return kL1CopyStartNs * 1e-3 * rates.clock_mhz + std::max(moved, least);
}

/// Cycles in which FixPipe reads `read` bytes of L0C and stores `written`, the one while the other goes on.
inline double store_cycles(double read, double written, const CubeRates& rates) {
    return rates.copy_issue + std::max(read / kL0cBytesPerCycle, written / rates.l2_write);
}

}  // namespace twin
