#ifndef FOREACH_MUL_LIST_TILING_H
#define FOREACH_MUL_LIST_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachMulList, ForeachTilingData)
}  // namespace optiling
#endif
