#ifndef FOREACH_ZERO_INPLACE_TILING_H
#define FOREACH_ZERO_INPLACE_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachZeroInplace, ForeachTilingData)
}  // namespace optiling
#endif
