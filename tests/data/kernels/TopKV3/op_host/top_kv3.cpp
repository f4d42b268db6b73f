#include "top_kv3_tiling.h"
#include "host_common.h"

namespace optiling {
// How many elements are wanted is the length of the output along the dimension: the tensor k is not known
// here.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
    const int64_t count = static_cast<int64_t>(x.GetDimNum());
    const int64_t given = *context->GetAttrs()->GetInt(1);
    const int64_t dim = given < 0 ? given + count : given;
    uint64_t step = 1;
    for (int64_t inner = dim + 1; inner < count; ++inner) {
        step *= static_cast<uint64_t>(x.GetDim(inner));
    }
    const uint64_t length = static_cast<uint64_t>(x.GetDim(dim));
    const uint64_t wanted = static_cast<uint64_t>(context->GetOutputShape(0)->GetStorageShape().GetDim(dim));
    constexpr uint64_t most = 3072;  // numbers kept in UB while the others come by
    if (wanted > most) {
        return ge::GRAPH_FAILED;
    }
    TopKTilingData tiling;
    tiling.set_length(static_cast<uint32_t>(length));
    tiling.set_step(static_cast<uint32_t>(step));
    tiling.set_wanted(static_cast<uint32_t>(wanted));
    tiling.set_largest(*context->GetAttrs()->GetBool(2));
    return SplitRows(context, tiling, length == 0 ? 0 : static_cast<uint64_t>(x.GetShapeSize()) / length);
}
}  // namespace optiling

namespace ops {
class TopKV3 : public OpDef {
public:
    explicit TopKV3(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("k")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("values").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Output("indices").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
        this->Attr("sorted").AttrType(OPTIONAL).Bool(true);
        this->Attr("dim").AttrType(OPTIONAL).Int(-1);
        this->Attr("largest").AttrType(OPTIONAL).Bool(true);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(TopKV3);
}  // namespace ops
