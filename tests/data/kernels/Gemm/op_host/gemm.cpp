#include "gemm_tiling.h"
#include "part_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    PartTilingData tiling;
    tiling.set_alpha(*context->GetAttrs()->GetFloat(0));
    tiling.set_beta(*context->GetAttrs()->GetFloat(1));
    return SplitProduct(context, tiling);
}
}  // namespace optiling

namespace ops {
class Gemm : public OpDef {
public:
    explicit Gemm(const char* name) : OpDef(name) {
        this->Input("a")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("b")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("c")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("c").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("alpha").AttrType(REQUIRED).Float();
        this->Attr("beta").AttrType(REQUIRED).Float();
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(Gemm);
}  // namespace ops
