#include "padding_matmul_tiling.h"
#include "part_host.h"

namespace optiling {
// Rows that are no multiple of 256 elements are copied, padded, to workspace behind the tiles of sums.
static uint64_t PaddedBytes(uint64_t rows, uint64_t columns) {
    constexpr uint32_t grid = 256;
    return columns % grid == 0 ? 0 : rows * RoundUp(columns, grid) * sizeof(uint16_t);
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    Products work{
        SizeOf(context, 0, 0), SizeOf(context, 1, 1), SizeOf(context, 0, 1), 1, ge::DT_FLOAT16, false};
    PartTilingData tiling;
    return SplitParts(context, tiling, work, PaddedBytes(work.m, work.k) + PaddedBytes(work.k, work.n));
}
}  // namespace optiling

namespace ops {
class PaddingMatmul : public OpDef {
public:
    explicit PaddingMatmul(const char* name) : OpDef(name) {
        this->Input("a")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("b")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("c").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(PaddingMatmul);
}  // namespace ops
