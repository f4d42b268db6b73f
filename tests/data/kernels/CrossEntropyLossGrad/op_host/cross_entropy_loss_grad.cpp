#include <cstring>

#include "cross_entropy_loss_grad_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t width = LastLength(context->GetInputShape(1));
    uint32_t bytes = WidthOf(context->GetInputDesc(1)->GetDataType());
    uint32_t tile = TileLength(context, MapBytes(1, 1, 4, bytes), 8192);
    uint32_t whole = RoundUp(width == 0 ? 1 : width, REPEAT_BYTES);
    const gert::RuntimeAttrs* attributes = context->GetAttrs();
    const char* reduction = attributes->GetStr(0);
    CrossEntropyLossGradTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_tileLength(tile < whole ? tile : whole);
    tiling.set_gradPitch(std::strcmp(reduction, "none") == 0);
    tiling.set_mean(std::strcmp(reduction, "mean") == 0);
    tiling.set_zloss(context->GetOptionalInputShape(4) != nullptr &&
                     context->GetOptionalInputShape(5) != nullptr);
    tiling.set_ignoreIndex(static_cast<int32_t>(*attributes->GetInt(1)));
    tiling.set_smoothing(*attributes->GetFloat(2));
    tiling.set_zlossScale(*attributes->GetFloat(3));
    return SplitRows(context, tiling, context->GetInputShape(1)->GetStorageShape().GetDim(0));
}
}  // namespace optiling

namespace ops {
class CrossEntropyLossGrad : public OpDef {
public:
    explicit CrossEntropyLossGrad(const char* name) : OpDef(name) {
        this->Input("grad_loss")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("log_prob")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT})
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
        this->Input("grad_zloss")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("lse_for_zloss")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("x_grad")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("reduction").AttrType(OPTIONAL).String("mean");
        this->Attr("ignore_index").AttrType(OPTIONAL).Int(-100);
        this->Attr("label_smoothing").AttrType(OPTIONAL).Float(0.0f);
        this->Attr("lse_square_scale_for_zloss").AttrType(OPTIONAL).Float(0.0f);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(CrossEntropyLossGrad);
}  // namespace ops
