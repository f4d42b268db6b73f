#ifndef FOREACH_ADD_LIST_TILING_H
#define FOREACH_ADD_LIST_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachAddList, ForeachTilingData)
}  // namespace optiling
#endif
