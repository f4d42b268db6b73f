#include "slice_mover.h"
using namespace AscendC;

// Where slice i of the input belongs in var.
class AssignedSlice {
public:
    __aicore__ inline explicit AssignedSlice(const StridedSliceAssignV2TilingData& tiling) : set(tiling) {}
    __aicore__ inline uint64_t Of(uint32_t slice) {
        int64_t left = slice;
        int64_t place = set.offset;
        for (uint32_t i = set.rank; i > 0; --i) {
            place += left % set.lengths[i - 1] * set.pitches[i - 1];
            left /= set.lengths[i - 1];
        }
        return static_cast<uint64_t>(place);
    }

private:
    StridedSliceAssignV2TilingData set;
};

extern "C" __global__ __aicore__ void strided_slice_assign_v2(GM_ADDR var, GM_ADDR input_value, GM_ADDR begin,
                                                              GM_ADDR end, GM_ADDR strides, GM_ADDR axes,
                                                              GM_ADDR var_out, GM_ADDR workspace,
                                                              GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    SliceMover mover;
    mover.Init(&pipe, input_value, var_out, tilingData.sliceBytes, tilingData.tileBytes);
    AssignedSlice place(tilingData);
    RowRun run = RowsOfCore(tilingData);
    mover.Scatter(run.first, run.end, place);
}
