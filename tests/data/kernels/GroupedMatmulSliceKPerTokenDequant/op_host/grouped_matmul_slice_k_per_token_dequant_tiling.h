#ifndef GROUPED_MATMUL_SLICE_K_PER_TOKEN_DEQUANT_TILING_H
#define GROUPED_MATMUL_SLICE_K_PER_TOKEN_DEQUANT_TILING_H
#include "part_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(GroupedMatmulSliceKPerTokenDequant, PartTilingData)
}  // namespace optiling
#endif
