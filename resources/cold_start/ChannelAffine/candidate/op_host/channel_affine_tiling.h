#ifndef CHANNEL_AFFINE_TILING_H
#define CHANNEL_AFFINE_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ChannelAffineTilingData)
TILING_DATA_FIELD_DEF(uint32_t, images);    // images
TILING_DATA_FIELD_DEF(uint32_t, channels);  // channels
TILING_DATA_FIELD_DEF(uint32_t, plane);     // elements of a plane
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ChannelAffine, ChannelAffineTilingData)
}  // namespace optiling
#endif
