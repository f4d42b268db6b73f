#ifndef MUL_SIGMOID_MUL_ADD_CUSTOM_TILING_H
#define MUL_SIGMOID_MUL_ADD_CUSTOM_TILING_H
#include "flat_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(MulSigmoidMulAddCustom, FlatTilingData)
}  // namespace optiling
#endif
