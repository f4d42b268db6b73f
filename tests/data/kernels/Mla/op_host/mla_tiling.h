#ifndef MLA_TILING_H
#define MLA_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
constexpr uint32_t MOST_SEQUENCES = 256;

BEGIN_TILING_DATA_DEF(MlaTilingData)
TILING_DATA_FIELD_DEF(uint64_t, space);  // bytes of workspace of a core
TILING_DATA_FIELD_DEF(uint32_t, cores);
TILING_DATA_FIELD_DEF(uint32_t, sequences);
TILING_DATA_FIELD_DEF(uint32_t, tokens);
TILING_DATA_FIELD_DEF(uint32_t, heads);
TILING_DATA_FIELD_DEF(uint32_t, keyHeads);
TILING_DATA_FIELD_DEF(uint32_t, blockSize);   // keys of a page
TILING_DATA_FIELD_DEF(uint32_t, mostBlocks);  // of a sequence
TILING_DATA_FIELD_DEF(uint32_t, latent);      // D
TILING_DATA_FIELD_DEF(uint32_t, rope);        // Dr
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 256, tokenEnds);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 256, lengths);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, scores);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, mixture);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Mla, MlaTilingData)
}  // namespace optiling
#endif
