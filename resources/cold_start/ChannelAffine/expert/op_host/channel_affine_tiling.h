#ifndef CHANNEL_AFFINE_TILING_H
#define CHANNEL_AFFINE_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ChannelAffineTilingData)
TILING_DATA_FIELD_DEF(uint32_t, channels);  // channels
TILING_DATA_FIELD_DEF(uint32_t, plane);     // elements of a plane
TILING_DATA_FIELD_DEF(uint32_t, share);     // planes of every core
TILING_DATA_FIELD_DEF(uint32_t, more);      // cores that take one plane more
TILING_DATA_FIELD_DEF(uint32_t, tile);      // elements of a piece of a plane, whole blocks
TILING_DATA_FIELD_DEF(uint32_t, batch);     // planes of a tile
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ChannelAffine, ChannelAffineTilingData)
}  // namespace optiling
#endif
