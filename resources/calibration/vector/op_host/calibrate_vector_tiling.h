#ifndef CALIBRATE_VECTOR_TILING_H
#define CALIBRATE_VECTOR_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CalibrateVectorTilingData)
TILING_DATA_FIELD_DEF(uint32_t, kind);
TILING_DATA_FIELD_DEF(uint32_t, repeats);
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF(uint32_t, coreLength);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(CalibrateVector, CalibrateVectorTilingData)
}  // namespace optiling
#endif
