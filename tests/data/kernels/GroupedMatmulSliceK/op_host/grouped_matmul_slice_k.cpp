#include "grouped_matmul_slice_k_tiling.h"
#include "part_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    Products work{SizeOf(context, 0, 0),
                  SizeOf(context, 1, 1),
                  SizeOf(context, 0, 1),
                  SizeOf(context, 2, 0),
                  context->GetInputDesc(0)->GetDataType(),
                  true};
    PartTilingData tiling;
    return SplitParts(context, tiling, work);
}
}  // namespace optiling

namespace ops {
class GroupedMatmulSliceK : public OpDef {
public:
    explicit GroupedMatmulSliceK(const char* name) : OpDef(name) {
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
        this->Input("groupList")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("c").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(GroupedMatmulSliceK);
}  // namespace ops
