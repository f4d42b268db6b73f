#include "picked_scale_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const gert::Tensor* times = context->GetInputTensor(1);  // declared ValueDepend
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    if (times == nullptr || times->GetData<int64_t>() == nullptr || attrs == nullptr) {
        return ge::GRAPH_FAILED;
    }
    const float* factor = attrs->GetAttrPointer<float>(0);
    const auto* steps = attrs->GetListInt(1);
    float scale = *factor * static_cast<float>(times->GetData<int64_t>()[0]);
    for (size_t i = 0; i < steps->GetSize(); ++i) {
        scale *= static_cast<float>(steps->GetData()[i]);
    }
    const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    const uint32_t cores = platform.GetCoreNumAiv();
    const uint32_t perCore = ((total + cores - 1) / cores + 7) / 8 * 8;
    PickedScaleTilingData tiling;
    tiling.set_total(total);
    tiling.set_perCore(perCore);
    tiling.set_scale(scale);
    // Asked for by its place in OpDef; null when the caller gave none.
    context->SetTilingKey(context->GetOptionalInputShape(2) == nullptr ? 0 : 1);
    context->SetBlockDim(perCore == 0 ? 1 : (total + perCore - 1) / perCore);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape* x = context->GetInputShape(0);
    if (x == nullptr) return GRAPH_FAILED;
    *context->GetOutputShape(0) = *x;
    return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace ge

namespace ops {
class PickedScale : public OpDef {
public:
    explicit PickedScale(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Input("times").ParamType(REQUIRED).ValueDepend(REQUIRED).DataType({ge::DT_INT64}).Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("shift").ParamType(OPTIONAL).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("factor").AttrType(OPTIONAL).Float(1.0);
        this->Attr("steps").AttrType(OPTIONAL).ListInt({1});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(PickedScale);
}  // namespace ops
