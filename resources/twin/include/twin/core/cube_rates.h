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

/// Cycles of a copy into L1 that turns `rows` rows into fractals; `missed` is the share that L2 lacks.
inline double l1_copy_cycles(double bytes, double rows, double missed, const CubeRates& rates) {
    return kL1CopyStartNs * 1e-3 * rates.clock_mhz + rows * kL1RowCycles + bytes * missed / rates.hbm +
           bytes * (1 - missed) / rates.l2_read;
}

/// Cycles in which FixPipe reads `read` bytes of L0C and stores `written`, the one while the other goes on.
inline double store_cycles(double read, double written, const CubeRates& rates) {
    return kDmaIssueCycles + std::max(read / kL0cBytesPerCycle, written / rates.l2_write);
}

}  // namespace twin
