#include "middle_of_row_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr int64_t LONGEST = 128;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetDimNum() != 2 || shape.GetDim(1) < 1 || shape.GetDim(1) > LONGEST) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t rows = static_cast<uint32_t>(shape.GetDim(0));
    const uint32_t cores = platform.GetCoreNumAiv();
    const uint32_t perCore = ((rows + cores - 1) / cores + 7) / 8 * 8;  // 8 results are one block
    MiddleOfRowTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_length(static_cast<uint32_t>(shape.GetDim(1)));
    tiling.set_rowsPerCore(perCore);
    context->SetBlockDim(perCore == 0 ? 1 : (rows + perCore - 1) / perCore);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = gert::Shape({context->GetInputShape(0)->GetDim(0)});
    *context->GetOutputShape(1) = *context->GetOutputShape(0);
    return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return context->SetOutputDataType(1, DT_INT32);
}
}  // namespace ge

namespace ops {
class MiddleOfRow : public OpDef {
public:
    explicit MiddleOfRow(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Output("middle").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("place").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(MiddleOfRow);
}  // namespace ops
