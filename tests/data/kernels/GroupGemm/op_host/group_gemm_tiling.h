#ifndef GROUP_GEMM_TILING_H
#define GROUP_GEMM_TILING_H
#include "part_tiling.h"

namespace optiling {
constexpr uint32_t MOST_GROUPS = 128;

BEGIN_TILING_DATA_DEF(GroupGemmTilingData)
TILING_DATA_FIELD_DEF(uint32_t, cores);
TILING_DATA_FIELD_DEF(uint32_t, groups);
TILING_DATA_FIELD_DEF(uint32_t, m);  // the largest of each
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF(uint32_t, partM);
TILING_DATA_FIELD_DEF(uint32_t, partN);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 128, rows);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 128, depths);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 128, columns);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(GroupGemm, GroupGemmTilingData)
}  // namespace optiling
#endif
