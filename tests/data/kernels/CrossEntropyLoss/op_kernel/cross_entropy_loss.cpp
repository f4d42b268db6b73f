#include "row_buffer.h"
using namespace AscendC;

constexpr uint32_t REDUCE_NONE = 0;
constexpr uint32_t REDUCE_MEAN = 2;
constexpr uint32_t PARTIALS = 8;  // numbers of a core in the workspace, of which 4 are used
constexpr uint32_t MOST_CORES = 64;

template <typename T>
class KernelCrossEntropy {
public:
    __aicore__ inline void Init(const CrossEntropyLossTilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        row.Init(pipe, set.width, set.tileLength);
        input.Init(pipe, set.tileLength);
        weights.Init(pipe, set.tileLength);
        logProbability.Init(pipe, set.tileLength);
        losses.Init(pipe, run.first);
        lses.Init(pipe, run.first);
        partials.Init(pipe, PARTIALS);
        allPartials.Init(pipe, PARTIALS * MOST_CORES);
        scalar.Init(pipe, PARTIALS);
    }
    __aicore__ inline void SetInputs(GM_ADDR x, GM_ADDR target, GM_ADDR weight, GM_ADDR workspace) {
        input.Set(0, x);
        weights.Set(0, weight);
        weightGm = weight;
        targets.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(target));
        partials.Set(0, workspace);
        allPartials.Set(0, workspace);
    }
    __aicore__ inline void SetOutputs(GM_ADDR loss, GM_ADDR logs, GM_ADDR zloss, GM_ADDR lse) {
        lossGm = loss;
        zlossGm = zloss;
        logProbability.Set(0, logs);
        losses.Set(0, loss);
        lses.Set(0, lse);
    }
    __aicore__ inline void Run() {
        for (uint32_t index = run.first; index < run.end; ++index) {
            Row(index);
        }
        losses.Flush();
        lses.Flush();
        StorePartials();
        PipeBarrier<PIPE_ALL>();
        SyncAll();
        if (GetBlockIdx() == 0) {
            Combine();
        }
    }

private:
    __aicore__ inline uint32_t CountFrom(uint32_t done) const {
        return set.width - done < set.tileLength ? set.width - done : set.tileLength;
    }
    __aicore__ inline void Row(uint32_t index) {
        uint64_t start = static_cast<uint64_t>(index) * set.width;
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            uint32_t count = CountFrom(done);
            input.Load(start + done, count);
            Muls(row.From(done), input.Tile(0), 1.0f, static_cast<int32_t>(count));
            input.Release();
        }
        float largest = row.Largest();
        row.Shift(-largest);
        float logSum = row.Logarithm(SumOfExponentials());
        row.Shift(-logSum);
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            uint32_t count = CountFrom(done);
            logProbability.Begin();
            Muls(logProbability.Tile(0), row.From(done), 1.0f, static_cast<int32_t>(count));
            logProbability.Store(start + done, count);
        }
        float lse = largest + logSum;
        lses.Put(0, lse);
        lses.Next();
        squares += lse * lse;
        AddLoss(index);
    }
    __aicore__ inline float SumOfExponentials() {
        float sum = 0.0f;
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            int32_t count = static_cast<int32_t>(CountFrom(done));
            Exp(row.Scratch(), row.From(done), count);
            sum += row.SumOf(row.Scratch(), count);
        }
        return sum;
    }
    __aicore__ inline void AddLoss(uint32_t index) {
        int32_t target = static_cast<int32_t>(targets.GetValue(index));
        bool counts = set.ignoreIndex < 0 || target != set.ignoreIndex;
        float own = 0.0f;
        float smooth = 0.0f;
        float nll = 0.0f;
        if (counts) {
            own = weights.Has(0) ? ScalarOf<float, float>(weightGm, target) : 1.0f;
            nll = -own * row.From(0).GetValue(target);
            smooth = set.smoothing != 0.0f ? -WeightedSum() : 0.0f;
        }
        if (set.reduction == REDUCE_NONE) {
            losses.Put(0, Mix(nll, smooth));
            losses.Next();
        }
        nllSum += nll;
        smoothSum += smooth;
        ownSum += own;
    }
    __aicore__ inline float Mix(float nll, float smooth) const {
        float classes = static_cast<float>(static_cast<int32_t>(set.width));
        return (1.0f - set.smoothing) * nll + set.smoothing / classes * smooth;
    }
    __aicore__ inline float WeightedSum() {
        if (!weights.Has(0)) {
            return row.Sum();
        }
        float sum = 0.0f;
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            uint32_t count = CountFrom(done);
            weights.Load(done, count);
            Mul(row.Scratch(), row.From(done), weights.Tile(0), static_cast<int32_t>(count));
            weights.Release();
            sum += row.SumOf(row.Scratch(), static_cast<int32_t>(count));
        }
        return sum;
    }
    __aicore__ inline void StorePartials() {
        partials.Begin();
        Duplicate(partials.Tile(0), 0.0f, static_cast<int32_t>(PARTIALS));
        partials.Tile(0).SetValue(0, nllSum);
        partials.Tile(0).SetValue(1, smoothSum);
        partials.Tile(0).SetValue(2, ownSum);
        partials.Tile(0).SetValue(3, squares);
        partials.Store(GetBlockIdx() * PARTIALS, PARTIALS);
    }
    // The first core adds up what all cores found, in their order.
    __aicore__ inline void Combine() {
        uint32_t cores = static_cast<uint32_t>(GetBlockNum());
        float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        allPartials.Load(0, cores * PARTIALS);
        for (uint32_t core = 0; core < cores; ++core) {
            for (uint32_t i = 0; i < 4; ++i) {
                sums[i] += allPartials.Tile(0).GetValue(core * PARTIALS + i);
            }
        }
        allPartials.Release();
        if (set.reduction != REDUCE_NONE) {
            float loss = Mix(sums[0], sums[1]);
            StoreScalar(lossGm, set.reduction == REDUCE_MEAN ? loss / sums[2] : loss);
        }
        float mean = sums[3] / static_cast<float>(static_cast<int32_t>(set.rows));
        StoreScalar(zlossGm, set.returnZloss != 0 ? set.zlossScale * mean : 0.0f);
    }
    __aicore__ inline void StoreScalar(GM_ADDR address, float value) {
        scalar.Set(0, address);
        scalar.Begin();
        scalar.Tile(0).SetValue(0, value);
        scalar.Store(0, 1);
    }

    RowBuffer row;
    RowNumbers<1, T> losses;
    RowNumbers<1, T> lses;
    TileLoader<T, 1> input;
    TileLoader<float, 1> weights;
    TileLoader<float, 1, 1> allPartials;
    TileStorer<T, 1> logProbability;
    TileStorer<float, 1> partials;
    TileStorer<T, 1> scalar;
    GlobalTensor<int64_t> targets;
    GM_ADDR weightGm;
    GM_ADDR lossGm;
    GM_ADDR zlossGm;
    CrossEntropyLossTilingData set;
    RowRun run;
    float nllSum = 0.0f;
    float smoothSum = 0.0f;
    float ownSum = 0.0f;
    float squares = 0.0f;
};

extern "C" __global__ __aicore__ void cross_entropy_loss(GM_ADDR input, GM_ADDR target, GM_ADDR weight,
                                                         GM_ADDR loss, GM_ADDR log_prob, GM_ADDR zloss,
                                                         GM_ADDR lse_for_zloss, GM_ADDR workspace,
                                                         GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelCrossEntropy<DTYPE_INPUT> op;
    op.Init(tilingData, &pipe);
    op.SetInputs(input, target, weight, GetUserWorkspace(workspace));
    op.SetOutputs(loss, log_prob, zloss, lse_for_zloss);
    op.Run();
}
