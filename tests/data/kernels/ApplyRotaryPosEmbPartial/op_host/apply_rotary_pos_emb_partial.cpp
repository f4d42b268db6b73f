#include <cstring>

#include "apply_rotary_pos_emb_partial_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t LARGEST_TILE = 4096;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& query = context->GetInputShape(0)->GetStorageShape();
    const gert::Shape& key = context->GetInputShape(1)->GetStorageShape();
    const int64_t* slice = context->GetAttrs()->GetListInt(0)->GetData();
    uint32_t width = static_cast<uint32_t>(slice[1] - slice[0]);
    uint32_t padded =
        RoundUp(width == 0 ? 1 : width, BLOCK_BYTES / WidthOf(context->GetInputDesc(0)->GetDataType()));
    if (padded > LARGEST_TILE) {
        return ge::GRAPH_FAILED;
    }
    ApplyRotaryPosEmbPartialTilingData tiling;
    tiling.set_queryHeads(static_cast<uint32_t>(query.GetDim(2)));
    tiling.set_keyHeads(static_cast<uint32_t>(key.GetDim(2)));
    tiling.set_headWidth(static_cast<uint32_t>(query.GetDim(3)));
    tiling.set_begin(static_cast<uint32_t>(slice[0]));
    tiling.set_width(width);
    tiling.set_interleaved(std::strcmp(context->GetAttrs()->GetStr(1), "interleave") == 0);
    tiling.set_tileHeads(LARGEST_TILE / padded);
    return SplitRows(context, tiling, query.GetDim(0) * query.GetDim(1));
}
}  // namespace optiling

namespace ops {
class ApplyRotaryPosEmbPartial : public OpDef {
public:
    explicit ApplyRotaryPosEmbPartial(const char* name) : OpDef(name) {
        this->Input("query")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("key")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("cos")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("sin")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("query")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("key")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("partial_slice").AttrType(REQUIRED).ListInt();
        this->Attr("rotary_mode").AttrType(OPTIONAL).String("half");
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(ApplyRotaryPosEmbPartial);
}  // namespace ops
