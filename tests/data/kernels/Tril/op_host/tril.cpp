#include "tril_tiling.h"
#include "triangle_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    TrilTilingData tiling;
    return SplitTriangles(context, tiling);
}
}  // namespace optiling

namespace ops {
class Tril : public OpDef {
public:
    explicit Tril(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("diagonal").AttrType(OPTIONAL).Int(0);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(Tril);
}  // namespace ops
