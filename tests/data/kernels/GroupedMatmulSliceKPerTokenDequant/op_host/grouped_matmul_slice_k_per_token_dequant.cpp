#include "grouped_matmul_slice_k_per_token_dequant_tiling.h"
#include "part_host.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    Products work{SizeOf(context, 0, 0),
                  SizeOf(context, 1, 1),
                  SizeOf(context, 0, 1),
                  SizeOf(context, 4, 0),
                  context->GetInputDesc(0)->GetDataType(),
                  true};
    PartTilingData tiling;
    return SplitParts(context, tiling, work);
}
}  // namespace optiling

namespace ops {
class GroupedMatmulSliceKPerTokenDequant : public OpDef {
public:
    explicit GroupedMatmulSliceKPerTokenDequant(const char* name) : OpDef(name) {
        this->Input("a").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Input("b").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Input("scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("per_token_scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BF16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("groupList")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("c").ParamType(REQUIRED).DataType({ge::DT_BF16}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(GroupedMatmulSliceKPerTokenDequant);
}  // namespace ops
