#include "tile_stream.h"
using namespace AscendC;

// Row by row of the output: either a copy of a run of the input, or one element of it repeated. Rows that
// show the same input follow each other when an outer dimension is repeated; what lies in UB is then written
// again.
class KernelExpand {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const ExpandV2TilingData& tiling, TPipe* pipe) {
        set = tiling;
        xGm.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(x));
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(y));
        pipe->InitBuffer(copyQueue, 1, set.tileLength * sizeof(int64_t));
        pipe->InitBuffer(fillQueue, 1, set.tileLength * sizeof(int64_t));
    }
    __aicore__ inline void Run() {
        uint32_t first = GetBlockIdx() * set.coreRows;
        uint32_t end = first + set.coreRows < set.rows ? first + set.coreRows : set.rows;
        uint32_t row = first;
        while (row < end) {
            uint64_t source = SourceOf(row);
            uint32_t same = 1;
            while (row + same < end && SourceOf(row + same) == source) {
                ++same;
            }
            if (set.runStep == 0) {
                Repeat(row, same, source);
            } else {
                CopyRun(row, same, source);
            }
            row += same;
        }
    }

private:
    __aicore__ inline uint64_t SourceOf(uint32_t row) const {
        uint64_t source = 0;
        for (uint32_t level = 0; level < set.levels; ++level) {
            source += static_cast<uint64_t>(row % set.sizes[level]) * set.steps[level];
            row /= set.sizes[level];
        }
        return source;
    }
    __aicore__ inline void CopyRun(uint32_t row, uint32_t rows, uint64_t source) {
        for (uint32_t done = 0; done < set.runLength; done += set.tileLength) {
            uint32_t left = set.runLength - done;
            uint32_t count = left < set.tileLength ? left : set.tileLength;
            DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(int64_t)), 0, 0, 0};
            LocalTensor<int64_t> fresh = copyQueue.AllocTensor<int64_t>();
            DataCopyPad(fresh, xGm[source + done], params, DataCopyPadExtParams<int64_t>{false, 0, 0, 0});
            copyQueue.EnQue(fresh);
            LocalTensor<int64_t> ready = copyQueue.DeQue<int64_t>();
            for (uint32_t i = 0; i < rows; ++i) {
                DataCopyPad(yGm[static_cast<uint64_t>(row + i) * set.runLength + done], ready, params);
            }
            copyQueue.FreeTensor(ready);
        }
    }
    // `rows` rows of one element are one long run of it. Low words go to even lanes, high words to odd ones.
    __aicore__ inline void Repeat(uint32_t row, uint32_t rows, uint64_t source) {
        int64_t value = xGm.GetValue(source);
        uint64_t length = static_cast<uint64_t>(rows) * set.runLength;
        uint32_t most = length < set.tileLength ? static_cast<uint32_t>(length) : set.tileLength;
        uint8_t repeats = static_cast<uint8_t>((most * 2 + 63) / 64);
        uint64_t even[2] = {0x5555555555555555ull, 0};
        uint64_t odd[2] = {0xaaaaaaaaaaaaaaaaull, 0};
        LocalTensor<int32_t> words = fillQueue.AllocTensor<int32_t>();
        Duplicate(words, static_cast<int32_t>(value), even, repeats, 1, 8);
        Duplicate(words, static_cast<int32_t>(value >> 32), odd, repeats, 1, 8);
        fillQueue.EnQue(words);
        LocalTensor<int64_t> ready = fillQueue.DeQue<int64_t>();
        for (uint64_t done = 0; done < length; done += most) {
            uint32_t count = length - done < most ? static_cast<uint32_t>(length - done) : most;
            DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(int64_t)), 0, 0, 0};
            DataCopyPad(yGm[static_cast<uint64_t>(row) * set.runLength + done], ready, params);
        }
        fillQueue.FreeTensor(ready);
    }

    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> copyQueue;
    TQue<TPosition::VECOUT, 1> fillQueue;
    GlobalTensor<int64_t> xGm;
    GlobalTensor<int64_t> yGm;
    ExpandV2TilingData set;
};

extern "C" __global__ __aicore__ void expand_v2(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelExpand op;
    op.Init(x, y, tilingData, &pipe);
    op.Run();
}
