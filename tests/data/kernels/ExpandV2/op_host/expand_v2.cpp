#include "expand_v2_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t MOST_LEVELS = 8;
constexpr uint32_t TILE = 4096;  // elements of 8 bytes

// The output as nested loops from the inside out: `size` positions that are `step` input elements apart (0:
// repeated).
struct Loops {
    uint64_t sizes[MOST_LEVELS + 1] = {1};
    uint64_t steps[MOST_LEVELS + 1] = {0};
    uint32_t count = 0;

    // Neighbouring loops of one kind are one loop.
    bool Add(uint64_t size, uint64_t step) {
        if (size == 1) {
            return true;
        }
        bool repeated = count > 0 && step == 0 && steps[count - 1] == 0;
        bool continued = count > 0 && step != 0 && step == steps[count - 1] * sizes[count - 1];
        if (repeated || continued) {
            sizes[count - 1] *= size;
            return true;
        }
        if (count > MOST_LEVELS) {
            return false;
        }
        sizes[count] = size;
        steps[count++] = step;
        return true;
    }
};

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& from = context->GetInputShape(0)->GetStorageShape();
    const gert::Shape& to = context->GetOutputShape(0)->GetStorageShape();
    int64_t offset = static_cast<int64_t>(to.GetDimNum()) - static_cast<int64_t>(from.GetDimNum());
    Loops loops;
    uint64_t step = 1;
    for (int64_t i = static_cast<int64_t>(to.GetDimNum()) - 1; i >= 0; --i) {
        int64_t size = i >= offset ? from.GetDim(i - offset) : 1;
        if (!loops.Add(to.GetDim(i), size == 1 ? 0 : step)) {
            return ge::GRAPH_FAILED;
        }
        step *= size;
    }
    uint32_t sizes[MOST_LEVELS] = {0};
    uint32_t steps[MOST_LEVELS] = {0};
    uint64_t rows = to.GetShapeSize() == 0 ? 0 : 1;
    for (uint32_t i = 1; i < loops.count; ++i) {
        sizes[i - 1] = static_cast<uint32_t>(loops.sizes[i]);
        steps[i - 1] = static_cast<uint32_t>(loops.steps[i]);
        rows *= loops.sizes[i];
    }
    ExpandV2TilingData tiling;
    uint32_t share = CeilOf(rows, VectorCores(context));
    share = share == 0 ? 1 : share;
    tiling.set_rows(static_cast<uint32_t>(rows));
    tiling.set_coreRows(share);
    tiling.set_levels(loops.count > 0 ? loops.count - 1 : 0);
    tiling.set_runLength(static_cast<uint32_t>(loops.sizes[0]));
    tiling.set_runStep(static_cast<uint32_t>(loops.steps[0]));
    tiling.set_tileLength(TILE);
    tiling.set_sizes(sizes);
    tiling.set_steps(steps);
    return Finish(context, tiling, CeilOf(rows, share));
}
}  // namespace optiling

namespace ops {
class ExpandV2 : public OpDef {
public:
    explicit ExpandV2(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64})
            .Format({ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_INT64}).Format({ge::FORMAT_ND});
        this->Attr("shape").AttrType(REQUIRED).ListInt();
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(ExpandV2);
}  // namespace ops
