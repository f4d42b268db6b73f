#include "group_norm_swish_tiling.h"
#include "host_common.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    uint64_t groups = static_cast<uint64_t>(*attrs->GetInt(0));
    uint64_t channels = static_cast<uint64_t>(shape.GetDim(1));
    if (groups == 0 || channels % groups != 0) {
        return ge::GRAPH_FAILED;
    }
    uint64_t pixels = 1;
    for (size_t i = 2; i < shape.GetDimNum(); ++i) {
        pixels *= static_cast<uint64_t>(shape.GetDim(i));
    }
    uint32_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    GroupNormSwishTilingData tiling;
    tiling.set_width(static_cast<uint32_t>(channels / groups * pixels));
    tiling.set_groups(static_cast<uint32_t>(groups));
    tiling.set_channels(static_cast<uint32_t>(channels / groups));
    tiling.set_pixels(static_cast<uint32_t>(pixels));
    tiling.set_epsilon(*attrs->GetFloat(2));
    tiling.set_activates(*attrs->GetBool(3));
    tiling.set_slope(*attrs->GetFloat(4));
    tiling.set_tileLength(TileLength(context, MapBytes(1, 1, 2, bytes), 16 * REPEAT_BYTES));
    return SplitRows(context, tiling, static_cast<uint64_t>(shape.GetDim(0)) * groups);
}
}  // namespace optiling

namespace ops {
class GroupNormSwish : public OpDef {
public:
    explicit GroupNormSwish(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("gamma")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("beta")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("mean")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("rstd")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("num_groups").AttrType(REQUIRED).Int();
        this->Attr("data_format").AttrType(OPTIONAL).String("NCHW");
        this->Attr("eps").AttrType(OPTIONAL).Float(1e-05f);
        this->Attr("activate_swish").AttrType(OPTIONAL).Bool(true);
        this->Attr("swish_scale").AttrType(OPTIONAL).Float(1.0f);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(GroupNormSwish);
}  // namespace ops
