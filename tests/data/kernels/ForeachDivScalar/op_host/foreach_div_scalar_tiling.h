#ifndef FOREACH_DIV_SCALAR_TILING_H
#define FOREACH_DIV_SCALAR_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachDivScalar, ForeachTilingData)
}  // namespace optiling
#endif
