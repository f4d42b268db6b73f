#ifndef UNTIL_NEGATIVE_TILING_H
#define UNTIL_NEGATIVE_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(UntilNegativeTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(UntilNegative, UntilNegativeTilingData)
}  // namespace optiling
#endif
