#include "spread_of_all_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t MOST_CORES = 48;
constexpr uint32_t TILE = 4096;  // elements

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    // Rank 0 has one element, any dimension of 0 makes it none.
    const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    uint32_t cores = (total + TILE - 1) / TILE;
    cores = cores > platform.GetCoreNumAiv() ? platform.GetCoreNumAiv() : cores;
    cores = cores > MOST_CORES ? MOST_CORES : cores;
    uint32_t begins[MOST_CORES + 1] = {};
    for (uint32_t i = 0; i <= cores && cores > 0; ++i) {
        begins[i] = static_cast<uint32_t>(uint64_t(total) * i / cores);
    }
    SpreadOfAllTilingData tiling;
    tiling.set_cores(cores);
    tiling.set_tile(TILE);
    tiling.set_begins(begins);
    context->SetBlockDim(cores == 0 ? 1 : cores);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    // The system's part lies first; the kernel's own begins where GetUserWorkspace says.
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + MOST_CORES * 32;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
    context->GetOutputShape(0)->SetScalar();
    return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace ge

namespace ops {
class SpreadOfAll : public OpDef {
public:
    explicit SpreadOfAll(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(SpreadOfAll);
}  // namespace ops
