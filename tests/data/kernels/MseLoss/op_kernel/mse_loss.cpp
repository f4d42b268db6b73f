#include "core_sum.h"
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

template <typename T>
class KernelMseLoss {
public:
    __aicore__ inline void Init(const MseLossTilingData& tiling, GM_ADDR workspace, GM_ADDR y, TPipe* pipe) {
        set = tiling;
        terms.Init(pipe, set.tileLength);
        reduce.Init(pipe, set.tileLength);
        total.Init(pipe, workspace, y);
    }
    __aicore__ inline void SetTerms(GM_ADDR predict, GM_ADDR label) {
        terms.Set(0, predict);
        terms.Set(1, label);
    }
    __aicore__ inline void Run() {
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
        if (total.Collect(sum)) {
            total.Write(sum * set.factor);
        }
    }

private:
    TileLoader<T, 2> terms;
    TileReduce reduce;
    CoreSum<T> total;
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
    op.Init(tilingData, workspace, y, &pipe);
    op.SetTerms(predict, label);
    op.Run();
}
