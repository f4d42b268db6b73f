// Tiling of gated units: x, contiguous, is [outer, 2, inner] with the halves in the middle.
#ifndef GLU_HOST_H
#define GLU_HOST_H
#include "piece_host.h"

namespace optiling {
// `outputs` tensors are written, and an element needs `scratch` further 32-bit numbers.
template <typename Data>
ge::graphStatus SplitHalves(gert::TilingContext* context, Data& tiling, uint32_t outputs, uint32_t scratch) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    int64_t rank = static_cast<int64_t>(shape.GetDimNum());
    int64_t dim = *context->GetAttrs()->GetInt(0);
    dim = dim < 0 ? dim + rank : dim;
    if (dim < 0 || dim >= rank || shape.GetDim(dim) % 2 != 0) {
        return ge::GRAPH_FAILED;
    }
    uint64_t outer = 1;
    uint64_t inner = 1;
    for (int64_t i = 0; i < rank; ++i) {
        (i < dim ? outer : inner) *= static_cast<uint64_t>(shape.GetDim(i));
    }
    uint32_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint32_t tile = TileLength(context, MapBytes(2, outputs, scratch, bytes));
    return SplitPieces(context, tiling, outer, inner / 2, bytes, tile);
}
}  // namespace optiling
#endif
