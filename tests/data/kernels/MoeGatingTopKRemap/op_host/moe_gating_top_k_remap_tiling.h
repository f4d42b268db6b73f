#ifndef MOE_GATING_TOP_K_REMAP_TILING_H
#define MOE_GATING_TOP_K_REMAP_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GatingTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);  // tokens
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, groups);
TILING_DATA_FIELD_DEF(uint32_t, members);  // experts of a group
TILING_DATA_FIELD_DEF(uint32_t, copies);   // columns of expert_map
TILING_DATA_FIELD_DEF(uint32_t, wanted);
TILING_DATA_FIELD_DEF(uint32_t, keptGroups);
TILING_DATA_FIELD_DEF(uint32_t, twoLargest);  // a group scores the sum of its two largest
TILING_DATA_FIELD_DEF(uint32_t, sigmoid);
TILING_DATA_FIELD_DEF(uint32_t, renormalise);
TILING_DATA_FIELD_DEF(float, factor);
TILING_DATA_FIELD_DEF(float, epsilon);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(MoeGatingTopKRemap, GatingTilingData)
}  // namespace optiling
#endif
