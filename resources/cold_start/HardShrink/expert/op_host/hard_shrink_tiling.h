#ifndef HARD_SHRINK_TILING_H
#define HARD_SHRINK_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(HardShrinkTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);  // elements of the whole tensor
TILING_DATA_FIELD_DEF(uint32_t, lines);  // lines of 512 bytes of every core
TILING_DATA_FIELD_DEF(uint32_t, more);   // cores that take one line more
TILING_DATA_FIELD_DEF(uint32_t, tile);   // elements of a full tile
TILING_DATA_FIELD_DEF(float, lambd);     // largest magnitude that becomes 0
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(HardShrink, HardShrinkTilingData)
}  // namespace optiling
#endif
