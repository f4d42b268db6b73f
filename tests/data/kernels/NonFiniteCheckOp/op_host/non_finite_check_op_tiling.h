#ifndef NON_FINITE_CHECK_OP_TILING_H
#define NON_FINITE_CHECK_OP_TILING_H
#include "foreach_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(NonFiniteCheckOp, ForeachTilingData)
}  // namespace optiling
#endif
