#include "one_hot_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingOfOneHot(gert::TilingContext* context) {
    const gert::StorageShape* x = context->GetInputShape(0);
    if (x == nullptr) {
        return ge::GRAPH_FAILED;
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    const uint32_t rows = static_cast<uint32_t>(x->GetStorageShape().GetShapeSize());
    const uint32_t depth = static_cast<uint32_t>(*context->GetAttrs()->GetInt(0));
    // y is one long row: rows longer than a tile, and fewer rows than cores, are nothing special.
    const uint64_t total = static_cast<uint64_t>(rows) * depth;
    const uint64_t lines = (total + 511) / 512;
    uint32_t cores =
        lines < platform.GetCoreNumAiv() ? static_cast<uint32_t>(lines) : platform.GetCoreNumAiv();
    cores = cores == 0 ? 1 : cores;
    OneHotTilingData data;
    data.set_rows(rows);
    data.set_depth(depth);
    data.set_share(static_cast<uint32_t>((lines + cores - 1) / cores * 512));
    context->SetBlockDim(cores);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus ShapeOfResult(gert::InferShapeContext* context) {
    gert::Shape* y = context->GetOutputShape(0);
    y->SetDimNum(0);
    y->AppendDim(context->GetInputShape(0)->GetDim(0));
    y->AppendDim(*context->GetAttrs()->GetInt(0));
    return GRAPH_SUCCESS;
}

static graphStatus TypeOfResult(gert::InferDataTypeContext* context) {
    context->SetOutputDataType(0, ge::DT_FLOAT);
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class OneHot : public OpDef {
public:
    explicit OneHot(const char* name) : OpDef(name) {
        this->Input("index")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("depth").AttrType(REQUIRED).Int();
        this->SetInferShape(ge::ShapeOfResult).SetInferDataType(ge::TypeOfResult);
        this->AICore().SetTiling(optiling::TilingOfOneHot);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(OneHot);
}  // namespace ops
