#include "flash_attention_score_with_large_head_dim_tiling.h"
#include "attention_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& query = context->GetInputShape(0)->GetStorageShape();
    const uint32_t heads = static_cast<uint32_t>(*context->GetAttrs()->GetInt(1));
    const uint32_t size = static_cast<uint32_t>(query.GetDim(2)) / heads;
    constexpr uint32_t longestHead = 1024;  // of which 16 rows fit UB, thrice
    if (size > longestHead) {
        return ge::GRAPH_FAILED;
    }
    FlashAttentionScoreWithLargeHeadDimTilingData tiling;
    tiling.set_batches(static_cast<uint32_t>(query.GetDim(0)));
    tiling.set_queries(static_cast<uint32_t>(query.GetDim(1)));
    tiling.set_keys(static_cast<uint32_t>(context->GetInputShape(1)->GetStorageShape().GetDim(1)));
    tiling.set_heads(heads);
    tiling.set_size(size);
    tiling.set_scale(*context->GetAttrs()->GetFloat(0));
    return SplitAttention(context, tiling, query.GetShapeSize() > 0, size, size, 0);
}
}  // namespace optiling

namespace ops {
class FlashAttentionScoreWithLargeHeadDim : public OpDef {
public:
    explicit FlashAttentionScoreWithLargeHeadDim(const char* name) : OpDef(name) {
        this->Input("query")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("key")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("value")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("softmax_max").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("softmax_sum").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("attention_out").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Attr("scale_value").AttrType(OPTIONAL).Float(1.0f);
        this->Attr("head_num").AttrType(REQUIRED).Int();
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(FlashAttentionScoreWithLargeHeadDim);
}  // namespace ops
