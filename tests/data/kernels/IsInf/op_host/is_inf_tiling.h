#ifndef IS_INF_TILING_H
#define IS_INF_TILING_H
#include "flat_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(IsInf, FlatTilingData)
}  // namespace optiling
#endif
