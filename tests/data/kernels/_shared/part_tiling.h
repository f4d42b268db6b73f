// Tiling of products that vector cores ask for part by part.
#ifndef PART_TILING_H
#define PART_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(PartTilingData)
TILING_DATA_FIELD_DEF(uint32_t, cores);  // vector cores that take parts
TILING_DATA_FIELD_DEF(uint32_t, groups);
TILING_DATA_FIELD_DEF(uint32_t, m);
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF(uint32_t, partM);  // the largest part
TILING_DATA_FIELD_DEF(uint32_t, partN);
TILING_DATA_FIELD_DEF(float, alpha);
TILING_DATA_FIELD_DEF(float, beta);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);
END_TILING_DATA_DEF;
}  // namespace optiling
#endif
