// Axes of a reduction, named by kernels and by their tiling functions.
#pragma once

#include <cstdint>

namespace AscendC {

/// Which axes a reduction of the library folds (R) and which it keeps (A), outermost first.
enum class ReducePattern : uint32_t {
    AR = 0,
    RA,
    R,
    ARA,
    ARAR,
    ARARA,
    ARARAR,
    ARARARA,
    ARARARAR,
    ARARARARA,
    RAR,
    RARA,
    RARAR,
    RARARA,
    RARARAR,
    RARARARA
};

}  // namespace AscendC
