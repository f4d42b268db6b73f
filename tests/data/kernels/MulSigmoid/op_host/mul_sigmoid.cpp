#include "mul_sigmoid_tiling.h"
#include "piece_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t width = ElementsOf(context->GetInputShape(1));
    uint32_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint32_t tile = TileLength(context, MapBytes(2, 1, 2, bytes) + 1);
    MulSigmoidTilingData tiling;
    tiling.set_slope(*context->GetAttrs()->GetFloat(0));
    tiling.set_threshold(*context->GetAttrs()->GetFloat(1));
    tiling.set_factor(*context->GetAttrs()->GetFloat(2));
    uint64_t rows = width == 0 ? 0 : ElementsOf(context->GetInputShape(0)) / width;
    return SplitPieces(context, tiling, rows, width, bytes, tile);
}
}  // namespace optiling

namespace ops {
class MulSigmoid : public OpDef {
public:
    explicit MulSigmoid(const char* name) : OpDef(name) {
        this->Input("x1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("x2")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("out").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Attr("t1").AttrType(REQUIRED).Float();
        this->Attr("t2").AttrType(REQUIRED).Float();
        this->Attr("t3").AttrType(REQUIRED).Float();
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(MulSigmoid);
}  // namespace ops
