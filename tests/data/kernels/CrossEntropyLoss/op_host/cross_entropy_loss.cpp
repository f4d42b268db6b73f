#include <cstring>

#include "cross_entropy_loss_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t CORE_BYTES = 32;  // of workspace, for the partial sums of a core

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t width = LastLength(context->GetInputShape(0));
    uint32_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint32_t tile = RowTileLength(context, width, MapBytes(1, 1, 3, bytes));
    if (tile == 0) {
        return ge::GRAPH_FAILED;
    }
    const gert::RuntimeAttrs* attributes = context->GetAttrs();
    const char* reduction = attributes->GetStr(0);
    CrossEntropyLossTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_tileLength(tile);
    tiling.set_reduction(std::strcmp(reduction, "none") == 0  ? 0
                         : std::strcmp(reduction, "sum") == 0 ? 1
                                                              : 2);
    tiling.set_ignoreIndex(static_cast<int32_t>(*attributes->GetInt(1)));
    tiling.set_smoothing(*attributes->GetFloat(2));
    tiling.set_zlossScale(*attributes->GetFloat(3));
    tiling.set_returnZloss(*attributes->GetBool(4));
    ge::graphStatus status =
        SplitRows(context, tiling, context->GetInputShape(0)->GetStorageShape().GetDim(0));
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    context->GetWorkspaceSizes(1)[0] =
        platform.GetLibApiWorkSpaceSize() + platform.GetCoreNumAiv() * CORE_BYTES;
    return status;
}
}  // namespace optiling

namespace ops {
class CrossEntropyLoss : public OpDef {
public:
    explicit CrossEntropyLoss(const char* name) : OpDef(name) {
        this->Input("input")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("target")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64, ge::DT_INT64, ge::DT_INT64})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("loss")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("log_prob")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("zloss")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("lse_for_zloss")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("reduction").AttrType(OPTIONAL).String("mean");
        this->Attr("ignore_index").AttrType(OPTIONAL).Int(-100);
        this->Attr("label_smoothing").AttrType(OPTIONAL).Float(0.0f);
        this->Attr("lse_square_scale_for_zloss").AttrType(OPTIONAL).Float(0.0f);
        this->Attr("return_zloss").AttrType(OPTIONAL).Bool(false);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(CrossEntropyLoss);
}  // namespace ops
