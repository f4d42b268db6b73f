#ifndef CROSS_ENTROPY_LOSS_TILING_H
#define CROSS_ENTROPY_LOSS_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CrossEntropyLossTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(uint32_t, reduction);
TILING_DATA_FIELD_DEF(uint32_t, returnZloss);
TILING_DATA_FIELD_DEF(int32_t, ignoreIndex);
TILING_DATA_FIELD_DEF(float, smoothing);
TILING_DATA_FIELD_DEF(float, zlossScale);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(CrossEntropyLoss, CrossEntropyLossTilingData)
}  // namespace optiling
#endif
