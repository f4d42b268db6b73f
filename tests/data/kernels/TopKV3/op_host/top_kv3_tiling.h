#ifndef TOP_KV3_TILING_H
#define TOP_KV3_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(TopKTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, length);  // of a row
TILING_DATA_FIELD_DEF(uint32_t, step);    // elements from one of a row to the next
TILING_DATA_FIELD_DEF(uint32_t, wanted);
TILING_DATA_FIELD_DEF(uint32_t, largest);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(TopKV3, TopKTilingData)
}  // namespace optiling
#endif
