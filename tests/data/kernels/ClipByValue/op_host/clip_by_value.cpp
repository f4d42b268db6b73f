#include "clip_by_value_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint32_t width = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint64_t total = ElementsOf(context->GetInputShape(0));
    ClipByValueTilingData tiling;
    tiling.set_lowIsTensor(ElementsOf(context->GetInputShape(1)) == total);
    tiling.set_highIsTensor(ElementsOf(context->GetInputShape(2)) == total);
    return SplitFlat(context, tiling, total, width, TileLength(context, MapBytes(3, 1, 0, width)));
}
}  // namespace optiling

namespace ops {
class ClipByValue : public OpDef {
public:
    explicit ClipByValue(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("clip_value_min")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("clip_value_max")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(ClipByValue);
}  // namespace ops
