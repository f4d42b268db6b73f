#include "flat_kernel.h"
#include "tile_reduce.h"
using namespace AscendC;

struct SquaredDifference {
    static constexpr int32_t SCRATCH = 0;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        Sub(tile.y[0], tile.x[0], tile.x[1], count);
        Mul(tile.y[0], tile.y[0], tile.y[0], count);
    }
};

// Every core leaves the sum of its run in the workspace; the first core adds them up, always in the same order.
template <typename T>
class KernelMseLoss {
public:
    __aicore__ inline void Init(const MseLossTilingData& tiling, GM_ADDR workspace, TPipe* pipe) {
        set = tiling;
        terms.Init(pipe, set.tileLength);
        reduce.Init(pipe, set.tileLength);
        pipe->InitBuffer(partialQueue, 1, LANES * sizeof(float));
        pipe->InitBuffer(allQueue, 1, GetBlockNum() * LANES * sizeof(float));
        pipe->InitBuffer(resultQueue, 1, LANES * sizeof(float));
        partialGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(GetUserWorkspace(workspace)), GetBlockNum() * LANES);
    }
    __aicore__ inline void SetTensors(GM_ADDR predict, GM_ADDR label, GM_ADDR y) {
        terms.Set(0, predict);
        terms.Set(1, label);
        resultGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
    }
    __aicore__ inline void Run() {
        LocalTensor<float> partial = partialQueue.AllocTensor<float>();
        Duplicate(partial, SumOfRun(), LANES);
        partialQueue.EnQue(partial);
        partial = partialQueue.DeQue<float>();
        DataCopy(partialGm[GetBlockIdx() * LANES], partial, LANES);
        partialQueue.FreeTensor(partial);
        SyncAll();  // no core may read the sums before the last one is written
        if (GetBlockIdx() == 0) {
            AddUp();
        }
    }

private:
    static constexpr int32_t LANES = 8;

    __aicore__ inline float SumOfRun() {
        CoreRun run = RunOfCore(set);
        float sum = 0.0f;
        for (uint32_t done = 0; done < run.length; done += set.tileLength) {
            uint32_t left = run.length - done;
            int32_t count = static_cast<int32_t>(left < set.tileLength ? left : set.tileLength);
            terms.Load(run.start + done, count);
            LocalTensor<float> difference = terms.Tile(0);
            Sub(difference, difference, terms.Tile(1), count);
            Mul(difference, difference, difference, count);
            sum += reduce.Sum(difference, count);
            terms.Release();
        }
        return sum;
    }
    __aicore__ inline void AddUp() {
        LocalTensor<float> all = allQueue.AllocTensor<float>();
        DataCopy(all, partialGm, GetBlockNum() * LANES);
        allQueue.EnQue(all);
        all = allQueue.DeQue<float>();
        float sum = 0.0f;
        for (int32_t core = 0; core < GetBlockNum(); ++core) {
            sum += all.GetValue(core * LANES);
        }
        allQueue.FreeTensor(all);
        LocalTensor<float> wide = resultQueue.AllocTensor<float>();
        Duplicate(wide, sum * set.factor, LANES);
        if constexpr (!IsSameType<T, float>::value) {
            Cast(wide.template ReinterpretCast<T>(), wide, RoundMode::CAST_RINT, LANES);
        }
        resultQueue.EnQue(wide);
        LocalTensor<float> ready = resultQueue.DeQue<float>();
        DataCopyPad(resultGm, ready.template ReinterpretCast<T>(), DataCopyExtParams{1, sizeof(T), 0, 0, 0});
        resultQueue.FreeTensor(ready);
    }

    TileLoader<T, 2> terms;
    TileReduce reduce;
    TQue<TPosition::VECOUT, 1> partialQueue;
    TQue<TPosition::VECIN, 1> allQueue;
    TQue<TPosition::VECOUT, 1> resultQueue;
    GlobalTensor<float> partialGm;
    GlobalTensor<T> resultGm;
    MseLossTilingData set;
};

extern "C" __global__ __aicore__ void mse_loss(GM_ADDR predict, GM_ADDR label, GM_ADDR y, GM_ADDR workspace,
                                               GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);  // SyncAll needs it where only vector cores run
    if (tilingData.reduces == 0) {
        RunFlat<DTYPE_PREDICT, 2>({predict, label}, y, tilingData, SquaredDifference());
        return;
    }
    TPipe pipe;
    KernelMseLoss<DTYPE_PREDICT> op;
    op.Init(tilingData, workspace, &pipe);
    op.SetTensors(predict, label, y);
    op.Run();
}
