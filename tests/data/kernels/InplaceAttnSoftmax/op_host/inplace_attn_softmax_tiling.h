#ifndef INPLACE_ATTN_SOFTMAX_TILING_H
#define INPLACE_ATTN_SOFTMAX_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(InplaceAttnSoftmaxTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(InplaceAttnSoftmax, InplaceAttnSoftmaxTilingData)
}  // namespace optiling
#endif
