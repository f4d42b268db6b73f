#ifndef CROSS_ENTROPY_LOSS_GRAD_TILING_H
#define CROSS_ENTROPY_LOSS_GRAD_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CrossEntropyLossGradTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(uint32_t, gradPitch);
TILING_DATA_FIELD_DEF(uint32_t, mean);
TILING_DATA_FIELD_DEF(uint32_t, zloss);
TILING_DATA_FIELD_DEF(int32_t, ignoreIndex);
TILING_DATA_FIELD_DEF(float, smoothing);
TILING_DATA_FIELD_DEF(float, zlossScale);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(CrossEntropyLossGrad, CrossEntropyLossGradTilingData)
}  // namespace optiling
#endif
