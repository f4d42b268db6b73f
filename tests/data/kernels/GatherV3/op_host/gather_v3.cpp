#include "gather_v3_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t TILE_BYTES = 32768;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const gert::Shape& indices = context->GetInputShape(1)->GetStorageShape();
    int64_t rank = static_cast<int64_t>(shape.GetDimNum());
    int64_t axis = context->GetInputTensor(2)->GetData<int64_t>()[0];
    int64_t batches = *context->GetAttrs()->GetInt(0);
    axis = axis < 0 ? axis + rank : axis;
    if (axis < batches || axis >= rank) {
        return ge::GRAPH_FAILED;
    }
    // x is [batch, outer, axis, inner], indices are [batch, taken], y is [batch, outer, taken, inner].
    uint64_t batch = 1;
    uint64_t outer = 1;
    uint64_t inner = 1;
    for (int64_t i = 0; i < rank; ++i) {
        if (i != axis) {
            (i < batches ? batch : i < axis ? outer : inner) *= static_cast<uint64_t>(shape.GetDim(i));
        }
    }
    uint64_t taken = batch == 0 ? 0 : static_cast<uint64_t>(indices.GetShapeSize()) / batch;
    GatherV3TilingData tiling;
    tiling.set_outer(static_cast<uint32_t>(outer));
    tiling.set_axisLength(static_cast<uint32_t>(shape.GetDim(axis)));
    tiling.set_taken(static_cast<uint32_t>(taken));
    tiling.set_sliceBytes(static_cast<uint32_t>(inner * WidthOf(context->GetInputDesc(0)->GetDataType())));
    tiling.set_tileBytes(TILE_BYTES);
    return SplitRows(context, tiling, inner == 0 ? 0 : batch * outer * taken);
}
}  // namespace optiling

namespace ops {
class GatherV3 : public OpDef {
public:
    explicit GatherV3(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_INT64, ge::DT_INT32, ge::DT_INT16,
                       ge::DT_INT8, ge::DT_UINT8, ge::DT_BOOL, ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16,
                       ge::DT_INT64, ge::DT_INT32, ge::DT_INT16, ge::DT_INT8, ge::DT_UINT8, ge::DT_BOOL})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("indices")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32,
                       ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                       ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("axis")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                       ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                       ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND})
            .ValueDepend(REQUIRED)
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_INT64, ge::DT_INT32, ge::DT_INT16,
                       ge::DT_INT8, ge::DT_UINT8, ge::DT_BOOL, ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16,
                       ge::DT_INT64, ge::DT_INT32, ge::DT_INT16, ge::DT_INT8, ge::DT_UINT8, ge::DT_BOOL})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND});
        this->Attr("batchDims").AttrType(OPTIONAL).Int(0);
        this->Attr("negativeIndexSupport").AttrType(OPTIONAL).Bool(false);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(GatherV3);
}  // namespace ops
