#ifndef FAST_GELU_TILING_H
#define FAST_GELU_TILING_H
#include "flat_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(FastGelu, FlatTilingData)
}  // namespace optiling
#endif
