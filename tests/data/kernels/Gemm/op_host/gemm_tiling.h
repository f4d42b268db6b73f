#ifndef GEMM_TILING_H
#define GEMM_TILING_H
#include "part_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(Gemm, PartTilingData)
}  // namespace optiling
#endif
