#ifndef GMM_DEQ_SWIGLU_QUANT_GMM_DEQ_TILING_H
#define GMM_DEQ_SWIGLU_QUANT_GMM_DEQ_TILING_H
#include "part_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ExpertLayersTilingData)
TILING_DATA_FIELD_DEF(uint32_t, cores);
TILING_DATA_FIELD_DEF(uint32_t, groups);
TILING_DATA_FIELD_DEF(uint32_t, m);
TILING_DATA_FIELD_DEF(uint32_t, n);  // the larger of both layers, as is k
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF(uint32_t, partM);
TILING_DATA_FIELD_DEF(uint32_t, partN);
TILING_DATA_FIELD_DEF(uint32_t, inner);   // K
TILING_DATA_FIELD_DEF(uint32_t, hidden);  // H
TILING_DATA_FIELD_DEF(uint32_t, outer);   // D
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(GmmDeqSwigluQuantGmmDeq, ExpertLayersTilingData)
}  // namespace optiling
#endif
