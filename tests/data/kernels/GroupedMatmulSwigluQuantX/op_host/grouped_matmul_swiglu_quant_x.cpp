#include "grouped_matmul_swiglu_quant_x_tiling.h"
#include "part_host.h"

namespace optiling {
// The products of all rows lie in workspace, in float32, until they are gated.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t m = SizeOf(context, 0, 0);
    uint64_t n = SizeOf(context, 1, 2);
    constexpr uint64_t longestRow = 16384;  // of the result; it is kept in UB
    if (n / 2 > longestRow) {
        return ge::GRAPH_FAILED;
    }
    PartTilingData tiling;
    return SplitExperts(context, tiling, m * n * sizeof(float));
}
}  // namespace optiling

namespace ops {
class GroupedMatmulSwigluQuantX : public OpDef {
public:
    explicit GroupedMatmulSwigluQuantX(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Input("weight")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT8})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight_scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("x_scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("smooth_scale")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("group_list")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("quant_out").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND});
        this->Output("quant_scale_out").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(GroupedMatmulSwigluQuantX);
}  // namespace ops
