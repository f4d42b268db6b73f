#ifndef FLASH_ATTENTION_SCORE_WITH_LARGE_HEAD_DIM_TILING_H
#define FLASH_ATTENTION_SCORE_WITH_LARGE_HEAD_DIM_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(FlashAttentionScoreWithLargeHeadDimTilingData)
TILING_DATA_FIELD_DEF(uint64_t, space);  // bytes of workspace of a core
TILING_DATA_FIELD_DEF(uint32_t, cores);
TILING_DATA_FIELD_DEF(uint32_t, batches);
TILING_DATA_FIELD_DEF(uint32_t, queries);
TILING_DATA_FIELD_DEF(uint32_t, keys);
TILING_DATA_FIELD_DEF(uint32_t, heads);
TILING_DATA_FIELD_DEF(uint32_t, size);  // of a head
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, scores);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, mixture);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(FlashAttentionScoreWithLargeHeadDim, FlashAttentionScoreWithLargeHeadDimTilingData)
}  // namespace optiling
#endif
