#include "gmm_deq_swiglu_quant_gmm_deq_tiling.h"
#include "part_host.h"

namespace optiling {
// Workspace holds, behind the tiles of sums: the products of the first layer, the scales of its quantised
// rows, and those rows.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t m = SizeOf(context, 0, 0);
    uint64_t inner = SizeOf(context, 0, 1);
    uint64_t hidden = SizeOf(context, 1, 2) / 2;
    uint64_t outer = SizeOf(context, 4, 2);
    constexpr uint64_t longestRow = 16384;  // of the hidden layer; it is kept in UB
    if (hidden > longestRow) {
        return ge::GRAPH_FAILED;
    }
    ExpertLayersTilingData tiling;
    tiling.set_inner(static_cast<uint32_t>(inner));
    tiling.set_hidden(static_cast<uint32_t>(hidden));
    tiling.set_outer(static_cast<uint32_t>(outer));
    uint64_t reserve = m * 2 * hidden * sizeof(float) + RoundUp(m * sizeof(float), BLOCK_BYTES) + m * hidden;
    Products work{
        m, outer > 2 * hidden ? outer : 2 * hidden, inner > hidden ? inner : hidden, 1, ge::DT_INT8, false};
    if (SplitParts(context, tiling, work, reserve) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
    tiling.set_groups(static_cast<uint32_t>(SizeOf(context, 1, 0)));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class GmmDeqSwigluQuantGmmDeq : public OpDef {
public:
    explicit GmmDeqSwigluQuantGmmDeq(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT8, ge::DT_INT8})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT8, ge::DT_INT8})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight1_scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("x_scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight2")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT8, ge::DT_INT8})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight2_scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("group_list")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64, ge::DT_INT64})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(GmmDeqSwigluQuantGmmDeq);
}  // namespace ops
