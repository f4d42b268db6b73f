#ifndef GATHER_V3_TILING_H
#define GATHER_V3_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GatherV3TilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, sliceBytes);
TILING_DATA_FIELD_DEF(uint32_t, tileBytes);
TILING_DATA_FIELD_DEF(uint32_t, outer);
TILING_DATA_FIELD_DEF(uint32_t, axisLength);
TILING_DATA_FIELD_DEF(uint32_t, taken);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GatherV3, GatherV3TilingData)
}  // namespace optiling
#endif
