#ifndef LERP_TILING_H
#define LERP_TILING_H
#include "flat_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(Lerp, FlatTilingData)
}  // namespace optiling
#endif
