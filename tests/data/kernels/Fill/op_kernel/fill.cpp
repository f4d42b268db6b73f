#include "flat_kernel.h"
using namespace AscendC;

// The value as the bits of 8 bytes.
template <typename T>
__aicore__ inline uint64_t PatternOf(GM_ADDR value) {
    GlobalTensor<uint8_t> bytes;
    bytes.SetGlobalBuffer(value, sizeof(T));
    uint64_t pattern = 0;
    for (uint32_t i = 0; i < sizeof(uint64_t); ++i) {
        pattern |= static_cast<uint64_t>(bytes.GetValue(i % sizeof(T))) << (8 * i);
    }
    return pattern;
}

// Fills one tile with the pattern and writes it over the core's run of bytes.
class KernelFill {
public:
    __aicore__ inline void Run(GM_ADDR y, uint64_t pattern, const FillTilingData& tiling) {
        TPipe pipe;
        CoreRun run = RunOfCore(tiling);
        GlobalTensor<uint8_t> target;
        target.SetGlobalBuffer(y);
        pipe.InitBuffer(queue, 1, tiling.tileLength);
        LocalTensor<int32_t> fresh = queue.AllocTensor<int32_t>();
        Repeat(fresh, pattern, tiling.tileLength / 256);
        queue.EnQue(fresh);
        LocalTensor<uint8_t> tile = queue.DeQue<uint8_t>();
        for (uint32_t done = 0; done < run.length; done += tiling.tileLength) {
            uint32_t count = run.length - done < tiling.tileLength ? run.length - done : tiling.tileLength;
            DataCopyPad(target[run.start + done], tile, DataCopyExtParams{1, count, 0, 0, 0});
        }
        queue.FreeTensor(tile);
    }

private:
    // Low words go to the even lanes, high words to the odd ones.
    __aicore__ inline void Repeat(LocalTensor<int32_t>& tile, uint64_t pattern, uint32_t repeats) {
        uint64_t even[2] = {0x5555555555555555ull, 0};
        uint64_t odd[2] = {0xaaaaaaaaaaaaaaaaull, 0};
        Duplicate(tile, static_cast<int32_t>(pattern), even, static_cast<uint8_t>(repeats), 1, 8);
        Duplicate(tile, static_cast<int32_t>(pattern >> 32), odd, static_cast<uint8_t>(repeats), 1, 8);
    }

    TQue<TPosition::VECOUT, 1> queue;
};

extern "C" __global__ __aicore__ void fill(GM_ADDR dims, GM_ADDR value, GM_ADDR y, GM_ADDR workspace,
                                           GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    if (tilingData.totalLength == 0) {
        return;
    }
    KernelFill op;
    op.Run(y, PatternOf<DTYPE_VALUE>(value), tilingData);
}
