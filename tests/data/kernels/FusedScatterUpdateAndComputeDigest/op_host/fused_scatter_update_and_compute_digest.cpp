#include "fused_scatter_update_and_compute_digest_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t SLOT_BYTES = 4096;

// A row of work is one page of the cache.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& cache = context->GetInputShape(2)->GetStorageShape();
    uint32_t width = static_cast<uint32_t>(cache.GetDim(2) * cache.GetDim(3));
    uint32_t bytes = MapBytes(2, 3, 0, WidthOf(context->GetInputDesc(0)->GetDataType()));
    uint32_t tile = TileLength(context, bytes, SLOT_BYTES);
    uint32_t whole = RoundUp(width == 0 ? 1 : width, REPEAT_BYTES);
    FusedScatterUpdateAndComputeDigestTilingData tiling;
    tiling.set_tokens(static_cast<uint32_t>(ElementsOf(context->GetInputShape(1))));
    tiling.set_pageSize(static_cast<uint32_t>(cache.GetDim(1)));
    tiling.set_width(width);
    tiling.set_tileLength(tile < whole ? tile : whole);
    return SplitRows(context, tiling, cache.GetDim(0));
}
}  // namespace optiling

namespace ops {
class FusedScatterUpdateAndComputeDigest : public OpDef {
public:
    explicit FusedScatterUpdateAndComputeDigest(const char* name) : OpDef(name) {
        this->Input("key")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("slot_mapping")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("key_cache")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("digest_cache")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("key_cache")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("digest_cache")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(FusedScatterUpdateAndComputeDigest);
}  // namespace ops
