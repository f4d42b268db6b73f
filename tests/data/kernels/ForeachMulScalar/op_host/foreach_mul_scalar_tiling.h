#ifndef FOREACH_MUL_SCALAR_TILING_H
#define FOREACH_MUL_SCALAR_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachMulScalar, ForeachTilingData)
}  // namespace optiling
#endif
