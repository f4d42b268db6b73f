#include "row_buffer.h"
using namespace AscendC;

constexpr uint32_t TARGET_TILE = 256;

template <typename T>
class KernelCrossEntropyGrad {
public:
    __aicore__ inline void Init(const CrossEntropyLossGradTilingData& tiling, TPipe* pipe) {
        set = tiling;
        input.Init(pipe, set.tileLength);
        weights.Init(pipe, set.tileLength);
        targets.Init(pipe, TARGET_TILE);
        result.Init(pipe, set.tileLength);
        pipe->InitBuffer(partBuffer, (set.tileLength / 64 * sizeof(float) + 255) / 256 * 256);
        pipe->InitBuffer(sumBuffer, 256);
    }
    __aicore__ inline void SetInputs(GM_ADDR grad, GM_ADDR logs, GM_ADDR target, GM_ADDR weight) {
        gradGm = grad;
        weightGm = weight;
        input.Set(0, logs);
        weights.Set(0, weight);
        targets.Set(0, target);
        targetGm.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(target));
    }
    __aicore__ inline void SetZloss(GM_ADDR grad, GM_ADDR lse) {
        lseGm = lse;
        float rows = static_cast<float>(static_cast<int32_t>(set.rows));
        zlossFactor = set.zloss != 0 ? ScalarOf<float, T>(grad) * set.zlossScale * 2.0f / rows : 0.0f;
    }
    __aicore__ inline void Run(GM_ADDR out) {
        result.Set(0, out);
        weightSum = SumOfWeights();
        upstreamScale = set.mean != 0 ? 1.0f / CountedWeight() : 1.0f;
        RowRun run = RowsOfCore(set);
        for (uint32_t index = run.first; index < run.end; ++index) {
            Row(index);
        }
    }

private:
    __aicore__ inline bool Counts(int32_t target) const {
        return set.ignoreIndex < 0 || target != set.ignoreIndex;
    }
    __aicore__ inline float WeightOf(int32_t target) {
        return weights.Has(0) ? ScalarOf<float, float>(weightGm, target) : 1.0f;
    }
    __aicore__ inline float SumOfWeights() {
        float sum = weights.Has(0) ? 0.0f : static_cast<float>(static_cast<int32_t>(set.width));
        for (uint32_t done = 0; weights.Has(0) && done < set.width; done += set.tileLength) {
            uint32_t count = set.width - done < set.tileLength ? set.width - done : set.tileLength;
            weights.Load(done, count);
            LocalTensor<float> part = sumBuffer.Get<float>();
            ReduceSum(part, weights.Tile(0), partBuffer.Get<float>(), static_cast<int32_t>(count));
            weights.Release();
            sum += part.GetValue(0);
        }
        return sum;
    }
    // Every core adds up the weights of all targets: cheaper than to wait for each other.
    __aicore__ inline float CountedWeight() {
        float sum = 0.0f;
        for (uint32_t done = 0; done < set.rows; done += TARGET_TILE) {
            uint32_t some = set.rows - done < TARGET_TILE ? set.rows - done : TARGET_TILE;
            targets.Load(done, some);
            for (uint32_t i = 0; i < some; ++i) {
                int32_t target = static_cast<int32_t>(targets.Tile(0).GetValue(i));
                sum += Counts(target) ? WeightOf(target) : 0.0f;
            }
            targets.Release();
        }
        return sum;
    }
    __aicore__ inline void Row(uint32_t index) {
        int32_t target = static_cast<int32_t>(targetGm.GetValue(index));
        float own = 0.0f;     // a_i w_t
        float spread = 0.0f;  // b_i
        if (Counts(target)) {
            float upstream = ScalarOf<float, T>(gradGm, index * set.gradPitch) * upstreamScale;
            own = upstream * (1.0f - set.smoothing) * WeightOf(target);
            spread = upstream * set.smoothing / static_cast<float>(static_cast<int32_t>(set.width));
        }
        float factor = own + spread * weightSum;
        if (set.zloss != 0) {
            factor += zlossFactor * ScalarOf<float, T>(lseGm, index);
        }
        uint64_t start = static_cast<uint64_t>(index) * set.width;
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            uint32_t count = set.width - done < set.tileLength ? set.width - done : set.tileLength;
            input.Load(start + done, count);
            result.Begin();
            Gradient(factor, spread, done, count);
            int32_t place = target - static_cast<int32_t>(done);
            if (place >= 0 && place < static_cast<int32_t>(count)) {
                result.Tile(0).SetValue(place, result.Tile(0).GetValue(place) - own);
            }
            result.Store(start + done, count);
            input.Release();
        }
    }
    // p_c factor - b w_c
    __aicore__ inline void Gradient(float factor, float spread, uint32_t done, uint32_t count) {
        int32_t length = static_cast<int32_t>(count);
        Exp(result.Tile(0), input.Tile(0), length);
        Muls(result.Tile(0), result.Tile(0), factor, length);
        if (spread != 0.0f && weights.Has(0)) {
            weights.Load(done, count);
            Axpy(result.Tile(0), weights.Tile(0), -spread, length);
            weights.Release();
        } else if (spread != 0.0f) {
            Adds(result.Tile(0), result.Tile(0), -spread, length);
        }
    }

    TileLoader<T, 1> input;
    TileLoader<float, 1> weights;
    TileLoader<int64_t, 1> targets;
    TileStorer<T, 1> result;
    TBuf<TPosition::VECCALC> partBuffer;
    TBuf<TPosition::VECCALC> sumBuffer;
    GlobalTensor<int64_t> targetGm;
    GM_ADDR gradGm;
    GM_ADDR weightGm;
    GM_ADDR lseGm;
    CrossEntropyLossGradTilingData set;
    float weightSum;
    float upstreamScale;
    float zlossFactor;
};

extern "C" __global__ __aicore__ void cross_entropy_loss_grad(GM_ADDR grad_loss, GM_ADDR log_prob,
                                                              GM_ADDR target, GM_ADDR weight,
                                                              GM_ADDR grad_zloss, GM_ADDR lse_for_zloss,
                                                              GM_ADDR x_grad, GM_ADDR workspace,
                                                              GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    if (tilingData.rows == 0) {
        return;
    }
    TPipe pipe;
    KernelCrossEntropyGrad<DTYPE_LOG_PROB> op;
    op.Init(tilingData, &pipe);
    op.SetInputs(grad_loss, log_prob, target, weight);
    op.SetZloss(grad_zloss, lse_for_zloss);
    op.Run(x_grad);
}
