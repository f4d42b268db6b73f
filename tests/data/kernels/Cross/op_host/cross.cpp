#include "cross_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr int64_t FIRST_OF_THREE = -65530;
constexpr uint32_t BYTES_PER_ELEMENT =
    64;  // of UB: six components and three results twice, 32-bit copies, a product

// Shape [outer, 3, inner]. A tile is a block of rows (outer) by columns (inner); every row of it is padded to
// 32 bytes.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    int64_t dim = *context->GetAttrs()->GetInt(0);
    int64_t dims = static_cast<int64_t>(shape.GetDimNum());
    if (dim == FIRST_OF_THREE) {
        for (dim = 0; dim < dims && shape.GetDim(dim) != 3; ++dim) {
        }
    } else if (dim < 0) {
        dim += dims;
    }
    if (dim < 0 || dim >= dims) {
        return ge::GRAPH_FAILED;
    }
    uint64_t outer = 1;
    uint64_t inner = 1;
    for (int64_t i = 0; i < dims; ++i) {
        outer *= i < dim ? shape.GetDim(i) : 1;
        inner *= i > dim ? shape.GetDim(i) : 1;
    }
    uint32_t width = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint32_t perBlock = BLOCK_BYTES / width;
    uint32_t tile = TileLength(context, BYTES_PER_ELEMENT);
    CrossTilingData tiling;
    tiling.set_outer(static_cast<uint32_t>(outer));
    tiling.set_inner(static_cast<uint32_t>(inner));
    uint32_t columns = inner < tile ? RoundUp(inner, perBlock) : tile;
    columns = columns == 0 ? perBlock : columns;
    tiling.set_tileColumns(columns);
    tiling.set_tileRows(tile / columns);
    uint32_t cores = VectorCores(context);
    uint32_t share = CeilOf(outer, cores);
    share = share == 0 ? 1 : share;
    tiling.set_coreRows(share);
    return Finish(context, tiling, CeilOf(outer, share));
}
}  // namespace optiling

namespace ops {
class Cross : public OpDef {
public:
    explicit Cross(const char* name) : OpDef(name) {
        this->Input("x1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT8})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("x2")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT8})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT8})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("dim").AttrType(OPTIONAL).Int(-65530);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(Cross);
}  // namespace ops
