#ifndef COS_MATH_TILING_H
#define COS_MATH_TILING_H
#include "flat_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(CosMath, FlatTilingData)
}  // namespace optiling
#endif
