#include <cstring>

#include "calibrate_vector_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
// In the order of `Kind` in op_kernel.
static const char* const KINDS[] = {"empty", "copy", "small_copies", "round_trips", "abs",
                                    "chain", "add",  "mul",          "div",         "exp",
                                    "cast",  "reduce", "scalar_local", "scalar_cached", "scalar_global"};
constexpr uint32_t KIND_COUNT = sizeof(KINDS) / sizeof(KINDS[0]);
constexpr uint32_t UNIT = 128;  // elements: parts of cores begin at whole blocks of 32 bytes

static uint32_t KindOf(const char* name) {
    uint32_t kind = 0;
    while (kind < KIND_COUNT && std::strcmp(name, KINDS[kind]) != 0) {
        ++kind;
    }
    return kind;
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const gert::RuntimeAttrs* attributes = context->GetAttrs();
    const uint32_t kind = KindOf(attributes->GetStr(0));
    if (kind == KIND_COUNT) {
        return ge::GRAPH_FAILED;
    }
    uint32_t cores = static_cast<uint32_t>(*attributes->GetInt(1));
    cores = cores == 0 ? platform.GetCoreNumAiv() : cores;
    const uint32_t length = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    const uint32_t units = (length + UNIT - 1) / UNIT;
    CalibrateVectorTilingData tiling;
    tiling.set_kind(kind);
    tiling.set_repeats(static_cast<uint32_t>(*attributes->GetInt(2)));
    tiling.set_length(length);
    tiling.set_coreLength((units + cores - 1) / cores * UNIT);
    context->SetBlockDim(cores * static_cast<uint32_t>(*attributes->GetInt(3)));
    gert::TilingData* const raw = context->GetRawTilingData();
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus ShapeOfOutput(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
static graphStatus TypeOfOutput(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace ge

namespace ops {
class CalibrateVector : public OpDef {
public:
    explicit CalibrateVector(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("kind").String();
        this->Attr("cores").AttrType(OPTIONAL).Int(1);
        this->Attr("repeats").AttrType(OPTIONAL).Int(1);
        this->Attr("rounds").AttrType(OPTIONAL).Int(1);
        this->SetInferShape(ge::ShapeOfOutput).SetInferDataType(ge::TypeOfOutput);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(CalibrateVector);
}  // namespace ops
