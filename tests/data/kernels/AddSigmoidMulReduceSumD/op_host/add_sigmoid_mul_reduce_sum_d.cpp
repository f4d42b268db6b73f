#include "add_sigmoid_mul_reduce_sum_d_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t LARGEST_TILE = 2048;

// A row of work is one piece of a row of the output.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    uint32_t width = static_cast<uint32_t>(shape.GetDim(2));
    uint32_t tile = RoundUp(width == 0 ? 1 : width, REPEAT_BYTES);
    tile = tile < LARGEST_TILE ? tile : LARGEST_TILE;
    AddSigmoidMulReduceSumDTilingData tiling;
    tiling.set_length(static_cast<uint32_t>(shape.GetDim(1)));
    tiling.set_width(width);
    tiling.set_tileLength(tile);
    tiling.set_pieces(CeilOf(width, tile));
    return SplitRows(context, tiling, shape.GetDim(0) * CeilOf(width, tile));
}
}  // namespace optiling

namespace ops {
class AddSigmoidMulReduceSumD : public OpDef {
public:
    explicit AddSigmoidMulReduceSumD(const char* name) : OpDef(name) {
        this->Input("add_0_input0")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("add_0_input1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("mul_0_input1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("mult_1_input1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("mult_2_input1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("out").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(AddSigmoidMulReduceSumD);
}  // namespace ops
