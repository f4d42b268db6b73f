// Every line with a mark `// !rule` breaks that rule of the preflight; every other line must pass.
#include "language_check_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    LanguageCheckTilingData tiling;
    const gert::Shape* wrong = context->GetInputShape(0);                   // !shape-kind
    const gert::StorageShape* right = context->GetInputShape(0);
    const gert::Shape& origin = right->GetOriginShape();
    double exact = static_cast<double>(origin.GetShapeSize());
    tiling.set_totalLength(static_cast<uint32_t>(exact + wrong->GetDimNum()));
    tiling.set_totalPlanes(1);                                              // !tiling-setter
    context->SetBlockDim(1);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
    const gert::Shape* input = context->GetInputShape(0);
    auto length = input->GetOriginShape().GetShapeSize();                   // !shape-kind
    *context->GetOutputShape(0) = *input;
    return length >= 0 ? GRAPH_SUCCESS : GRAPH_FAILED;
}
}  // namespace ge

namespace ops {
class LanguageCheck : public OpDef {
public:
    explicit LanguageCheck(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(LanguageCheck);
}  // namespace ops
