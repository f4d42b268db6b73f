// Bandwidths of a cube core.
#pragma once

namespace twin {

/// What a cube core gets of the memories around it, in bytes per cycle.
struct CubeRates {
    double hbm = 1, l2_read = 1, l2_write = 1;
    double clock_mhz = 1000;
};

}  // namespace twin
