#ifndef FUSED_GELU_SIGMOID_TILING_H
#define FUSED_GELU_SIGMOID_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(FusedGeluSigmoidTilingData)
TILING_DATA_FIELD_DEF(uint32_t, totalLength);
TILING_DATA_FIELD_DEF(uint32_t, coreLength);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(uint32_t, useTanh);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(FusedGeluSigmoid, FusedGeluSigmoidTilingData)
}  // namespace optiling
#endif
