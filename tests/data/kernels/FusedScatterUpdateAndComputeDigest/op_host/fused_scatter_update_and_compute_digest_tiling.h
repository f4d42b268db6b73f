#ifndef FUSED_SCATTER_UPDATE_AND_COMPUTE_DIGEST_TILING_H
#define FUSED_SCATTER_UPDATE_AND_COMPUTE_DIGEST_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(FusedScatterUpdateAndComputeDigestTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, tokens);
TILING_DATA_FIELD_DEF(uint32_t, pageSize);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(FusedScatterUpdateAndComputeDigest, FusedScatterUpdateAndComputeDigestTilingData)
}  // namespace optiling
#endif
