#include "slice_mover.h"
using namespace AscendC;

// Where slice i of y lies in x. Negative indices count from the back; where they are not allowed there are
// none.
template <typename Index>
class TakenSlice {
public:
    __aicore__ inline TakenSlice(GM_ADDR indices, const GatherV3TilingData& tiling) : set(tiling) {
        indexGm.SetGlobalBuffer(reinterpret_cast<__gm__ Index*>(indices));
    }
    __aicore__ inline uint64_t Of(uint32_t slice) {
        uint32_t block = slice / set.taken;  // number of (batch, outer)
        int64_t index = indexGm.GetValue(block / set.outer * set.taken + slice % set.taken);
        index = index < 0 ? index + set.axisLength : index;
        return (static_cast<uint64_t>(block) * set.axisLength + static_cast<uint64_t>(index)) *
               set.sliceBytes;
    }

private:
    GlobalTensor<Index> indexGm;
    GatherV3TilingData set;
};

extern "C" __global__ __aicore__ void gather_v3(GM_ADDR x, GM_ADDR indices, GM_ADDR axis, GM_ADDR y,
                                                GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    SliceMover mover;
    mover.Init(&pipe, x, y, tilingData.sliceBytes, tilingData.tileBytes);
    TakenSlice<DTYPE_INDICES> place(indices, tilingData);
    RowRun run = RowsOfCore(tilingData);
    mover.Gather(run.first, run.end, place);
}
