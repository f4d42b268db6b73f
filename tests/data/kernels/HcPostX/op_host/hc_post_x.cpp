#include "hc_post_x_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t MOST_STREAMS = 8;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(1)->GetStorageShape();
    size_t rank = shape.GetDimNum();
    uint64_t width = static_cast<uint64_t>(shape.GetDim(rank - 1));
    uint64_t streams = static_cast<uint64_t>(shape.GetDim(rank - 2));
    if (streams == 0 || streams > MOST_STREAMS) {
        return ge::GRAPH_FAILED;
    }
    uint32_t tile = TileLength(context, MapBytes(1 + MOST_STREAMS, 1, 2, 2), 8 * REPEAT_BYTES);
    uint32_t whole = RoundUp(width == 0 ? 1 : width, REPEAT_BYTES);
    HcPostXTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_streams(static_cast<uint32_t>(streams));
    tiling.set_tileLength(tile < whole ? tile : whole);
    tiling.set_epsilon(*context->GetAttrs()->GetFloat(0));
    return SplitRows(context, tiling, width == 0 ? 0 : ElementsOf(context->GetInputShape(0)) / width);
}
}  // namespace optiling

namespace ops {
class HcPostX : public OpDef {
public:
    explicit HcPostX(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("residual")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("post")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("comb")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("inv_rms")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("norm_eps").AttrType(OPTIONAL).Float(1e-06f);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(HcPostX);
}  // namespace ops
