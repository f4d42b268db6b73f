#ifndef CALIBRATE_MATRIX_TILING_H
#define CALIBRATE_MATRIX_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CalibrateMatrixTilingData)
TILING_DATA_FIELD_DEF(uint32_t, m);
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF(uint32_t, repeats);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(CalibrateMatrix, CalibrateMatrixTilingData)
}  // namespace optiling
#endif
