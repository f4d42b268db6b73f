#ifndef ADDCDIV_TILING_H
#define ADDCDIV_TILING_H
#include "flat_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(Addcdiv, FlatTilingData)
}  // namespace optiling
#endif
