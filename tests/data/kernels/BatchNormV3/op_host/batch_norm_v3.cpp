#include "batch_norm_v3_tiling.h"
#include "host_common.h"

namespace optiling {
// A row of work is one channel: `batch` runs of `length` elements.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    uint32_t width = WidthOf(context->GetInputDesc(0)->GetDataType());
    uint64_t length = 1;
    for (size_t i = 2; i < shape.GetDimNum(); ++i) {
        length *= shape.GetDim(i);
    }
    uint32_t padded = RoundUp(length == 0 ? 1 : length, BLOCK_BYTES / width);
    uint32_t tile = TileLength(context, MapBytes(1, 1, 3, width), 4 * REPEAT_BYTES);
    BatchNormV3TilingData tiling;
    tiling.set_batch(static_cast<uint32_t>(shape.GetDim(0)));
    tiling.set_length(static_cast<uint32_t>(length));
    tiling.set_tileLength(tile);
    tiling.set_tileRows(padded < tile ? tile / padded : 1);
    tiling.set_epsilon(*context->GetAttrs()->GetFloat(0));
    tiling.set_momentum(*context->GetAttrs()->GetFloat(1));
    tiling.set_training(*context->GetAttrs()->GetBool(2));
    return SplitRows(context, tiling, shape.GetDim(1));
}
}  // namespace optiling

namespace ops {
class BatchNormV3 : public OpDef {
public:
    explicit BatchNormV3(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("weight")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("bias")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("running_mean")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("running_var")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("running_mean")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("running_var")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("save_mean")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("save_rstd")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-05f);
        this->Attr("momentum").AttrType(OPTIONAL).Float(0.1f);
        this->Attr("is_training").AttrType(OPTIONAL).Bool(true);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(BatchNormV3);
}  // namespace ops
