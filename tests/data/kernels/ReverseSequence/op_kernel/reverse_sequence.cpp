#include "slice_mover.h"
using namespace AscendC;

// Where slice i of y lies in x: in the first part of its sequence, mirrored, else in the same place.
template <typename Length>
class MirroredSlice {
public:
    __aicore__ inline MirroredSlice(GM_ADDR lengths, const ReverseSequenceTilingData& tiling) : set(tiling) {
        lengthGm.SetGlobalBuffer(reinterpret_cast<__gm__ Length*>(lengths));
        after = set.sequenceFirst != 0 ? set.middle * set.batches : 1;
    }
    __aicore__ inline uint64_t Of(uint32_t slice) {
        uint32_t place = slice / after % set.sequence;
        uint32_t below = set.sequenceFirst != 0 ? 1 : set.middle * set.sequence;
        uint32_t batch = slice / below % set.batches;
        uint32_t length = static_cast<uint32_t>(lengthGm.GetValue(batch));
        uint32_t from = place < length ? length - 1 - place : place;
        return (static_cast<uint64_t>(slice) - place * after + from * after) * set.sliceBytes;
    }

private:
    GlobalTensor<Length> lengthGm;
    ReverseSequenceTilingData set;
    uint32_t after;  // slices from one place of a sequence to the next
};

extern "C" __global__ __aicore__ void reverse_sequence(GM_ADDR x, GM_ADDR seq_lengths, GM_ADDR y,
                                                       GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    SliceMover mover;
    mover.Init(&pipe, x, y, tilingData.sliceBytes, tilingData.tileBytes);
    MirroredSlice<DTYPE_SEQ_LENGTHS> place(seq_lengths, tilingData);
    RowRun run = RowsOfCore(tilingData);
    mover.Gather(run.first, run.end, place);
}
