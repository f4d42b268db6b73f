#ifndef FOREACH_ABS_TILING_H
#define FOREACH_ABS_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachAbs, ForeachTilingData)
}  // namespace optiling
#endif
