#ifndef COLUMN_SUM_TILING_H
#define COLUMN_SUM_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ColumnSumTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);     // rows of x
TILING_DATA_FIELD_DEF(uint32_t, columns);  // columns of x
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ColumnSum, ColumnSumTilingData)
}  // namespace optiling
#endif
