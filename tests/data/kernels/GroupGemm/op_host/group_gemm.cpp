#include "group_gemm_tiling.h"
#include "part_host.h"

namespace optiling {
// The entries of an integer list; returns the largest.
static uint64_t Fill(const gert::TypedContinuousVector<int64_t>* list, uint32_t* sizes) {
    uint64_t largest = 0;
    for (size_t group = 0; group < list->GetSize(); ++group) {
        sizes[group] = static_cast<uint32_t>(list->GetData()[group]);
        largest = sizes[group] > largest ? sizes[group] : largest;
    }
    return largest;
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::RuntimeAttrs* attributes = context->GetAttrs();
    uint64_t groups = attributes->GetListInt(0)->GetSize();
    if (groups > MOST_GROUPS) {
        return ge::GRAPH_FAILED;
    }
    uint32_t rows[MOST_GROUPS] = {}, depths[MOST_GROUPS] = {}, columns[MOST_GROUPS] = {};
    uint64_t m = Fill(attributes->GetListInt(0), rows);
    uint64_t k = Fill(attributes->GetListInt(1), depths);
    uint64_t n = Fill(attributes->GetListInt(2), columns);
    GroupGemmTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_depths(depths);
    tiling.set_columns(columns);
    return SplitParts(context, tiling, Products{m, n, k, groups, ge::DT_FLOAT16, false});
}
}  // namespace optiling

namespace ops {
class GroupGemm : public OpDef {
public:
    explicit GroupGemm(const char* name) : OpDef(name) {
        this->Input("a")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("b")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("c")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("alpha")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("beta")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("c").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Attr("mList").AttrType(REQUIRED).ListInt();
        this->Attr("kList").AttrType(REQUIRED).ListInt();
        this->Attr("nList").AttrType(REQUIRED).ListInt();
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(GroupGemm);
}  // namespace ops
