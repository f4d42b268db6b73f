#ifndef BATCHED_MATMUL_TILING_H
#define BATCHED_MATMUL_TILING_H
#include "part_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(BatchedMatmul, PartTilingData)
}  // namespace optiling
#endif
