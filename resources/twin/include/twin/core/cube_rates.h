// Bandwidths of a cube core, and what its copies take of them.
#pragma once

#include <algorithm>

#include "twin/soc_data.h"

namespace twin {

/// What a cube core gets of the memories around it, in bytes per cycle.
struct CubeRates {
    double hbm = 1, l2_read = 1, l2_write = 1;
    double clock_mhz = 1000;
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
