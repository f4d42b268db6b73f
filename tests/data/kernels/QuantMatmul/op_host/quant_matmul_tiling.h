#ifndef QUANT_MATMUL_TILING_H
#define QUANT_MATMUL_TILING_H
#include "part_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(QuantMatmul, PartTilingData)
}  // namespace optiling
#endif
