#include "column_sum_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingOfColumnSum(gert::TilingContext* context) {
    const gert::StorageShape* x = context->GetInputShape(0);
    if (x == nullptr) {
        return ge::GRAPH_FAILED;
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const uint32_t rows = static_cast<uint32_t>(x->GetStorageShape().GetDim(0));
    const uint32_t columns = static_cast<uint32_t>(x->GetStorageShape().GetDim(1));
    uint64_t room = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, room);
    // Columns in whole 64-byte pieces, so that rows of a tile and results are whole blocks.
    const uint32_t pieces = (columns + 15) / 16;
    uint32_t share = (pieces + platform.GetCoreNumAiv() - 1) / platform.GetCoreNumAiv() * 16;
    share = share == 0 ? 16 : (share > 2048 ? 2048 : share);
    const uint32_t cores = (columns + share - 1) / share;
    const uint32_t batch =
        static_cast<uint32_t>((room - 4 * share * sizeof(float)) / (2 * share * sizeof(float)));
    ColumnSumTilingData data;
    data.set_rows(rows);
    data.set_columns(columns);
    data.set_share(share);
    data.set_batch(batch > 512 ? 512 : batch);
    context->SetBlockDim(cores == 0 ? 1
                                    : (cores < platform.GetCoreNumAiv() ? cores : platform.GetCoreNumAiv()));
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus ShapeOfResult(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    gert::Shape* y = context->GetOutputShape(0);
    y->SetDimNum(0);
    y->AppendDim(x->GetDim(1));
    return GRAPH_SUCCESS;
}

static graphStatus TypeOfResult(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class ColumnSum : public OpDef {
public:
    explicit ColumnSum(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::ShapeOfResult).SetInferDataType(ge::TypeOfResult);
        this->AICore().SetTiling(optiling::TilingOfColumnSum);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(ColumnSum);
}  // namespace ops
