#ifndef HC_POST_TILING_H
#define HC_POST_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(HcPostTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(uint32_t, streams);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(HcPost, HcPostTilingData)
}  // namespace optiling
#endif
