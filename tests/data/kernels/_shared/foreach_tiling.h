// Tiling of tensor lists: the list is one long row of 32-byte blocks, of which every core gets an equal run.
#ifndef FOREACH_TILING_H
#define FOREACH_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
constexpr uint32_t MOST_TENSORS = 256;

BEGIN_TILING_DATA_DEF(ForeachTilingData)
TILING_DATA_FIELD_DEF(uint32_t, tensorCount);
TILING_DATA_FIELD_DEF(uint32_t, coreBlocks);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 256, lengths);
END_TILING_DATA_DEF;
}  // namespace optiling
#endif
