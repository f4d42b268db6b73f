#include "splitk_matmul_tiling.h"
#include "part_host.h"

namespace optiling {
// As many slices of k as there are cores for each part; partial sums of every slice lie in workspace.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t m = SizeOf(context, 0, 0);
    uint64_t k = SizeOf(context, 0, 1);
    uint64_t n = SizeOf(context, 1, 1);
    constexpr uint64_t leastDepth = 64;  // a shorter slice costs more than it saves
    uint64_t most = CeilOf(k, leastDepth);
    uint64_t parts = CeilOf(m, 128) * static_cast<uint64_t>(CeilOf(n, 256));
    uint64_t slices = parts == 0 ? 1 : CeilOf(VectorCores(context), parts);
    slices = slices < most ? slices : most;
    PartTilingData tiling;
    Products work{m, n, k, slices, ge::DT_FLOAT16, false};
    return SplitParts(context, tiling, work, slices * m * n * sizeof(float));
}
}  // namespace optiling

namespace ops {
class SplitkMatmul : public OpDef {
public:
    explicit SplitkMatmul(const char* name) : OpDef(name) {
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
OP_ADD(SplitkMatmul);
}  // namespace ops
