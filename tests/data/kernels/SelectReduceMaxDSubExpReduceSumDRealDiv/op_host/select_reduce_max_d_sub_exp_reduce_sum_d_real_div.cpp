#include "select_reduce_max_d_sub_exp_reduce_sum_d_real_div_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t width = LastLength(context->GetInputShape(0));
    uint32_t bytes = WidthOf(context->GetInputDesc(1)->GetDataType());
    // Beside the numbers: the flags twice, the flags as half, their bits.
    uint32_t tile = RowTileLength(context, width, MapBytes(2, 1, 1, bytes) + 2 + 2 + 1);
    if (tile == 0) {
        return ge::GRAPH_FAILED;
    }
    SelectReduceMaxDSubExpReduceSumDRealDivTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_tileLength(tile);
    return SplitRows(context, tiling, width == 0 ? 0 : ElementsOf(context->GetInputShape(0)) / width);
}
}  // namespace optiling

namespace ops {
class SelectReduceMaxDSubExpReduceSumDRealDiv : public OpDef {
public:
    explicit SelectReduceMaxDSubExpReduceSumDRealDiv(const char* name) : OpDef(name) {
        this->Input("sel")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("input1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("input2")
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
OP_ADD(SelectReduceMaxDSubExpReduceSumDRealDiv);
}  // namespace ops
