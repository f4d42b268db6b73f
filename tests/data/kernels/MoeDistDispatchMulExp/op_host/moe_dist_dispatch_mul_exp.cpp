#include "moe_dist_dispatch_mul_exp_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::RuntimeAttrs* attributes = context->GetAttrs();
    const uint64_t width = LastLength(context->GetInputShape(0));
    const uint32_t experts = static_cast<uint32_t>(*attributes->GetInt(0));
    constexpr uint64_t longestRow = 16384;  // kept in UB in float32
    if (experts > MOST_EXPERTS || width > longestRow) {
        return ge::GRAPH_FAILED;
    }
    DispatchTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_perToken(static_cast<uint32_t>(LastLength(context->GetInputShape(1))));
    tiling.set_experts(experts);
    tiling.set_ranks(static_cast<uint32_t>(*attributes->GetInt(1)));
    tiling.set_running(*attributes->GetInt(2) == 0);
    return SplitRows(context, tiling, ElementsOf(context->GetInputShape(1)));
}
}  // namespace optiling

namespace ops {
class MoeDistDispatchMulExp : public OpDef {
public:
    explicit MoeDistDispatchMulExp(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("expert_ids")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("scales")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("expand_x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT8, ge::DT_INT8})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("dynamic_scales")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("expand_idx")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("expert_token_nums")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64, ge::DT_INT64})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("ep_send_counts")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("moe_expert_num").AttrType(REQUIRED).Int();
        this->Attr("ep_world_size").AttrType(REQUIRED).Int();
        this->Attr("expert_token_nums_type").AttrType(OPTIONAL).Int(1);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(MoeDistDispatchMulExp);
}  // namespace ops
