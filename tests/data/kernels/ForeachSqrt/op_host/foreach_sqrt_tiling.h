#ifndef FOREACH_SQRT_TILING_H
#define FOREACH_SQRT_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachSqrt, ForeachTilingData)
}  // namespace optiling
#endif
