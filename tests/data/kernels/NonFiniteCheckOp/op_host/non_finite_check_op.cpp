#include "non_finite_check_op_tiling.h"
#include "foreach_host.h"

namespace optiling {
constexpr uint32_t PARTIAL_BYTES = 32;  // of workspace for every core

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    ge::graphStatus status = TileForeach(context, 1, 2);
    context->GetWorkspaceSizes(1)[0] = PARTIAL_BYTES * VectorCores(context);
    return status;
}
}  // namespace optiling

namespace ops {
class NonFiniteCheckOp : public OpDef {
public:
    explicit NonFiniteCheckOp(const char* name) : OpDef(name) {
        this->Input("tensor_list")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("found_flag")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(NonFiniteCheckOp);
}  // namespace ops
