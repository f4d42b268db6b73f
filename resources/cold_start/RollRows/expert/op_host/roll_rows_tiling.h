#ifndef ROLL_ROWS_TILING_H
#define ROLL_ROWS_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(RollRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, width);  // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, turn);   // places a row is turned by, below width
TILING_DATA_FIELD_DEF(uint32_t, share);  // rows of every core
TILING_DATA_FIELD_DEF(uint32_t, more);   // cores that take one row more
TILING_DATA_FIELD_DEF(uint32_t, tile);   // bytes of a tile
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(RollRows, RollRowsTilingData)
}  // namespace optiling
#endif
