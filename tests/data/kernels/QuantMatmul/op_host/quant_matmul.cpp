#include "quant_matmul_tiling.h"
#include "part_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    PartTilingData tiling;
    return SplitProduct(context, tiling);
}
}  // namespace optiling

namespace ops {
class QuantMatmul : public OpDef {
public:
    explicit QuantMatmul(const char* name) : OpDef(name) {
        this->Input("a").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Input("b").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Input("scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("per_token_scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("d").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(QuantMatmul);
}  // namespace ops
