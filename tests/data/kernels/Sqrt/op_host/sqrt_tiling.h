#ifndef SQRT_TILING_H
#define SQRT_TILING_H
#include "flat_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(Sqrt, FlatTilingData)
}  // namespace optiling
#endif
