#include "strided_slice_assign_v2_tiling.h"
#include "host_common.h"

namespace optiling {
constexpr uint32_t TILE_BYTES = 32768;
constexpr int64_t MOST_DIMENSIONS = 8;

static int64_t Limited(int64_t place, int64_t length) {
    place = place < 0 ? place + length : place;
    return place < 0 ? 0 : place > length ? length : place;
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    int64_t rank = static_cast<int64_t>(shape.GetDimNum());
    if (rank == 0 || rank > MOST_DIMENSIONS) {
        return ge::GRAPH_FAILED;
    }
    int64_t begin[MOST_DIMENSIONS] = {};
    int64_t stride[MOST_DIMENSIONS];
    int64_t lengths[MOST_DIMENSIONS] = {};
    for (int64_t i = 0; i < rank; ++i) {
        stride[i] = 1;
        lengths[i] = shape.GetDim(i);
    }
    const gert::Tensor* axes = context->GetOptionalInputTensor(5);
    int64_t named = context->GetInputShape(2)->GetStorageShape().GetShapeSize();
    for (int64_t i = 0; i < named; ++i) {
        int64_t axis = axes == nullptr ? i : axes->GetData<int64_t>()[i];
        axis = axis < 0 ? axis + rank : axis;
        int64_t length = shape.GetDim(axis);
        begin[axis] = Limited(context->GetInputTensor(2)->GetData<int64_t>()[i], length);
        int64_t end = Limited(context->GetInputTensor(3)->GetData<int64_t>()[i], length);
        stride[axis] = context->GetInputTensor(4)->GetData<int64_t>()[i];
        lengths[axis] = end > begin[axis] ? (end - begin[axis] + stride[axis] - 1) / stride[axis] : 0;
    }
    // A slice of the trailing dimensions that are written without gaps is moved at once.
    int64_t bytes = WidthOf(context->GetInputDesc(0)->GetDataType());
    int64_t pitches[MOST_DIMENSIONS] = {};
    int64_t pitch = bytes;
    int64_t offset = 0;
    for (int64_t i = rank - 1; i >= 0; --i) {
        pitches[i] = pitch * stride[i];
        offset += begin[i] * pitch;
        pitch *= shape.GetDim(i);
    }
    int64_t kept = rank;
    int64_t slice = bytes;
    bool whole = true;
    while (kept > 0 && whole && stride[kept - 1] == 1) {
        slice *= lengths[--kept];
        whole = lengths[kept] == shape.GetDim(kept);
    }
    uint64_t rows = slice == 0 ? 0 : 1;
    for (int64_t i = 0; i < kept; ++i) {
        rows *= static_cast<uint64_t>(lengths[i]);
    }
    StridedSliceAssignV2TilingData tiling;
    tiling.set_rank(static_cast<uint32_t>(kept));
    tiling.set_lengths(lengths);
    tiling.set_pitches(pitches);
    tiling.set_offset(offset);
    tiling.set_sliceBytes(static_cast<uint32_t>(slice));
    tiling.set_tileBytes(TILE_BYTES);
    return SplitRows(context, tiling, rows);
}
}  // namespace optiling

namespace ops {
class StridedSliceAssignV2 : public OpDef {
public:
    explicit StridedSliceAssignV2(const char* name) : OpDef(name) {
        this->Input("var")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16, ge::DT_INT32, ge::DT_INT64, ge::DT_INT8})
            .Format(
                {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("input_value")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16, ge::DT_INT32, ge::DT_INT64, ge::DT_INT8})
            .Format(
                {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .AutoContiguous();
        this->Input("begin")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64})
            .Format(
                {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .ValueDepend(REQUIRED)
            .AutoContiguous();
        this->Input("end")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64})
            .Format(
                {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .ValueDepend(REQUIRED)
            .AutoContiguous();
        this->Input("strides")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64})
            .Format(
                {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .ValueDepend(REQUIRED)
            .AutoContiguous();
        this->Input("axes")
            .ParamType(OPTIONAL)
            .DataType({ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64, ge::DT_INT64})
            .Format(
                {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .ValueDepend(OPTIONAL)
            .AutoContiguous();
        this->Output("var")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16, ge::DT_INT32, ge::DT_INT64, ge::DT_INT8})
            .Format(
                {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    }
};
OP_ADD(StridedSliceAssignV2);
}  // namespace ops
