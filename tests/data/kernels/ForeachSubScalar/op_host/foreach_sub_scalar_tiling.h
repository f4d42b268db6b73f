#ifndef FOREACH_SUB_SCALAR_TILING_H
#define FOREACH_SUB_SCALAR_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachSubScalar, ForeachTilingData)
}  // namespace optiling
#endif
