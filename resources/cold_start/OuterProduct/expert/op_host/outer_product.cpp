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
    uint32_t cores = rows < platform.GetCoreNumAiv() ? rows : platform.GetCoreNumAiv();
    cores = cores == 0 ? 1 : cores;
    const uint32_t padded = (columns + 7) / 8 * 8;
    const uint32_t stripe = padded == 0 ? 8 : (padded < 8192 ? padded : 8192);
    const uint32_t batch = 16384 / stripe;  // 64 KB, two of them
    OuterProductTilingData data;
    data.set_rows(rows);
    data.set_columns(columns);
    data.set_share(rows / cores);
    data.set_more(rows % cores);
    data.set_stripe(stripe);
    data.set_batch(batch > 1024 ? 1024 : batch);
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
