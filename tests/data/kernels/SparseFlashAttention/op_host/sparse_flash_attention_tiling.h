#ifndef SPARSE_FLASH_ATTENTION_TILING_H
#define SPARSE_FLASH_ATTENTION_TILING_H
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SparseFlashAttentionTilingData)
TILING_DATA_FIELD_DEF(uint64_t, space);  // bytes of workspace of a core
TILING_DATA_FIELD_DEF(uint32_t, cores);
TILING_DATA_FIELD_DEF(uint32_t, batches);
TILING_DATA_FIELD_DEF(uint32_t, queries);  // of a batch entry
TILING_DATA_FIELD_DEF(uint32_t, heads);
TILING_DATA_FIELD_DEF(uint32_t, rows);        // keys of a batch entry, or of a page
TILING_DATA_FIELD_DEF(uint32_t, mostBlocks);  // pages of a batch entry; 0 without pages
TILING_DATA_FIELD_DEF(uint32_t, selected);    // entries of sparse_indices for a query
TILING_DATA_FIELD_DEF(uint32_t, blockSize);   // keys such an entry selects
TILING_DATA_FIELD_DEF(uint32_t, causal);
TILING_DATA_FIELD_DEF(uint32_t, size);  // D
TILING_DATA_FIELD_DEF(uint32_t, rope);  // Dr; 0 without
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, scores);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, mixture);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SparseFlashAttention, SparseFlashAttentionTilingData)
}  // namespace optiling
#endif
