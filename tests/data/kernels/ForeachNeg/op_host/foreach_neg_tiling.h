#ifndef FOREACH_NEG_TILING_H
#define FOREACH_NEG_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
constexpr uint32_t MOST_TENSORS = 32;

BEGIN_TILING_DATA_DEF(ForeachNegTilingData)
TILING_DATA_FIELD_DEF(uint32_t, tensorCount);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 32, lengths);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ForeachNeg, ForeachNegTilingData)
}  // namespace optiling
#endif
