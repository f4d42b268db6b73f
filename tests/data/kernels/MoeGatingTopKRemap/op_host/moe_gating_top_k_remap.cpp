#include "moe_gating_top_k_remap_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::RuntimeAttrs* attributes = context->GetAttrs();
    const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
    const uint32_t experts = static_cast<uint32_t>(x.GetDim(1));
    const uint32_t groups = static_cast<uint32_t>(*attributes->GetInt(2));
    constexpr uint32_t mostGroups = 64, mostExperts = 4096;
    if (groups == 0 || groups > mostGroups || experts % groups != 0 || experts > mostExperts) {
        return ge::GRAPH_FAILED;
    }
    GatingTilingData tiling;
    tiling.set_groups(groups);
    tiling.set_members(experts / groups);
    tiling.set_copies(static_cast<uint32_t>(LastLength(context->GetRequiredInputShape(2))));
    tiling.set_wanted(static_cast<uint32_t>(*attributes->GetInt(0)));
    tiling.set_keptGroups(static_cast<uint32_t>(*attributes->GetInt(1)));
    tiling.set_twoLargest(static_cast<uint32_t>(*attributes->GetInt(3)));
    tiling.set_sigmoid(*attributes->GetInt(5) == 1);
    tiling.set_renormalise(*attributes->GetInt(5) == 1 || *attributes->GetInt(4) == 1);
    tiling.set_factor(*attributes->GetFloat(6));
    tiling.set_epsilon(*attributes->GetFloat(7));
    return SplitRows(context, tiling, static_cast<uint64_t>(x.GetDim(0)));
}
}  // namespace optiling

namespace ops {
class MoeGatingTopKRemap : public OpDef {
public:
    explicit MoeGatingTopKRemap(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("bias")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("expert_map")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("replica_num")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("expert_idx")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("k").AttrType(REQUIRED).Int();
        this->Attr("k_group").AttrType(OPTIONAL).Int(1);
        this->Attr("group_count").AttrType(OPTIONAL).Int(1);
        this->Attr("group_select_mode").AttrType(OPTIONAL).Int(0);
        this->Attr("renorm").AttrType(OPTIONAL).Int(0);
        this->Attr("norm_type").AttrType(OPTIONAL).Int(0);
        this->Attr("routed_scaling_factor").AttrType(OPTIONAL).Float(1.0f);
        this->Attr("eps").AttrType(OPTIONAL).Float(1e-20f);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(MoeGatingTopKRemap);
}  // namespace ops
