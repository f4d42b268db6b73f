// C = A B of operands whose rows are first copied, 512 bytes apart or a multiple, to workspace. What lies
// between the rows there is never read.
#include "kernel_operator.h"
#include "part_product.h"

using namespace AscendC;
using Parts = PartProduct<half, half>;

// Copies rows of `columns` elements to rows that are `pitch` elements long.
class RowPadder {
public:
    __aicore__ inline void Init(TPipe* pipe) { pipe->InitBuffer(queue, BUFFER_NUM, TILE * sizeof(half)); }
    __aicore__ inline void Run(GM_ADDR from, GM_ADDR to, uint32_t rows, uint32_t columns, uint32_t pitch,
                               uint32_t cores) {
        source.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(from));
        target.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(to));
        for (uint32_t row = GetBlockIdx(); row < rows; row += cores) {
            for (uint32_t done = 0; done < columns; done += TILE) {
                uint32_t count = columns - done < TILE ? columns - done : TILE;
                Copy(static_cast<uint64_t>(row) * columns + done, static_cast<uint64_t>(row) * pitch + done,
                     count);
            }
        }
    }

private:
    static constexpr uint32_t TILE = 8192;

    __aicore__ inline void Copy(uint64_t from, uint64_t to, uint32_t count) {
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(half)), 0, 0, 0};
        DataCopyPadExtParams<half> pad{false, 0, 0, static_cast<half>(0)};
        LocalTensor<half> local = queue.AllocTensor<half>();
        DataCopyPad(local, source[from], params, pad);
        queue.EnQue(local);
        local = queue.DeQue<half>();
        DataCopyPad(target[to], local, params);
        queue.FreeTensor(local);
    }

    TQueBind<TPosition::VECIN, TPosition::VECOUT, BUFFER_NUM> queue;
    GlobalTensor<half> source;
    GlobalTensor<half> target;
};

extern "C" __global__ __aicore__ void padding_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    Parts::Types::Object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    GM_ADDR tiles = GetUserWorkspace(workspace);
    GM_ADDR spare = tiles + static_cast<uint64_t>(data.cores) * data.partM * data.partN * sizeof(float);
    constexpr uint32_t grid = 256;
    const uint32_t pitchA = (data.k + grid - 1) / grid * grid;
    const uint32_t pitchB = (data.n + grid - 1) / grid * grid;
    RowPadder padder;
    padder.Init(&pipe);
    GM_ADDR left = a;
    GM_ADDR right = b;
    if (pitchA != data.k) {
        left = spare;
        spare += static_cast<uint64_t>(data.m) * pitchA * sizeof(half);
        padder.Run(a, left, data.m, data.k, pitchA, data.cores);
    }
    if (pitchB != data.n) {
        right = spare;
        padder.Run(b, right, data.k, data.n, pitchB, data.cores);
    }
    SyncAll();
    Unchanged finish;
    Parts parts;
    parts.Init(&pipe, &mm, data, tiles, c, &finish);
    parts.Run(MatrixProduct{0, data.m, data.n, data.k, left, right, 0, pitchA, pitchB});
    mm.End();
}
