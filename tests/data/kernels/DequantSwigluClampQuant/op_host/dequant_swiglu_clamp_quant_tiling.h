#ifndef DEQUANT_SWIGLU_CLAMP_QUANT_TILING_H
#define DEQUANT_SWIGLU_CLAMP_QUANT_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(DequantSwigluClampQuantTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(uint32_t, groups);
TILING_DATA_FIELD_DEF(uint32_t, activateLeft);
TILING_DATA_FIELD_DEF(uint32_t, interleaved);
TILING_DATA_FIELD_DEF(float, limit);
TILING_DATA_FIELD_DEF(float, alpha);
TILING_DATA_FIELD_DEF(float, addend);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(DequantSwigluClampQuant, DequantSwigluClampQuantTilingData)
}  // namespace optiling
#endif
