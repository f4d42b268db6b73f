#include "swi_glu_tiling.h"
#include "glu_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    SwiGluTilingData tiling;
    return SplitHalves(context, tiling, 1, 1);
}
}  // namespace optiling

namespace ops {
class SwiGlu : public OpDef {
public:
    explicit SwiGlu(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("dim").AttrType(OPTIONAL).Int(-1);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(SwiGlu);
}  // namespace ops
