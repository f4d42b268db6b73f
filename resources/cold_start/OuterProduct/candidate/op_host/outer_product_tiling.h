#ifndef OUTER_PRODUCT_TILING_H
#define OUTER_PRODUCT_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(OuterProductTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);     // elements of x
TILING_DATA_FIELD_DEF(uint32_t, columns);  // elements of y
TILING_DATA_FIELD_DEF(uint32_t, share);    // rows of every core
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(OuterProduct, OuterProductTilingData)
}  // namespace optiling
#endif
