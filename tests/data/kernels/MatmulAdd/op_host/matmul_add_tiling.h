#ifndef MATMUL_ADD_TILING_H
#define MATMUL_ADD_TILING_H
#include "part_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(MatmulAdd, PartTilingData)
}  // namespace optiling
#endif
