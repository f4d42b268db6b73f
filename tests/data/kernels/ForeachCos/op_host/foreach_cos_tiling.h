#ifndef FOREACH_COS_TILING_H
#define FOREACH_COS_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachCos, ForeachTilingData)
}  // namespace optiling
#endif
