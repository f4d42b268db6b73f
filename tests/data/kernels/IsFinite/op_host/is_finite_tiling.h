#ifndef IS_FINITE_TILING_H
#define IS_FINITE_TILING_H
#include "flat_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(IsFinite, FlatTilingData)
}  // namespace optiling
#endif
