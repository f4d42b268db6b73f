#include "scatter_list_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t TILE_BYTES = 32768;
constexpr uint32_t MOST_TENSORS = 256;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    // updates is [n, outer, sliceRows, inner], var[i] is [outer, lengths[i], inner].
    const gert::Shape& updates = context->GetRequiredInputShape(2)->GetStorageShape();
    int64_t rank = static_cast<int64_t>(updates.GetDimNum()) - 1;
    int64_t axis = *context->GetAttrs()->GetInt(1);
    axis = axis < 0 ? axis + rank : axis;
    uint64_t tensors = static_cast<uint64_t>(updates.GetDim(0));
    if (axis < 0 || axis >= rank || tensors > MOST_TENSORS) {
        return ge::GRAPH_FAILED;
    }
    uint64_t outer = 1;
    uint64_t inner = 1;
    for (int64_t i = 0; i < rank; ++i) {
        if (i != axis) {
            (i < axis ? outer : inner) *= static_cast<uint64_t>(updates.GetDim(i + 1));
        }
    }
    uint32_t lengths[MOST_TENSORS] = {0};
    for (uint64_t i = 0; i < tensors; ++i) {
        const gert::Shape& shape = context->GetDynamicInputShape(0, i)->GetStorageShape();
        lengths[i] = static_cast<uint32_t>(shape.GetDim(axis));
    }
    ScatterListTilingData tiling;
    tiling.set_outer(static_cast<uint32_t>(outer));
    tiling.set_sliceRows(static_cast<uint32_t>(updates.GetDim(axis + 1)));
    tiling.set_unitBytes(
        static_cast<uint32_t>(inner * WidthOf(context->GetRequiredInputDesc(2)->GetDataType())));
    tiling.set_tileBytes(TILE_BYTES);
    tiling.set_hasLengths(context->GetRequiredInputShape(1)->GetStorageShape().GetDimNum() == 2);
    tiling.set_lengths(lengths);
    return SplitRows(context, tiling, updates.GetShapeSize() == 0 ? 0 : tensors * outer);
}
}  // namespace optiling

namespace ops {
class ScatterList : public OpDef {
public:
    explicit ScatterList(const char* name) : OpDef(name) {
        this->Input("var")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_INT8, ge::DT_INT16, ge::DT_INT32, ge::DT_UINT8, ge::DT_FLOAT16, ge::DT_BF16,
                       ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT16, ge::DT_INT32, ge::DT_UINT8, ge::DT_FLOAT16,
                       ge::DT_BF16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("indice")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32,
                       ge::DT_INT32, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                       ge::DT_INT64, ge::DT_INT64})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("updates")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT8, ge::DT_INT16, ge::DT_INT32, ge::DT_UINT8, ge::DT_FLOAT16, ge::DT_BF16,
                       ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT16, ge::DT_INT32, ge::DT_UINT8, ge::DT_FLOAT16,
                       ge::DT_BF16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("mask")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_UINT8, ge::DT_UINT8, ge::DT_UINT8, ge::DT_UINT8, ge::DT_UINT8, ge::DT_UINT8,
                       ge::DT_UINT8, ge::DT_UINT8, ge::DT_UINT8, ge::DT_UINT8, ge::DT_UINT8, ge::DT_UINT8,
                       ge::DT_UINT8, ge::DT_UINT8})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("var")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_INT8, ge::DT_INT16, ge::DT_INT32, ge::DT_UINT8, ge::DT_FLOAT16, ge::DT_BF16,
                       ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT16, ge::DT_INT32, ge::DT_UINT8, ge::DT_FLOAT16,
                       ge::DT_BF16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("reduce").AttrType(OPTIONAL).String("update");
        this->Attr("axis").AttrType(OPTIONAL).Int(-2);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(ScatterList);
}  // namespace ops
