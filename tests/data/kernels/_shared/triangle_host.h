// Tiling of operators that keep a triangle of every matrix of a batch.
#ifndef TRIANGLE_HOST_H
#define TRIANGLE_HOST_H
#include "piece_host.h"

namespace optiling {
template <typename Data>
ge::graphStatus SplitTriangles(gert::TilingContext* context, Data& tiling) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    size_t rank = shape.GetDimNum();
    if (rank < 2) {
        return ge::GRAPH_FAILED;
    }
    uint64_t width = static_cast<uint64_t>(shape.GetDim(rank - 1));
    uint32_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    tiling.set_height(static_cast<uint32_t>(shape.GetDim(rank - 2)));
    tiling.set_diagonal(*context->GetAttrs()->GetInt(0));
    uint64_t rows = width == 0 ? 0 : ElementsOf(context->GetInputShape(0)) / width;
    return SplitPieces(context, tiling, rows, width, bytes, TileLength(context, 4 * bytes));
}
}  // namespace optiling
#endif
