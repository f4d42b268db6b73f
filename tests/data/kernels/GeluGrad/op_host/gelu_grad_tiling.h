#ifndef GELU_GRAD_TILING_H
#define GELU_GRAD_TILING_H
#include "flat_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(GeluGrad, FlatTilingData)
}  // namespace optiling
#endif
