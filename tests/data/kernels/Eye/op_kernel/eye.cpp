#include "flat_kernel.h"
using namespace AscendC;

// Every core writes one run of the flattened matrices: tiles of zeros, in which the scalar unit sets the
// ones.
template <typename T>
class KernelEye {
public:
    __aicore__ inline void Run(GM_ADDR y, const EyeTilingData& tiling) {
        TPipe pipe;
        rows = tiling.rows;
        columns = tiling.columns;
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
        pipe.InitBuffer(queue, BUFFER_NUM, tiling.tileLength * sizeof(T));
        CoreRun run = RunOfCore(tiling);
        for (uint32_t done = 0; done < run.length; done += tiling.tileLength) {
            uint32_t count = run.length - done < tiling.tileLength ? run.length - done : tiling.tileLength;
            LocalTensor<T> tile = queue.template AllocTensor<T>();
            Duplicate(tile, static_cast<T>(0), static_cast<int32_t>(count));
            SetOnes(tile, run.start + done, count);
            queue.EnQue(tile);
            LocalTensor<T> ready = queue.template DeQue<T>();
            DataCopyPad(yGm[run.start + done], ready,
                        DataCopyExtParams{1, uint32_t(count * sizeof(T)), 0, 0, 0});
            queue.FreeTensor(ready);
        }
    }

private:
    // Element (i, i) of matrix b is element b * rows * columns + i * (columns + 1) of all.
    __aicore__ inline void SetOnes(LocalTensor<T>& tile, uint32_t first, uint32_t count) {
        uint32_t longest = rows < columns ? rows : columns;
        uint32_t size = rows * columns;
        for (uint32_t matrix = first / size; matrix * size < first + count; ++matrix) {
            uint32_t begin = matrix * size;
            uint32_t from = first > begin ? (first - begin + columns) / (columns + 1) : 0;
            for (uint32_t i = from; i < longest && begin + i * (columns + 1) < first + count; ++i) {
                tile.SetValue(begin + i * (columns + 1) - first, static_cast<T>(1));
            }
        }
    }

    TQue<TPosition::VECOUT, BUFFER_NUM> queue;
    GlobalTensor<T> yGm;
    uint32_t rows;
    uint32_t columns;
};

extern "C" __global__ __aicore__ void eye(GM_ADDR y, GM_ADDR y_out, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    KernelEye<DTYPE_Y> op;
    op.Run(y_out, tilingData);
}
