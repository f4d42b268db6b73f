#include "less_equal_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t BYTES_PER_ELEMENT = 24;  // of UB: two inputs and the output twice, 32-bit copies, masks

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint32_t width = WidthOf(context->GetInputDesc(0)->GetDataType());
    FlatTilingData tiling;
    return SplitFlat(context, tiling, ElementsOf(context->GetInputShape(0)), width,
                     TileLength(context, BYTES_PER_ELEMENT));
}
}  // namespace optiling

namespace ops {
class LessEqual : public OpDef {
public:
    explicit LessEqual(const char* name) : OpDef(name) {
        this->Input("x1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("x2")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(LessEqual);
}  // namespace ops
