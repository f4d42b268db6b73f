#ifndef REVERSE_SEQUENCE_TILING_H
#define REVERSE_SEQUENCE_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ReverseSequenceTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, sliceBytes);
TILING_DATA_FIELD_DEF(uint32_t, tileBytes);
TILING_DATA_FIELD_DEF(uint32_t, sequence);
TILING_DATA_FIELD_DEF(uint32_t, middle);
TILING_DATA_FIELD_DEF(uint32_t, batches);
TILING_DATA_FIELD_DEF(uint32_t, sequenceFirst);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ReverseSequence, ReverseSequenceTilingData)
}  // namespace optiling
#endif
