#include "fill_tiling.h"
#include "host_common.h"

namespace optiling {
// Lengths are in bytes: the kernel repeats a pattern of 8 bytes, which every width divides.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t width = WidthOf(context->GetInputDesc(1)->GetDataType());
    FillTilingData tiling;
    return SplitFlat(context, tiling, ElementsOf(context->GetOutputShape(0)) * width, 1, 32768);
}
}  // namespace optiling

namespace ops {
class Fill : public OpDef {
public:
    explicit Fill(const char* name) : OpDef(name) {
        this->Input("dims")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                       ge::DT_INT64})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("value")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_INT8, ge::DT_INT64, ge::DT_BF16,
                       ge::DT_BOOL})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_INT8, ge::DT_INT64, ge::DT_BF16,
                       ge::DT_BOOL})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(Fill);
}  // namespace ops
