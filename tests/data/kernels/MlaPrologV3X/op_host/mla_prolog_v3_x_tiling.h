#ifndef MLA_PROLOG_V3_X_TILING_H
#define MLA_PROLOG_V3_X_TILING_H
#include "part_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(PrologTilingData)
TILING_DATA_FIELD_DEF(uint32_t, cores);
TILING_DATA_FIELD_DEF(uint32_t, groups);
TILING_DATA_FIELD_DEF(uint32_t, m);  // the largest of the four products, as are n and k
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF(uint32_t, partM);
TILING_DATA_FIELD_DEF(uint32_t, partN);
TILING_DATA_FIELD_DEF(uint32_t, tokens);
TILING_DATA_FIELD_DEF(uint32_t, hidden);    // He
TILING_DATA_FIELD_DEF(uint32_t, latent);    // Hcq
TILING_DATA_FIELD_DEF(uint32_t, heads);     // N
TILING_DATA_FIELD_DEF(uint32_t, headSize);  // D
TILING_DATA_FIELD_DEF(uint32_t, stored);    // Hckv
TILING_DATA_FIELD_DEF(uint32_t, rope);      // Dr
TILING_DATA_FIELD_DEF(float, queryEpsilon);
TILING_DATA_FIELD_DEF(float, keyEpsilon);
TILING_DATA_FIELD_DEF(float, queryScale);
TILING_DATA_FIELD_DEF(float, keyScale);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(MlaPrologV3X, PrologTilingData)
}  // namespace optiling
#endif
