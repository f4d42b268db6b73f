#ifndef MUL_SIGMOID_TILING_H
#define MUL_SIGMOID_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MulSigmoidTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, columns);
TILING_DATA_FIELD_DEF(uint32_t, pieceRows);
TILING_DATA_FIELD_DEF(uint32_t, chunks);
TILING_DATA_FIELD_DEF(uint32_t, pieces);
TILING_DATA_FIELD_DEF(uint32_t, corePieces);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(float, slope);
TILING_DATA_FIELD_DEF(float, threshold);
TILING_DATA_FIELD_DEF(float, factor);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MulSigmoid, MulSigmoidTilingData)
}  // namespace optiling
#endif
