#include "reverse_sequence_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t TILE_BYTES = 32768;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    int64_t rank = static_cast<int64_t>(shape.GetDimNum());
    int64_t sequence = *context->GetAttrs()->GetInt(0);
    int64_t batch = *context->GetAttrs()->GetInt(1);
    sequence = sequence < 0 ? sequence + rank : sequence;
    batch = batch < 0 ? batch + rank : batch;
    if (sequence == batch || sequence >= rank || batch >= rank) {
        return ge::GRAPH_FAILED;
    }
    // x is [outer, one of them, middle, the other, inner].
    int64_t first = sequence < batch ? sequence : batch;
    int64_t second = sequence < batch ? batch : sequence;
    uint64_t slices = 1;
    uint64_t middle = 1;
    uint64_t inner = 1;
    for (int64_t i = 0; i < rank; ++i) {
        uint64_t length = static_cast<uint64_t>(shape.GetDim(i));
        (i <= second ? slices : inner) *= length;
        middle *= i > first && i < second ? length : 1;
    }
    ReverseSequenceTilingData tiling;
    tiling.set_sequence(static_cast<uint32_t>(shape.GetDim(sequence)));
    tiling.set_batches(static_cast<uint32_t>(shape.GetDim(batch)));
    tiling.set_middle(static_cast<uint32_t>(middle));
    tiling.set_sequenceFirst(sequence < batch);
    tiling.set_sliceBytes(static_cast<uint32_t>(inner * WidthOf(context->GetInputDesc(0)->GetDataType())));
    tiling.set_tileBytes(TILE_BYTES);
    return SplitRows(context, tiling, inner == 0 ? 0 : slices);
}
}  // namespace optiling

namespace ops {
class ReverseSequence : public OpDef {
public:
    explicit ReverseSequence(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_UINT8, ge::DT_INT16, ge::DT_INT32,
                       ge::DT_INT64, ge::DT_BOOL, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_UINT8,
                       ge::DT_INT16, ge::DT_INT32, ge::DT_INT64, ge::DT_BOOL})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("seq_lengths")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32, ge::DT_INT32,
                       ge::DT_INT32, ge::DT_INT32, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64,
                       ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_UINT8, ge::DT_INT16, ge::DT_INT32,
                       ge::DT_INT64, ge::DT_BOOL, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_UINT8,
                       ge::DT_INT16, ge::DT_INT32, ge::DT_INT64, ge::DT_BOOL})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                     ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("seq_dim").AttrType(REQUIRED).Int();
        this->Attr("batch_dim").AttrType(OPTIONAL).Int(0);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(ReverseSequence);
}  // namespace ops
