#include "kernel_operator.h"
using namespace AscendC;

class DotProduct {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, const Data& data) {
        const uint32_t core = GetBlockIdx();
        begin = (core * data.lines + (core < data.more ? core : data.more)) * 128;
        end = begin + (data.lines + (core < data.more ? 1 : 0)) * 128;
        end = end < data.total ? end : data.total;
        tile = data.tile;
        left.SetGlobalBuffer((__gm__ float*)x, data.total);
        right.SetGlobalBuffer((__gm__ float*)y, data.total);
        to.SetGlobalBuffer((__gm__ float*)z, 1);
        parts.SetGlobalBuffer((__gm__ float*)GetUserWorkspace(workspace), 64 * 8);
        pipe.InitBuffer(arriving, 2, 2 * tile * sizeof(float));
        pipe.InitBuffer(leaving, 1, 32);
        pipe.InitBuffer(gathered, 1, 64 * 32);
        pipe.InitBuffer(running, tile * sizeof(float));
        pipe.InitBuffer(scratch, 2048);
    }
    __aicore__ inline void Process() {
        LocalTensor<float> sum = running.Get<float>(), work = scratch.Get<float>();
        Duplicate(sum, 0.0f, tile);
        for (uint32_t at = begin; at < end; at += tile) {
            const uint32_t count = end - at < tile ? end - at : tile;
            LocalTensor<float> pair = arriving.AllocTensor<float>();
            const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
            const DataCopyPadExtParams<float> none{false, 0, 0, 0.0f};
            DataCopyPad(pair, left[at], bytes, none);
            DataCopyPad(pair[tile], right[at], bytes, none);
            arriving.EnQue(pair);
            pair = arriving.DeQue<float>();
            MulAddDst(sum, pair, pair[tile], count);  // one pass; the tile is summed once, after the loop
            arriving.FreeTensor(pair);
        }
        LocalTensor<float> part = leaving.AllocTensor<float>();
        ReduceSum(part, sum, work, tile);
        leaving.EnQue(part);
        part = leaving.DeQue<float>();
        DataCopyPad(parts[GetBlockIdx() * 8], part, DataCopyExtParams{1, sizeof(float), 0, 0, 0});
        leaving.FreeTensor(part);
        SyncAll();
        if (GetBlockIdx() == 0) {
            Finish(work);
        }
    }

private:
    // The parts of all cores, each on a block of its own, become neighbours and then one number.
    __aicore__ inline void Finish(LocalTensor<float> work) {
        const int32_t cores = static_cast<int32_t>(GetBlockNum());
        LocalTensor<float> all = gathered.AllocTensor<float>();
        DataCopyPad(all, parts, DataCopyExtParams{static_cast<uint16_t>(cores), sizeof(float), 28, 0, 0},
                    DataCopyPadExtParams<float>{true, 0, 7, 0.0f});
        gathered.EnQue(all);
        all = gathered.DeQue<float>();
        LocalTensor<float> result = leaving.AllocTensor<float>();
        ReduceSum(result, all, work, cores * 8);
        leaving.EnQue(result);
        gathered.FreeTensor(all);
        result = leaving.DeQue<float>();
        DataCopyPad(to, result, DataCopyExtParams{1, sizeof(float), 0, 0, 0});
        leaving.FreeTensor(result);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> arriving;
    TQue<TPosition::VECIN, 1> gathered;
    TQue<TPosition::VECOUT, 1> leaving;
    TBuf<TPosition::VECCALC> running, scratch;
    GlobalTensor<float> left, right, to, parts;
    uint32_t begin, end, tile;
};

extern "C" __global__ __aicore__ void dot_product(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);  // SyncAll on vector cores alone
    GET_TILING_DATA(data, tiling);
    DotProduct op;
    op.Init(x, y, z, workspace, data);
    op.Process();
}
