#include "batched_matmul_tiling.h"
#include "part_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    Products work{SizeOf(context, 0, 1), SizeOf(context, 1, 2), SizeOf(context, 0, 2),
                  SizeOf(context, 0, 0), ge::DT_FLOAT16,        false};
    PartTilingData tiling;
    return SplitParts(context, tiling, work);
}
}  // namespace optiling

namespace ops {
class BatchedMatmul : public OpDef {
public:
    explicit BatchedMatmul(const char* name) : OpDef(name) {
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
OP_ADD(BatchedMatmul);
}  // namespace ops
