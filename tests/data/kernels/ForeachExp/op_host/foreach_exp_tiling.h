#ifndef FOREACH_EXP_TILING_H
#define FOREACH_EXP_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachExp, ForeachTilingData)
}  // namespace optiling
#endif
