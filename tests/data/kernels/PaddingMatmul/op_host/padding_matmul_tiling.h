#ifndef PADDING_MATMUL_TILING_H
#define PADDING_MATMUL_TILING_H
#include "part_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(PaddingMatmul, PartTilingData)
}  // namespace optiling
#endif
