#ifndef SOFTSIGN_TILING_H
#define SOFTSIGN_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SoftsignTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);  // elements of the whole tensor
TILING_DATA_FIELD_DEF(uint32_t, share);  // elements of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, tile);   // elements of a full tile
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Softsign, SoftsignTilingData)
}  // namespace optiling
#endif
