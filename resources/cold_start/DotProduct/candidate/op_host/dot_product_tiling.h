#ifndef DOT_PRODUCT_TILING_H
#define DOT_PRODUCT_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(DotProductTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);  // elements of x
TILING_DATA_FIELD_DEF(uint32_t, tile);   // elements of a tile
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(DotProduct, DotProductTilingData)
}  // namespace optiling
#endif
