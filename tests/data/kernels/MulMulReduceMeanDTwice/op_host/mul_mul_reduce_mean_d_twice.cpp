#include "mul_mul_reduce_mean_d_twice_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t width = LastLength(context->GetInputShape(0));
    uint32_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint32_t tile = RowTileLength(context, width, MapBytes(4, 1, 1, bytes));
    if (tile == 0) {
        return ge::GRAPH_FAILED;
    }
    MulMulReduceMeanDTwiceTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_tileLength(tile);
    return SplitRows(context, tiling, width == 0 ? 0 : ElementsOf(context->GetInputShape(0)) / width);
}
}  // namespace optiling

namespace ops {
class MulMulReduceMeanDTwice : public OpDef {
public:
    explicit MulMulReduceMeanDTwice(const char* name) : OpDef(name) {
        this->Input("mul0_input0")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("mul0_input1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("mul1_input0")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("add_y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("gamma")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("beta")
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
OP_ADD(MulMulReduceMeanDTwice);
}  // namespace ops
