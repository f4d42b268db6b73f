#include "hard_shrink_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingOfHardShrink(gert::TilingContext* context) {
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
    const uint64_t bytes = 5 * width + 1;  // two buffers in and out, the zeros; the bits
    HardShrinkTilingData data;
    data.set_total(total);
    data.set_lines(lines / cores);
    data.set_more(lines % cores);
    data.set_tile(static_cast<uint32_t>(room / bytes) / 128 * 128);
    data.set_lambd(*context->GetAttrs()->GetFloat(0));
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
class HardShrink : public OpDef {
public:
    explicit HardShrink(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("lambd").AttrType(OPTIONAL).Float(0.5);
        this->SetInferShape(ge::ShapeOfResult).SetInferDataType(ge::TypeOfResult);
        this->AICore().SetTiling(optiling::TilingOfHardShrink);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(HardShrink);
}  // namespace ops
