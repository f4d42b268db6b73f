#ifndef ROTARY_POS_EMB_PARTIAL_TILING_H
#define ROTARY_POS_EMB_PARTIAL_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(RotaryPosEmbPartialTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(uint32_t, heads);
TILING_DATA_FIELD_DEF(uint32_t, headWidth);
TILING_DATA_FIELD_DEF(uint32_t, begin);
TILING_DATA_FIELD_DEF(uint32_t, interleaved);
TILING_DATA_FIELD_DEF(uint32_t, copyHeads);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(RotaryPosEmbPartial, RotaryPosEmbPartialTilingData)
}  // namespace optiling
#endif
