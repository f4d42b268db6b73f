#include "rotary_pos_emb_partial_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const auto* slice = context->GetAttrs()->GetListInt(0);
    int64_t begin = slice->GetData()[0];
    int64_t end = slice->GetData()[1];
    if (begin < 0 || end > shape.GetDim(2) || begin >= end || (end - begin) % 2 != 0) {
        return ge::GRAPH_FAILED;
    }
    uint32_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint32_t head = RoundUp(static_cast<uint64_t>(shape.GetDim(2)), REPEAT_BYTES);
    uint32_t tile = RoundUp(static_cast<uint64_t>(end - begin), REPEAT_BYTES);
    uint32_t longest = TileLength(context, MapBytes(3, 1, 3, bytes) + 2 * bytes);
    if (head > longest) {
        return ge::GRAPH_FAILED;
    }
    RotaryPosEmbPartialTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(end - begin));
    tiling.set_tileLength(tile);
    tiling.set_heads(static_cast<uint32_t>(shape.GetDim(1)));
    tiling.set_headWidth(static_cast<uint32_t>(shape.GetDim(2)));
    tiling.set_begin(static_cast<uint32_t>(begin));
    tiling.set_interleaved(strcmp(context->GetAttrs()->GetStr(1), "interleave") == 0);
    tiling.set_copyHeads(longest / head);
    return SplitRows(context, tiling, static_cast<uint64_t>(shape.GetDim(0) * shape.GetDim(1)));
}
}  // namespace optiling

namespace ops {
class RotaryPosEmbPartial : public OpDef {
public:
    explicit RotaryPosEmbPartial(const char* name) : OpDef(name) {
        this->Input("x")
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
        this->Attr("partial_slice").AttrType(REQUIRED).ListInt();
        this->Attr("rotary_mode").AttrType(OPTIONAL).String("half");
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(RotaryPosEmbPartial);
}  // namespace ops
