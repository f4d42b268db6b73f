#include "larger_product_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
using matmul_tiling::TPosition;  // where an operand lies
using matmul_tiling::DataType;
using matmul_tiling::CubeFormat;

static bool Split(const platform_ascendc::PlatformAscendC& platform, int32_t m, int32_t n, int32_t k, bool transposed,
                  optiling::TCubeTiling& cube) {
    uint64_t l1 = 0, l0c = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L1, l1);
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L0_C, l0c);
    matmul_tiling::MultiCoreMatmulTiling api(platform);
    api.SetDim(static_cast<int32_t>(platform.GetCoreNumAiv()));
    api.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, false);
    api.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, transposed);
    api.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    api.SetOrgShape(m, n, k);
    api.SetShape(m, n, k);
    api.SetBias(false);
    api.SetBufferSpace(static_cast<int32_t>(l1 / 2), static_cast<int32_t>(l0c / 2), -1);
    return api.GetTiling(cube) != -1;
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const gert::Shape& a = context->GetInputShape(0)->GetStorageShape();
    const gert::Shape& b = context->GetInputShape(2)->GetStorageShape();
    const int32_t m = static_cast<int32_t>(a.GetDim(0)), k = static_cast<int32_t>(a.GetDim(1));
    const int32_t n = static_cast<int32_t>(b.GetDim(1));
    LargerProductTilingData tiling;
    if (!Split(platform, m, n, k, true, tiling.first) || !Split(platform, m, n, k, false, tiling.second)) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t cores = static_cast<uint32_t>(tiling.first.get_usedCoreNum());
    tiling.set_cores(cores);
    context->SetBlockDim((cores + 1) / 2);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + 2 * size_t(m) * size_t(n) * sizeof(float);
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = gert::Shape({context->GetInputShape(0)->GetDim(0), context->GetInputShape(2)->GetDim(1)});
    return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, DT_FLOAT);
}
}  // namespace ge

namespace ops {
class LargerProduct : public OpDef {
public:
    explicit LargerProduct(const char* name) : OpDef(name) {
        this->Input("a").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Input("b1").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Input("b2").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(LargerProduct);
}  // namespace ops
