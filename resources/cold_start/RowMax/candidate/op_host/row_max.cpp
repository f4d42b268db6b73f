#include "row_max_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingOfRowMax(gert::TilingContext* context) {
    const gert::StorageShape* x = context->GetInputShape(0);
    if (x == nullptr) {
        return ge::GRAPH_FAILED;
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const gert::Shape& shape = x->GetStorageShape();
    const uint32_t width = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    const uint32_t rows = width == 0 ? 0 : static_cast<uint32_t>(shape.GetShapeSize()) / width;
    const uint32_t cores = platform.GetCoreNumAiv();
    RowMaxTilingData data;
    data.set_rows(rows);
    data.set_width(width);
    data.set_share(rows / cores);
    data.set_tile(4096);
    context->SetBlockDim(cores);
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
    for (size_t i = 0; i + 1 < x->GetDimNum(); ++i) {
        y->AppendDim(x->GetDim(i));
    }
    return GRAPH_SUCCESS;
}

static graphStatus TypeOfResult(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class RowMax : public OpDef {
public:
    explicit RowMax(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::ShapeOfResult).SetInferDataType(ge::TypeOfResult);
        this->AICore().SetTiling(optiling::TilingOfRowMax);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(RowMax);
}  // namespace ops
