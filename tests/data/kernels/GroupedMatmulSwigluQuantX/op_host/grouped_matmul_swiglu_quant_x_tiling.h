#ifndef GROUPED_MATMUL_SWIGLU_QUANT_X_TILING_H
#define GROUPED_MATMUL_SWIGLU_QUANT_X_TILING_H
#include "part_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(GroupedMatmulSwigluQuantX, PartTilingData)
}  // namespace optiling
#endif
