#include "strideslice_neg_concat_v2_tiling.h"
#include "piece_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t width = LastLength(context->GetInputShape(0));
    uint32_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint32_t tile = TileLength(context, MapBytes(1, 1, 1, bytes));
    StridesliceNegConcatV2TilingData tiling;
    uint64_t rows = width == 0 ? 0 : ElementsOf(context->GetInputShape(0)) / width;
    return SplitPieces(context, tiling, rows, width, bytes, tile);
}
}  // namespace optiling

namespace ops {
class StridesliceNegConcatV2 : public OpDef {
public:
    explicit StridesliceNegConcatV2(const char* name) : OpDef(name) {
        this->Input("input")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("output")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(StridesliceNegConcatV2);
}  // namespace ops
