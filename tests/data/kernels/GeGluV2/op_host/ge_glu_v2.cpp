#include "ge_glu_v2_tiling.h"
#include "glu_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    GeGluV2TilingData tiling;
    tiling.set_useTanh(*context->GetAttrs()->GetInt(1) != 0);
    tiling.set_activateLeft(*context->GetAttrs()->GetBool(2));
    return SplitHalves(context, tiling, 2, 2);
}
}  // namespace optiling

namespace ops {
class GeGluV2 : public OpDef {
public:
    explicit GeGluV2(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("gelu")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("dim").AttrType(OPTIONAL).Int(-1);
        this->Attr("approximate").AttrType(OPTIONAL).Int(0);
        this->Attr("activate_left").AttrType(OPTIONAL).Bool(true);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(GeGluV2);
}  // namespace ops
