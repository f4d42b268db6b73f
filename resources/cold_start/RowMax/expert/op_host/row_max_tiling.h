#ifndef ROW_MAX_TILING_H
#define ROW_MAX_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(RowMaxTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);    // rows of x
TILING_DATA_FIELD_DEF(uint32_t, width);   // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, groups);  // groups of 8 rows of every core
TILING_DATA_FIELD_DEF(uint32_t, more);    // cores that take one group more
TILING_DATA_FIELD_DEF(uint32_t, batch);   // rows of a tile; 0: a row is too long for a repeat stride
TILING_DATA_FIELD_DEF(uint32_t, tile);    // elements of a tile
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(RowMax, RowMaxTilingData)
}  // namespace optiling
#endif
