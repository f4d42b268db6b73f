#ifndef GELU_TILING_H
#define GELU_TILING_H
#include "flat_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(Gelu, FlatTilingData)
}  // namespace optiling
#endif
