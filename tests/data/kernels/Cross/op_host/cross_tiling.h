#ifndef CROSS_TILING_H
#define CROSS_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CrossTilingData)
TILING_DATA_FIELD_DEF(uint32_t, outer);
TILING_DATA_FIELD_DEF(uint32_t, inner);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, tileRows);
TILING_DATA_FIELD_DEF(uint32_t, tileColumns);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Cross, CrossTilingData)
}  // namespace optiling
#endif
