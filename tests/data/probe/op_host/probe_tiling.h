#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
constexpr uint32_t ROWS = 3;

BEGIN_TILING_DATA_DEF(ProbeInner)
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF(uint64_t, wide);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ProbeInnerOp, ProbeInner)

BEGIN_TILING_DATA_DEF(ProbeTilingData)
TILING_DATA_FIELD_DEF(uint16_t, small);
TILING_DATA_FIELD_DEF_STRUCT(ProbeInner, inner);
TILING_DATA_FIELD_DEF_ARR(int32_t, ROWS, rows);
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Probe, ProbeTilingData)
}  // namespace optiling
