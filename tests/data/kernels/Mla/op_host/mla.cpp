#include <cmath>

#include "mla_tiling.h"
#include "attention_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& query = context->GetInputShape(0)->GetStorageShape();
    const gert::Shape& cache = context->GetInputShape(2)->GetStorageShape();
    const auto* tokens = context->GetAttrs()->GetListInt(0);
    const auto* lengths = context->GetAttrs()->GetListInt(1);
    const uint32_t sequences = static_cast<uint32_t>(tokens->GetSize());
    if (sequences > MOST_SEQUENCES || lengths->GetSize() != sequences) {
        return ge::GRAPH_FAILED;
    }
    uint32_t ends[MOST_SEQUENCES] = {}, keys[MOST_SEQUENCES] = {};
    uint32_t end = 0;
    for (uint32_t sequence = 0; sequence < sequences; ++sequence) {
        end += static_cast<uint32_t>(tokens->GetData()[sequence]);
        ends[sequence] = end;
        keys[sequence] = static_cast<uint32_t>(lengths->GetData()[sequence]);
    }
    const uint32_t latent = static_cast<uint32_t>(query.GetDim(2));
    const uint32_t rope = static_cast<uint32_t>(context->GetInputShape(1)->GetStorageShape().GetDim(2));
    MlaTilingData tiling;
    tiling.set_sequences(sequences);
    tiling.set_tokens(static_cast<uint32_t>(query.GetDim(0)));
    tiling.set_heads(static_cast<uint32_t>(query.GetDim(1)));
    tiling.set_keyHeads(static_cast<uint32_t>(cache.GetDim(2)));
    tiling.set_blockSize(static_cast<uint32_t>(cache.GetDim(1)));
    tiling.set_mostBlocks(static_cast<uint32_t>(context->GetInputShape(4)->GetStorageShape().GetDim(1)));
    tiling.set_latent(latent);
    tiling.set_rope(rope);
    tiling.set_scale(1.0f / std::sqrt(static_cast<float>(latent + rope)));
    tiling.set_tokenEnds(ends);
    tiling.set_lengths(keys);
    const uint64_t gathered = (ATTENTION_ROWS + ATTENTION_KEYS) * static_cast<uint64_t>(latent + rope) * 2;
    return SplitAttention(context, tiling, query.GetShapeSize() > 0, latent + rope, latent, gathered);
}
}  // namespace optiling

namespace ops {
class Mla : public OpDef {
public:
    explicit Mla(const char* name) : OpDef(name) {
        this->Input("query_nope")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("query_rope")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("kv_nope_cache")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("kv_rope_cache")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("block_tables")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("out")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("q_seqlen_list").AttrType(REQUIRED).ListInt();
        this->Attr("k_seqlen_list").AttrType(REQUIRED).ListInt();
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(Mla);
}  // namespace ops
