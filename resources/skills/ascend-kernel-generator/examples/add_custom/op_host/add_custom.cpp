#include "add_custom_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static constexpr uint32_t BLOCK_BYTES = 32;
static constexpr uint32_t BUFFERS = 6;  // x, y and z, two of each

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    const gert::StorageShape *shape = context->GetInputShape(0);
    const gert::CompileTimeTensorDesc *desc = context->GetInputDesc(0);
    if (shape == nullptr || desc == nullptr) {
        return ge::GRAPH_FAILED;
    }
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t ubBytes = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
    const uint32_t typeBytes = desc->GetDataType() == ge::DT_FLOAT ? 4 : 2;
    const uint32_t perBlock = BLOCK_BYTES / typeBytes;

    const uint32_t total = static_cast<uint32_t>(shape->GetStorageShape().GetShapeSize());
    const uint32_t cores = platform.GetCoreNumAiv();
    // Each core takes a multiple of one block, so that no two cores write the same 32 bytes.
    uint32_t perCore = (total + cores - 1) / cores;
    perCore = (perCore + perBlock - 1) / perBlock * perBlock;
    const uint32_t used = perCore == 0 ? 1 : (total + perCore - 1) / perCore;
    const uint32_t tile = static_cast<uint32_t>(ubBytes / BUFFERS / typeBytes) / (8 * perBlock) * (8 * perBlock);

    AddCustomTilingData tiling;
    tiling.set_total(total);
    tiling.set_perCore(perCore);
    tiling.set_tile(tile);
    context->SetBlockDim(used);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static ge::graphStatus InferShape(gert::InferShapeContext *context)
{
    const gert::Shape *x = context->GetInputShape(0);
    gert::Shape *z = context->GetOutputShape(0);
    if (x == nullptr || z == nullptr) {
        return ge::GRAPH_FAILED;
    }
    *z = *x;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return ge::GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class AddCustom : public OpDef {
public:
    explicit AddCustom(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(AddCustom);
}  // namespace ops
