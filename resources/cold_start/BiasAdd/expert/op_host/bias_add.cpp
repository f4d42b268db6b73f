#include "bias_add_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingOfBiasAdd(gert::TilingContext* context) {
    const gert::StorageShape* x = context->GetInputShape(0);
    if (x == nullptr) {
        return ge::GRAPH_FAILED;
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const gert::Shape& shape = x->GetStorageShape();
    const uint32_t width = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    const uint32_t rows = width == 0 ? 0 : static_cast<uint32_t>(shape.GetShapeSize()) / width;
    const uint32_t bytes = context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? 4 : 2;
    uint64_t room = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, room);
    uint32_t cores = rows < platform.GetCoreNumAiv() ? rows : platform.GetCoreNumAiv();
    cores = cores == 0 ? 1 : cores;
    // A row of a tile is one repeat stride, at most 255 blocks.
    const uint32_t most = 254 * 32 / bytes;
    const uint32_t stripe = width < most ? width : most;
    const uint32_t pitch = (stripe * bytes + 31) / 32 * 32;
    uint32_t batch = pitch == 0 ? 1 : static_cast<uint32_t>((room - pitch) / (4 * pitch));
    batch = batch > 255 ? 255 : batch;
    BiasAddTilingData data;
    data.set_rows(rows);
    data.set_width(width);
    data.set_share(rows / cores);
    data.set_more(rows % cores);
    data.set_batch(batch);
    data.set_stripe(stripe == 0 ? 16 : stripe);
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
class BiasAdd : public OpDef {
public:
    explicit BiasAdd(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("bias")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->SetInferShape(ge::ShapeOfResult).SetInferDataType(ge::TypeOfResult);
        this->AICore().SetTiling(optiling::TilingOfBiasAdd);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(BiasAdd);
}  // namespace ops
