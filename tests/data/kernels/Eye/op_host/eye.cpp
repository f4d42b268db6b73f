#include "eye_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint32_t width = WidthOf(context->GetInputDesc(0)->GetDataType());
    const int64_t* rows = context->GetAttrs()->GetInt(0);
    const int64_t* columns = context->GetAttrs()->GetInt(1);
    EyeTilingData tiling;
    tiling.set_rows(static_cast<uint32_t>(*rows));
    tiling.set_columns(static_cast<uint32_t>(*columns == 0 ? *rows : *columns));
    return SplitFlat(context, tiling, ElementsOf(context->GetInputShape(0)), width, LONGEST_TILE);
}
}  // namespace optiling

namespace ops {
class Eye : public OpDef {
public:
    explicit Eye(const char* name) : OpDef(name) {
        this->Input("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("num_rows").AttrType(REQUIRED).Int();
        this->Attr("num_columns").AttrType(OPTIONAL).Int(0);
        this->Attr("batch_shape").AttrType(OPTIONAL).ListInt({});
        this->Attr("dtype").AttrType(OPTIONAL).Int(0);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(Eye);
}  // namespace ops
