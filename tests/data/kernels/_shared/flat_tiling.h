// Tiling of work that is one long row of elements: every core gets one run of whole 32-byte blocks.
#ifndef FLAT_TILING_H
#define FLAT_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(FlatTilingData)
TILING_DATA_FIELD_DEF(uint32_t, totalLength);
TILING_DATA_FIELD_DEF(uint32_t, coreLength);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
END_TILING_DATA_DEF;
}  // namespace optiling
#endif
