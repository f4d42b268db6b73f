#include "matmul_bias_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::TPosition;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const auto& a = context->GetInputShape(0)->GetStorageShape();
    const auto& b = context->GetInputShape(1)->GetStorageShape();
    const int32_t m = static_cast<int32_t>(a.GetDim(0));
    const int32_t k = static_cast<int32_t>(a.GetDim(1));
    const int32_t n = static_cast<int32_t>(b.GetDim(1));
    MatmulBiasTilingData tiling;
    tiling.set_cores(0);
    if (m > 0 && n > 0 && k > 0) {
        matmul_tiling::MultiCoreMatmulTiling api(platform);
        api.SetDim(static_cast<int32_t>(platform.GetCoreNumAiv()));
        api.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, false);
        api.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, false);
        api.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
        api.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
        api.EnableBias(true);
        api.SetShape(m, n, k);
        api.SetOrgShape(m, n, k);
        api.SetBufferSpace(-1, -1, -1);
        if (api.GetTiling(tiling.cube) == -1) {
            return ge::GRAPH_FAILED;
        }
        tiling.set_cores(static_cast<uint32_t>(tiling.cube.get_usedCoreNum()));
    }
    context->SetBlockDim(tiling.get_cores() == 0 ? 1
                                                 : (tiling.get_cores() + 1) / 2);  // two vector cores each
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    size_t* workspace = context->GetWorkspaceSizes(1);
    workspace[0] = platform.GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
    gert::Shape* c = context->GetOutputShape(0);
    c->SetDimNum(2);
    c->SetDim(0, context->GetInputShape(0)->GetDim(0));
    c->SetDim(1, context->GetInputShape(1)->GetDim(1));
    return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace ge

namespace ops {
class MatmulBias : public OpDef {
public:
    explicit MatmulBias(const char* name) : OpDef(name) {
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
        this->Input("bias")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("d")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(MatmulBias);
}  // namespace ops
