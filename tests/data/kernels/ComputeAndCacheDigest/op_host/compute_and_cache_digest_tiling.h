#ifndef COMPUTE_AND_CACHE_DIGEST_TILING_H
#define COMPUTE_AND_CACHE_DIGEST_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ComputeAndCacheDigestTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, pageSize);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ComputeAndCacheDigest, ComputeAndCacheDigestTilingData)
}  // namespace optiling
#endif
