#include "inplace_attn_softmax_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t width = LastLength(context->GetInputShape(0));
    uint32_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint32_t tile = TileLength(context, MapBytes(1, 1, 1, bytes), 4 * REPEAT_BYTES);
    uint32_t whole = RoundUp(width == 0 ? 1 : width, REPEAT_BYTES);
    InplaceAttnSoftmaxTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_tileLength(tile < whole ? tile : whole);
    return SplitRows(context, tiling, width == 0 ? 0 : ElementsOf(context->GetInputShape(0)) / width);
}
}  // namespace optiling

namespace ops {
class InplaceAttnSoftmax : public OpDef {
public:
    explicit InplaceAttnSoftmax(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(InplaceAttnSoftmax);
}  // namespace ops
