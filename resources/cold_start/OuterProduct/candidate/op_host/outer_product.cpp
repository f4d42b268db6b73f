#include "outer_product_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingOfOuterProduct(gert::TilingContext* context) {
    const gert::StorageShape* x = context->GetInputShape(0);
    const gert::StorageShape* y = context->GetInputShape(1);
    if (x == nullptr || y == nullptr) {
        return ge::GRAPH_FAILED;
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const uint32_t rows = static_cast<uint32_t>(x->GetStorageShape().GetShapeSize());
    const uint32_t columns = static_cast<uint32_t>(y->GetStorageShape().GetShapeSize());
    const uint32_t cores = platform.GetCoreNumAiv();
    OuterProductTilingData data;
    data.set_rows(rows);
    data.set_columns(columns);
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
    gert::Shape* z = context->GetOutputShape(0);
    z->SetDimNum(0);
    z->AppendDim(context->GetInputShape(0)->GetDim(0));
    z->AppendDim(context->GetInputShape(1)->GetDim(0));
    return GRAPH_SUCCESS;
}

static graphStatus TypeOfResult(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class OuterProduct : public OpDef {
public:
    explicit OuterProduct(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::ShapeOfResult).SetInferDataType(ge::TypeOfResult);
        this->AICore().SetTiling(optiling::TilingOfOuterProduct);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(OuterProduct);
}  // namespace ops
