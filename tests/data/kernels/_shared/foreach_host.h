// The tiling function of the operators on tensor lists.
#ifndef FOREACH_HOST_H
#define FOREACH_HOST_H
#include "foreach_tiling.h"
#include "host_common.h"

namespace optiling {
// `lists` lists go in and one comes out; the kernel needs `scratch` further 32-bit numbers for every element.
inline ge::graphStatus TileForeach(gert::TilingContext* context, uint32_t lists, uint32_t scratch) {
    uint32_t width = WidthOf(context->GetDynamicInputDesc(0, 0)->GetDataType());
    uint32_t perBlock = BLOCK_BYTES / width;
    uint32_t lengths[MOST_TENSORS] = {0};
    uint32_t count = 0;
    uint64_t blocks = 0;
    for (; count < MOST_TENSORS; ++count) {
        const gert::StorageShape* shape = context->GetDynamicInputShape(0, count);
        if (shape == nullptr) {
            break;
        }
        lengths[count] = static_cast<uint32_t>(ElementsOf(shape));
        blocks += CeilOf(lengths[count], perBlock);
    }
    if (context->GetDynamicInputShape(0, MOST_TENSORS) != nullptr) {
        return ge::GRAPH_FAILED;
    }
    uint32_t units = CeilOf(blocks * BLOCK_BYTES, LEAST_CORE_BYTES);
    uint32_t share = CeilOf(units, VectorCores(context)) * (LEAST_CORE_BYTES / BLOCK_BYTES);
    ForeachTilingData tiling;
    tiling.set_tensorCount(count);
    tiling.set_coreBlocks(share);
    tiling.set_tileLength(TileLength(context, MapBytes(lists, 1, scratch, width)));
    tiling.set_lengths(lengths);
    return Finish(context, tiling, share == 0 ? 1 : CeilOf(blocks, share));
}
}  // namespace optiling
#endif
