#include "mla_prolog_v3_x_tiling.h"
#include "part_host.h"

namespace optiling {
static uint64_t Larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

// Workspace holds, behind the tiles of sums: both projections of the tokens in float32, and the queries of
// all heads.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const uint64_t tokens = SizeOf(context, 0, 0);
    const uint64_t hidden = SizeOf(context, 0, 1);
    const uint64_t latent = SizeOf(context, 1, 1);
    const uint64_t projected = SizeOf(context, 2, 1);
    const uint64_t headSize = SizeOf(context, 3, 1);
    const uint64_t stored = SizeOf(context, 3, 2);
    const uint64_t down = SizeOf(context, 4, 1);
    const gert::RuntimeAttrs* attributes = context->GetAttrs();
    PrologTilingData tiling;
    tiling.set_tokens(static_cast<uint32_t>(tokens));
    tiling.set_hidden(static_cast<uint32_t>(hidden));
    tiling.set_latent(static_cast<uint32_t>(latent));
    tiling.set_heads(static_cast<uint32_t>(SizeOf(context, 3, 0)));
    tiling.set_headSize(static_cast<uint32_t>(headSize));
    tiling.set_stored(static_cast<uint32_t>(stored));
    tiling.set_rope(static_cast<uint32_t>(down - stored));
    tiling.set_queryEpsilon(*attributes->GetFloat(0));
    tiling.set_keyEpsilon(*attributes->GetFloat(1));
    tiling.set_queryScale(*attributes->GetFloat(2));
    tiling.set_keyScale(*attributes->GetFloat(3));
    const uint64_t reserve = tokens * ((latent + down) * sizeof(float) + projected * sizeof(uint16_t));
    Products work{tokens,
                  Larger(Larger(latent, projected), down),
                  Larger(Larger(hidden, latent), headSize),
                  1,
                  ge::DT_BF16,
                  false};
    return SplitParts(context, tiling, work, reserve);
}
}  // namespace optiling

namespace ops {
class MlaPrologV3X : public OpDef {
public:
    explicit MlaPrologV3X(const char* name) : OpDef(name) {
        this->Input("token_x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight_dq")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight_uq_qr")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight_uk")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight_dkv_kr")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("rmsnorm_gamma_cq")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("rmsnorm_gamma_ckv")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("rope_sin")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("rope_cos")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("kv_cache")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("kr_cache")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("cache_index")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("query").ParamType(REQUIRED).DataType({ge::DT_BF16}).Format({ge::FORMAT_ND});
        this->Output("query_rope").ParamType(REQUIRED).DataType({ge::DT_BF16}).Format({ge::FORMAT_ND});
        this->Output("kv_cache").ParamType(REQUIRED).DataType({ge::DT_BF16}).Format({ge::FORMAT_ND});
        this->Output("kr_cache").ParamType(REQUIRED).DataType({ge::DT_BF16}).Format({ge::FORMAT_ND});
        this->Output("query_norm").ParamType(REQUIRED).DataType({ge::DT_BF16}).Format({ge::FORMAT_ND});
        this->Attr("rmsnorm_epsilon_cq").AttrType(OPTIONAL).Float(1e-05f);
        this->Attr("rmsnorm_epsilon_ckv").AttrType(OPTIONAL).Float(1e-05f);
        this->Attr("qc_qr_scale").AttrType(OPTIONAL).Float(1.0f);
        this->Attr("kc_scale").AttrType(OPTIONAL).Float(1.0f);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(MlaPrologV3X);
}  // namespace ops
