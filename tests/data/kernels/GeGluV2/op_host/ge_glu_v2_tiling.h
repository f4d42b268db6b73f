#ifndef GE_GLU_V2_TILING_H
#define GE_GLU_V2_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GeGluV2TilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, columns);
TILING_DATA_FIELD_DEF(uint32_t, pieceRows);
TILING_DATA_FIELD_DEF(uint32_t, chunks);
TILING_DATA_FIELD_DEF(uint32_t, pieces);
TILING_DATA_FIELD_DEF(uint32_t, corePieces);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(uint32_t, useTanh);
TILING_DATA_FIELD_DEF(uint32_t, activateLeft);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GeGluV2, GeGluV2TilingData)
}  // namespace optiling
#endif
