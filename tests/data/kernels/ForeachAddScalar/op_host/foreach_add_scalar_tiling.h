#ifndef FOREACH_ADD_SCALAR_TILING_H
#define FOREACH_ADD_SCALAR_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachAddScalar, ForeachTilingData)
}  // namespace optiling
#endif
