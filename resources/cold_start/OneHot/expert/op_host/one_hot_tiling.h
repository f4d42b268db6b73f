#ifndef ONE_HOT_TILING_H
#define ONE_HOT_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(OneHotTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);   // indices
TILING_DATA_FIELD_DEF(uint32_t, depth);  // elements of a row of y
TILING_DATA_FIELD_DEF(uint32_t, share);  // elements of y of every core
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(OneHot, OneHotTilingData)
}  // namespace optiling
#endif
