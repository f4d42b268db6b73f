#include <cstring>

#include "lightning_indexer_tiling.h"
#include "part_host.h"

namespace optiling {
constexpr uint32_t CHUNK = 256;  // keys whose scores are asked for at a time

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& query = context->GetInputShape(0)->GetStorageShape();
    const gert::RuntimeAttrs* attributes = context->GetAttrs();
    const gert::StorageShape* table = context->GetOptionalInputShape(5);
    const bool paged = std::strcmp(attributes->GetStr(1), "PA_BSND") == 0;
    constexpr int64_t most = 3072;  // numbers kept in UB while the others come by
    if ((paged && table == nullptr) || *attributes->GetInt(2) > most) {
        return ge::GRAPH_FAILED;
    }
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t cores = platform.GetCoreNumAiv();
    const uint32_t heads = static_cast<uint32_t>(query.GetDim(2));
    const uint32_t size = static_cast<uint32_t>(query.GetDim(3));
    const bool any = query.GetShapeSize() > 0;
    LightningIndexerTilingData tiling;
    tiling.set_cores(any ? cores : 0);
    tiling.set_space(static_cast<uint64_t>(heads) * CHUNK * sizeof(float) + CHUNK * size * sizeof(uint16_t));
    tiling.set_batches(static_cast<uint32_t>(query.GetDim(0)));
    tiling.set_queries(static_cast<uint32_t>(query.GetDim(1)));
    tiling.set_heads(heads);
    tiling.set_size(size);
    tiling.set_rows(static_cast<uint32_t>(context->GetInputShape(1)->GetStorageShape().GetDim(1)));
    tiling.set_mostBlocks(paged ? static_cast<uint32_t>(table->GetStorageShape().GetDim(1)) : 0);
    tiling.set_wanted(static_cast<uint32_t>(*attributes->GetInt(2)));
    tiling.set_causal(*attributes->GetInt(3) == 3);
    if (any) {
        using matmul_tiling::CubeFormat;
        using matmul_tiling::TPosition;
        const matmul_tiling::DataType type = CubeType(context->GetInputDesc(0)->GetDataType());
        matmul_tiling::MatmulApiTiling api(platform);
        api.SetAType(TPosition::GM, CubeFormat::ND, type, false);
        api.SetBType(TPosition::GM, CubeFormat::ND, type, true);
        api.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
        api.SetBias(false);
        api.SetShape(static_cast<int32_t>(heads), CHUNK, static_cast<int32_t>(size));
        api.SetOrgShape(static_cast<int32_t>(heads), CHUNK, static_cast<int32_t>(size));
        api.SetBufferSpace(-1, -1, -1);
        if (api.GetTiling(tiling.scores) == -1) {
            return ge::GRAPH_FAILED;
        }
    }
    context->SetBlockDim(any ? (cores + 1) / 2 : 1);  // two vector cores each
    gert::TilingData* raw = context->GetRawTilingData();
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + cores * tiling.get_space();
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class LightningIndexer : public OpDef {
public:
    explicit LightningIndexer(const char* name) : OpDef(name) {
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
        this->Input("weights")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("actual_seq_lengths_query")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("actual_seq_lengths_key")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("block_table")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("sparse_indices")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("sparse_values")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("layout_query").AttrType(OPTIONAL).String("BSND");
        this->Attr("layout_key").AttrType(OPTIONAL).String("BSND");
        this->Attr("sparse_count").AttrType(OPTIONAL).Int(2048);
        this->Attr("sparse_mode").AttrType(OPTIONAL).Int(3);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(LightningIndexer);
}  // namespace ops
