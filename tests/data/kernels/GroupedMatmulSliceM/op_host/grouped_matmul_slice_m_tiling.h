#ifndef GROUPED_MATMUL_SLICE_M_TILING_H
#define GROUPED_MATMUL_SLICE_M_TILING_H
#include "part_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(GroupedMatmulSliceM, PartTilingData)
}  // namespace optiling
#endif
