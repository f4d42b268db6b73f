#ifndef LESS_EQUAL_TILING_H
#define LESS_EQUAL_TILING_H
#include "flat_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(LessEqual, FlatTilingData)
}  // namespace optiling
#endif
