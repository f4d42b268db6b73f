#include "rms_norm_rope_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    uint64_t width = static_cast<uint64_t>(shape.GetDim(2));
    uint32_t whole = RoundUp(width == 0 ? 1 : width, REPEAT_BYTES);
    uint32_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    if (width % 2 != 0 || whole > TileLength(context, MapBytes(4, 1, 6, bytes), 4 * REPEAT_BYTES)) {
        return ge::GRAPH_FAILED;
    }
    RmsNormRopeTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_tileLength(whole);
    tiling.set_heads(static_cast<uint32_t>(shape.GetDim(1)));
    tiling.set_epsilon(*context->GetAttrs()->GetFloat(0));
    tiling.set_interleaved(strcmp(context->GetAttrs()->GetStr(1), "interleave") == 0);
    return SplitRows(context, tiling, width == 0 ? 0 : ElementsOf(context->GetInputShape(0)) / width);
}
}  // namespace optiling

namespace ops {
class RmsNormRope : public OpDef {
public:
    explicit RmsNormRope(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("gamma")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("cos")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("sin")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-06f);
        this->Attr("rotary_mode").AttrType(OPTIONAL).String("half");
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(RmsNormRope);
}  // namespace ops
