#ifndef FOREACH_SIGMOID_TILING_H
#define FOREACH_SIGMOID_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(ForeachSigmoid, ForeachTilingData)
}  // namespace optiling
#endif
