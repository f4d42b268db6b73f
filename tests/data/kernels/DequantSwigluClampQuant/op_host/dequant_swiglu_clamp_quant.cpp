#include "dequant_swiglu_clamp_quant_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t BYTES_PER_ELEMENT = 2 * (2 * 4 + 2 * 4 + 4) + 2 * 4 + 2 * 4 + 4 + 6;  // of UB

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    uint64_t width = LastLength(context->GetInputShape(0)) / 2;
    uint32_t tile = RowTileLength(context, width, BYTES_PER_ELEMENT);
    if (tile == 0) {
        return ge::GRAPH_FAILED;
    }
    const gert::StorageShape* groups = context->GetOptionalInputShape(4);
    const gert::RuntimeAttrs* attributes = context->GetAttrs();
    DequantSwigluClampQuantTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_tileLength(tile);
    tiling.set_groups(groups == nullptr ? 1 : static_cast<uint32_t>(ElementsOf(groups)));
    tiling.set_activateLeft(*attributes->GetBool(0));
    tiling.set_interleaved(*attributes->GetInt(1) == 1);
    tiling.set_limit(*attributes->GetFloat(2));
    tiling.set_alpha(*attributes->GetFloat(3));
    tiling.set_addend(*attributes->GetFloat(4));
    return SplitRows(context, tiling, context->GetInputShape(0)->GetStorageShape().GetDim(0));
}
}  // namespace optiling

namespace ops {
class DequantSwigluClampQuant : public OpDef {
public:
    explicit DequantSwigluClampQuant(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight_scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("activation_scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("quant_scale")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("group_index")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_INT64})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND});
        this->Output("scale").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("activate_left").AttrType(OPTIONAL).Bool(false);
        this->Attr("swiglu_mode").AttrType(OPTIONAL).Int(1);
        this->Attr("clamp_limit").AttrType(OPTIONAL).Float(7.0f);
        this->Attr("glu_alpha").AttrType(OPTIONAL).Float(1.702f);
        this->Attr("glu_bias").AttrType(OPTIONAL).Float(1.0f);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(DequantSwigluClampQuant);
}  // namespace ops
