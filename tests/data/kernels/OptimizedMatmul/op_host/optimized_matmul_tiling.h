#ifndef OPTIMIZED_MATMUL_TILING_H
#define OPTIMIZED_MATMUL_TILING_H
#include "part_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(OptimizedMatmul, PartTilingData)
}  // namespace optiling
#endif
