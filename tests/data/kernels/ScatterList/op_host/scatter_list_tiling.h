#ifndef SCATTER_LIST_TILING_H
#define SCATTER_LIST_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ScatterListTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, outer);
TILING_DATA_FIELD_DEF(uint32_t, sliceRows);
TILING_DATA_FIELD_DEF(uint32_t, unitBytes);
TILING_DATA_FIELD_DEF(uint32_t, tileBytes);
TILING_DATA_FIELD_DEF(uint32_t, hasLengths);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 256, lengths);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ScatterList, ScatterListTilingData)
}  // namespace optiling
#endif
