#include "mse_loss_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t PARTIAL_BYTES = 32;  // of workspace for every core

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const char* reduction = context->GetAttrs()->GetStr(0);
    uint32_t width = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint64_t total = ElementsOf(context->GetInputShape(0));
    MseLossTilingData tiling;
    tiling.set_reduces(strcmp(reduction, "none") != 0);
    tiling.set_factor(strcmp(reduction, "mean") == 0 ? 1.0f / static_cast<float>(total) : 1.0f);
    uint32_t tile =
        TileLength(context, MapBytes(2, 1, 0, width) + 1, PARTIAL_BYTES * VectorCores(context) + 1024);
    ge::graphStatus status = SplitFlat(context, tiling, total, width, tile);
    context->GetWorkspaceSizes(1)[0] = PARTIAL_BYTES * VectorCores(context);
    return status;
}
}  // namespace optiling

namespace ops {
class MseLoss : public OpDef {
public:
    explicit MseLoss(const char* name) : OpDef(name) {
        this->Input("predict")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("label")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("reduction").AttrType(OPTIONAL).String("mean");
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(MseLoss);
}  // namespace ops
