#include "dot_product_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingOfDotProduct(gert::TilingContext* context) {
    const gert::StorageShape* x = context->GetInputShape(0);
    if (x == nullptr) {
        return ge::GRAPH_FAILED;
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const uint32_t total = static_cast<uint32_t>(x->GetStorageShape().GetShapeSize());
    uint64_t room = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, room);
    const uint32_t lines = (total + 127) / 128;
    uint32_t cores = (lines + 7) / 8;
    cores = cores < platform.GetCoreNumAiv() ? cores : platform.GetCoreNumAiv();
    cores = cores == 0 ? 1 : cores;
    const uint32_t share = (lines + cores - 1) / cores * 128;
    const uint32_t most = static_cast<uint32_t>(room - 4096) / 24 / 128 * 128;
    const uint32_t tile = share < 128 ? 128 : (share < most ? share : most);
    DotProductTilingData data;
    data.set_total(total);
    data.set_lines(lines / cores);
    data.set_more(lines % cores);
    data.set_tile(tile);
    context->SetBlockDim(cores);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + 64 * 32;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus ShapeOfResult(gert::InferShapeContext* context) {
    gert::Shape* z = context->GetOutputShape(0);
    z->SetDimNum(0);
    z->AppendDim(1);
    return GRAPH_SUCCESS;
}

static graphStatus TypeOfResult(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class DotProduct : public OpDef {
public:
    explicit DotProduct(const char* name) : OpDef(name) {
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
        this->AICore().SetTiling(optiling::TilingOfDotProduct);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(DotProduct);
}  // namespace ops
