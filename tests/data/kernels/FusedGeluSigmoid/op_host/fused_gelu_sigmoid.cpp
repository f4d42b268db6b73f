#include <cstring>

#include "fused_gelu_sigmoid_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint32_t width = WidthOf(context->GetInputDesc(0)->GetDataType());
    FusedGeluSigmoidTilingData tiling;
    tiling.set_useTanh(std::strcmp(context->GetAttrs()->GetStr(0), "tanh") == 0);
    return SplitFlat(context, tiling, ElementsOf(context->GetInputShape(0)), width,
                     TileLength(context, MapBytes(2, 1, 2, width)));
}
}  // namespace optiling

namespace ops {
class FusedGeluSigmoid : public OpDef {
public:
    explicit FusedGeluSigmoid(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("gate")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("approximate").AttrType(OPTIONAL).String("none");
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(FusedGeluSigmoid);
}  // namespace ops
