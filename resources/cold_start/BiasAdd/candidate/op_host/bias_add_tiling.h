#ifndef BIAS_ADD_TILING_H
#define BIAS_ADD_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(BiasAddTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);   // rows of x
TILING_DATA_FIELD_DEF(uint32_t, width);  // elements of a row
TILING_DATA_FIELD_DEF(uint32_t, share);  // rows of every core
TILING_DATA_FIELD_DEF(uint32_t, tile);   // elements of a tile
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(BiasAdd, BiasAddTilingData)
}  // namespace optiling
#endif
