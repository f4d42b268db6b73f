#include "gemv_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t width = ElementsOf(context->GetInputShape(1));
    uint32_t tile = TileLength(context, MapBytes(2, 0, 1, 4), 16 * REPEAT_BYTES);
    uint32_t whole = RoundUp(width == 0 ? 1 : width, REPEAT_BYTES);
    GemvTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_tileLength(tile < whole ? tile : whole);
    tiling.set_alpha(*context->GetAttrs()->GetFloat(0));
    tiling.set_beta(*context->GetAttrs()->GetFloat(1));
    return SplitRows(context, tiling, ElementsOf(context->GetInputShape(2)));
}
}  // namespace optiling

namespace ops {
class Gemv : public OpDef {
public:
    explicit Gemv(const char* name) : OpDef(name) {
        this->Input("a")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("out").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("alpha").AttrType(REQUIRED).Float();
        this->Attr("beta").AttrType(REQUIRED).Float();
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(Gemv);
}  // namespace ops
