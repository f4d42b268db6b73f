#ifndef ADD_CUSTOM_TILING_H
#define ADD_CUSTOM_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AddCustomTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);    // elements of the whole tensor
TILING_DATA_FIELD_DEF(uint32_t, perCore);  // elements of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, tile);     // elements of a full tile, a multiple of 32 bytes
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(AddCustom, AddCustomTilingData)
}  // namespace optiling
#endif
