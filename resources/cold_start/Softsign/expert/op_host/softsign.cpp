#include "softsign_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingOfSoftsign(gert::TilingContext* context) {
    const gert::StorageShape* x = context->GetInputShape(0);
    if (x == nullptr) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t total = static_cast<uint32_t>(x->GetStorageShape().GetShapeSize());
    const uint32_t width = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 4 : 2;
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    uint64_t room = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, room);
    // Shares of whole 512-byte lines, as equal as they can be; a core with less than 2 KB is not worth its
    // start.
    const uint32_t line = 512 / width;
    const uint32_t lines = (total + line - 1) / line;
    uint32_t cores = (lines + 3) / 4;
    cores = cores < platform.GetCoreNumAiv() ? cores : platform.GetCoreNumAiv();
    cores = cores == 0 ? 1 : cores;
    const uint64_t bytes = 16;  // of an element: two buffers in and out, for half two of float beside them
    SoftsignTilingData data;
    data.set_total(total);
    data.set_lines(lines / cores);
    data.set_more(lines % cores);
    data.set_tile(static_cast<uint32_t>(room / bytes) / 128 * 128);
    context->SetBlockDim(cores);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());

    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus ShapeOfResult(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus TypeOfResult(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class Softsign : public OpDef {
public:
    explicit Softsign(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->SetInferShape(ge::ShapeOfResult).SetInferDataType(ge::TypeOfResult);
        this->AICore().SetTiling(optiling::TilingOfSoftsign);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(Softsign);
}  // namespace ops
