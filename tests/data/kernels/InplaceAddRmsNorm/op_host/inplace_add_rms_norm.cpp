#include "inplace_add_rms_norm_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t width = LastLength(context->GetInputShape(0));
    uint32_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint32_t tile = RowTileLength(context, width, MapBytes(3, 2, 1, bytes));
    if (tile == 0) {
        return ge::GRAPH_FAILED;
    }
    InplaceAddRmsNormTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_tileLength(tile);
    tiling.set_epsilon(*context->GetAttrs()->GetFloat(0));
    return SplitRows(context, tiling, width == 0 ? 0 : ElementsOf(context->GetInputShape(0)) / width);
}
}  // namespace optiling

namespace ops {
class InplaceAddRmsNorm : public OpDef {
public:
    explicit InplaceAddRmsNorm(const char* name) : OpDef(name) {
        this->Input("x1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("x2")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("gamma")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("x1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("rstd")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("x2")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-06f);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(InplaceAddRmsNorm);
}  // namespace ops
