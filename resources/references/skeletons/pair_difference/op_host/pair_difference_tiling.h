#ifndef PAIR_DIFFERENCE_TILING_H
#define PAIR_DIFFERENCE_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(PairDifferenceTilingData)
TILING_DATA_FIELD_DEF(uint32_t, pairs);
TILING_DATA_FIELD_DEF(uint32_t, perCore);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(PairDifference, PairDifferenceTilingData)
}  // namespace optiling
#endif
