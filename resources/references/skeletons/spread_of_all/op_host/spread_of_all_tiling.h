#ifndef SPREAD_OF_ALL_TILING_H
#define SPREAD_OF_ALL_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SpreadOfAllTilingData)
TILING_DATA_FIELD_DEF(uint32_t, cores);
TILING_DATA_FIELD_DEF(uint32_t, tile);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 49, begins);  // of every core, and the end of the last one
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SpreadOfAll, SpreadOfAllTilingData)
}  // namespace optiling
#endif
