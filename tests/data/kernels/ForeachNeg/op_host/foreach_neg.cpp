#include "foreach_neg_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t TILE_BYTES = 8192;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint32_t width = context->GetDynamicInputDesc(0, 0)->GetDataType() == ge::DT_FLOAT ? 4 : 2;
    uint32_t lengths[MOST_TENSORS] = {0};
    uint32_t count = 0;
    uint64_t total = 0;
    while (count < MOST_TENSORS) {
        const gert::StorageShape* shape = context->GetDynamicInputShape(0, count);
        if (shape == nullptr) {
            break;
        }
        lengths[count] = static_cast<uint32_t>(shape->GetStorageShape().GetShapeSize());
        total += lengths[count];
        ++count;
    }
    ForeachNegTilingData tiling;
    tiling.set_tensorCount(count);
    tiling.set_tileLength(TILE_BYTES / width);
    tiling.set_lengths(lengths);
    uint32_t cores = platform.GetCoreNumAiv();
    uint32_t useful = static_cast<uint32_t>(total / 1024 + 1);
    context->SetBlockDim(useful < cores ? useful : cores);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    size_t* workspace = context->GetWorkspaceSizes(1);
    workspace[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class ForeachNeg : public OpDef {
public:
    explicit ForeachNeg(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(ForeachNeg);
}  // namespace ops
