#include "pair_difference_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t pairs = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize() / 2);
    const uint32_t cores = platform.GetCoreNumAiv();
    const uint32_t perCore = ((pairs + cores - 1) / cores + 31) / 32 * 32;  // 32 bool are one block
    PairDifferenceTilingData tiling;
    tiling.set_pairs(pairs);
    tiling.set_perCore(perCore);
    context->SetBlockDim(perCore == 0 ? 1 : (pairs + perCore - 1) / perCore);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
    const int64_t pairs = context->GetInputShape(0)->GetShapeSize() / 2;
    *context->GetOutputShape(0) = gert::Shape({pairs});
    *context->GetOutputShape(1) = gert::Shape({pairs});
    return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return context->SetOutputDataType(1, DT_BOOL);
}
}  // namespace ge

namespace ops {
class PairDifference : public OpDef {
public:
    explicit PairDifference(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Output("difference").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("falls").ParamType(REQUIRED).DataType({ge::DT_BOOL}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(PairDifference);
}  // namespace ops
