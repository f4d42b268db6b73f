#ifndef EXPAND_V2_TILING_H
#define EXPAND_V2_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ExpandV2TilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, levels);
TILING_DATA_FIELD_DEF(uint32_t, runLength);
TILING_DATA_FIELD_DEF(uint32_t, runStep);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 8, sizes);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 8, steps);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ExpandV2, ExpandV2TilingData)
}  // namespace optiling
#endif
