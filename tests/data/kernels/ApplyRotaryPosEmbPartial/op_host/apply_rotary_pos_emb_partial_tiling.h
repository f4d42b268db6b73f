#ifndef APPLY_ROTARY_POS_EMB_PARTIAL_TILING_H
#define APPLY_ROTARY_POS_EMB_PARTIAL_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ApplyRotaryPosEmbPartialTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, queryHeads);
TILING_DATA_FIELD_DEF(uint32_t, keyHeads);
TILING_DATA_FIELD_DEF(uint32_t, headWidth);
TILING_DATA_FIELD_DEF(uint32_t, begin);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, interleaved);
TILING_DATA_FIELD_DEF(uint32_t, tileHeads);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ApplyRotaryPosEmbPartial, ApplyRotaryPosEmbPartialTilingData)
}  // namespace optiling
#endif
