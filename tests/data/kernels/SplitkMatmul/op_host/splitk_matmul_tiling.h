#ifndef SPLITK_MATMUL_TILING_H
#define SPLITK_MATMUL_TILING_H
#include "part_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(SplitkMatmul, PartTilingData)
}  // namespace optiling
#endif
