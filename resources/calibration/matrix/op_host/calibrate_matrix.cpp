#include "calibrate_matrix_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const auto& a = context->GetInputShape(0)->GetStorageShape();
    const auto& b = context->GetInputShape(1)->GetStorageShape();
    CalibrateMatrixTilingData tiling;
    tiling.set_m(static_cast<uint32_t>(a.GetDim(0)));
    tiling.set_n(static_cast<uint32_t>(b.GetDim(0)));
    tiling.set_k(static_cast<uint32_t>(a.GetDim(1)));
    tiling.set_repeats(static_cast<uint32_t>(*context->GetAttrs()->GetInt(0)));
    const uint32_t rounds = static_cast<uint32_t>(*context->GetAttrs()->GetInt(1));
    context->SetBlockDim(rounds == 0 ? 1 : rounds * platform.GetCoreNumAic());
    gert::TilingData* const raw = context->GetRawTilingData();
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus ShapeOfOutput(gert::InferShapeContext* context) {
    gert::Shape* c = context->GetOutputShape(0);
    c->SetDimNum(2);
    c->SetDim(0, context->GetInputShape(0)->GetDim(0));
    c->SetDim(1, context->GetInputShape(1)->GetDim(0));
    return GRAPH_SUCCESS;
}
static graphStatus TypeOfOutput(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, DT_FLOAT);
}
}  // namespace ge

namespace ops {
class CalibrateMatrix : public OpDef {
public:
    explicit CalibrateMatrix(const char* name) : OpDef(name) {
        this->Input("a")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("b")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("c")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND});
        this->Attr("repeats").AttrType(OPTIONAL).Int(1);
        this->Attr("rounds").AttrType(OPTIONAL).Int(0);
        this->SetInferShape(ge::ShapeOfOutput).SetInferDataType(ge::TypeOfOutput);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(CalibrateMatrix);
}  // namespace ops
