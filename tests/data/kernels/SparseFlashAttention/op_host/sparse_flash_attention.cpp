#include <cstring>

#include "sparse_flash_attention_tiling.h"
#include "attention_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& query = context->GetInputShape(0)->GetStorageShape();
    const gert::RuntimeAttrs* attributes = context->GetAttrs();
    const gert::StorageShape* table = context->GetOptionalInputShape(4);
    const gert::StorageShape* rotated = context->GetOptionalInputShape(7);
    const bool paged = std::strcmp(attributes->GetStr(3), "PA_BSND") == 0;
    if (paged && table == nullptr) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t size = static_cast<uint32_t>(query.GetDim(3));
    const uint32_t rope =
        rotated == nullptr ? 0 : static_cast<uint32_t>(rotated->GetStorageShape().GetDim(3));
    SparseFlashAttentionTilingData tiling;
    tiling.set_batches(static_cast<uint32_t>(query.GetDim(0)));
    tiling.set_queries(static_cast<uint32_t>(query.GetDim(1)));
    tiling.set_heads(static_cast<uint32_t>(query.GetDim(2)));
    tiling.set_rows(static_cast<uint32_t>(context->GetInputShape(1)->GetStorageShape().GetDim(1)));
    tiling.set_mostBlocks(paged ? static_cast<uint32_t>(table->GetStorageShape().GetDim(1)) : 0);
    tiling.set_selected(static_cast<uint32_t>(context->GetInputShape(3)->GetStorageShape().GetDim(3)));
    tiling.set_blockSize(static_cast<uint32_t>(*attributes->GetInt(1)));
    tiling.set_causal(*attributes->GetInt(4) == 3);
    tiling.set_size(size);
    tiling.set_rope(rope);
    tiling.set_scale(*attributes->GetFloat(0));
    const uint64_t gathered =
        ((ATTENTION_ROWS + ATTENTION_KEYS) * static_cast<uint64_t>(size + rope) + ATTENTION_KEYS * size) * 2;
    return SplitAttention(context, tiling, query.GetShapeSize() > 0, size + rope, size, gathered);
}
}  // namespace optiling

namespace ops {
class SparseFlashAttention : public OpDef {
public:
    explicit SparseFlashAttention(const char* name) : OpDef(name) {
        this->Input("query")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("key")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("value")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("sparse_indices")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("block_table")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("actual_seq_lengths_query")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("actual_seq_lengths_kv")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("query_rope")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("key_rope")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("attention_out")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("scale_value").AttrType(REQUIRED).Float();
        this->Attr("sparse_block_size").AttrType(OPTIONAL).Int(1);
        this->Attr("layout_query").AttrType(OPTIONAL).String("BSND");
        this->Attr("layout_kv").AttrType(OPTIONAL).String("BSND");
        this->Attr("sparse_mode").AttrType(OPTIONAL).Int(3);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(SparseFlashAttention);
}  // namespace ops
