#ifndef STRIDED_SLICE_ASSIGN_V2_TILING_H
#define STRIDED_SLICE_ASSIGN_V2_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(StridedSliceAssignV2TilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, sliceBytes);
TILING_DATA_FIELD_DEF(uint32_t, tileBytes);
TILING_DATA_FIELD_DEF(uint32_t, rank);
TILING_DATA_FIELD_DEF_ARR(int64_t, 8, lengths);
TILING_DATA_FIELD_DEF_ARR(int64_t, 8, pitches);
TILING_DATA_FIELD_DEF(int64_t, offset);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(StridedSliceAssignV2, StridedSliceAssignV2TilingData)
}  // namespace optiling
#endif
