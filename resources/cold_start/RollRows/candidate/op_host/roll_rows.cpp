#include "roll_rows_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingOfRollRows(gert::TilingContext* context) {
    const gert::StorageShape* x = context->GetInputShape(0);
    if (x == nullptr) {
        return ge::GRAPH_FAILED;
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const gert::Shape& shape = x->GetStorageShape();
    const uint32_t width = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    const uint32_t rows = width == 0 ? 0 : static_cast<uint32_t>(shape.GetShapeSize()) / width;
    const int64_t shift = *context->GetAttrs()->GetInt(0);
    const int64_t turn = width == 0 ? 0 : ((shift % static_cast<int64_t>(width)) + width) % width;
    const uint32_t cores = platform.GetCoreNumAiv();
    RollRowsTilingData data;
    data.set_rows(rows);
    data.set_width(width);
    data.set_turn(static_cast<uint32_t>(turn));
    data.set_share((rows + cores - 1) / cores);
    context->SetBlockDim(cores);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus ShapeOfResult(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus TypeOfResult(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class RollRows : public OpDef {
public:
    explicit RollRows(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("shift").AttrType(REQUIRED).Int();
        this->SetInferShape(ge::ShapeOfResult).SetInferDataType(ge::TypeOfResult);
        this->AICore().SetTiling(optiling::TilingOfRollRows);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(RollRows);
}  // namespace ops
