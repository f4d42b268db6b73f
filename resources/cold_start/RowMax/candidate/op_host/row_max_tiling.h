#ifndef ROW_MAX_TILING_H
#define ROW_MAX_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(RowMaxTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);   // rows of x
TILING_DATA_FIELD_DEF(uint32_t, width);  // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, share);  // rows of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, tile);   // elements of a tile
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(RowMax, RowMaxTilingData)
}  // namespace optiling
#endif
