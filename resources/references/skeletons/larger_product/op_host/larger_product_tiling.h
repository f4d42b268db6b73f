#ifndef LARGER_PRODUCT_TILING_H
#define LARGER_PRODUCT_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(LargerProductTilingData)
TILING_DATA_FIELD_DEF(uint32_t, cores);  // vector cores with a block
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, first);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, second);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(LargerProduct, LargerProductTilingData)
}  // namespace optiling
#endif
