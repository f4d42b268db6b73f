#include "compute_and_cache_digest_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& cache = context->GetInputShape(0)->GetStorageShape();
    uint32_t width = static_cast<uint32_t>(cache.GetDim(2) * cache.GetDim(3));
    uint32_t tile = TileLength(context, MapBytes(1, 2, 0, WidthOf(context->GetInputDesc(0)->GetDataType())));
    uint32_t whole = RoundUp(width == 0 ? 1 : width, REPEAT_BYTES);
    ComputeAndCacheDigestTilingData tiling;
    tiling.set_pageSize(static_cast<uint32_t>(cache.GetDim(1)));
    tiling.set_width(width);
    tiling.set_tileLength(tile < whole ? tile : whole);
    return SplitRows(context, tiling, ElementsOf(context->GetInputShape(1)));
}
}  // namespace optiling

namespace ops {
class ComputeAndCacheDigest : public OpDef {
public:
    explicit ComputeAndCacheDigest(const char* name) : OpDef(name) {
        this->Input("key_cache")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("page_ids")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("lengths")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("digest_cache")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("digest_cache")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(ComputeAndCacheDigest);
}  // namespace ops
