#include "row_buffer.h"
using namespace AscendC;

template <typename First, typename Second, typename Weight, typename Bias, typename Result>
class KernelAddLayerNorm {
public:
    __aicore__ inline void Init(const AddLayerNormTilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        row.Init(pipe, set.width, set.tileLength);
        first.Init(pipe, set.tileLength);
        second.Init(pipe, set.tileLength);
        weights.Init(pipe, set.tileLength);
        bias.Init(pipe, set.tileLength);
        result.Init(pipe, set.tileLength);
        numbers.Init(pipe, run.first);
    }
    __aicore__ inline void SetInputs(GM_ADDR x1, GM_ADDR x2, GM_ADDR gamma, GM_ADDR beta, GM_ADDR added) {
        first.Set(0, x1);
        second.Set(0, x2);
        weights.Set(0, gamma);
        weights.Set(1, beta);
        bias.Set(0, added);
    }
    __aicore__ inline void SetOutputs(GM_ADDR y, GM_ADDR mean, GM_ADDR rstd, GM_ADDR x) {
        yGm = y;
        sumGm = x;
        numbers.Set(0, mean);
        numbers.Set(1, rstd);
    }
    __aicore__ inline void Run() {
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint64_t start = static_cast<uint64_t>(index) * set.width;
            result.Set(0, sumGm);
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                AddTile(index, done, CountFrom(done));
            }
            result.Set(0, yGm);
            numbers.Put(0, row.Centre());
            numbers.Put(1, row.Normalise(set.epsilon));
            numbers.Next();
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                WeighTile(start, done, CountFrom(done));
            }
        }
        numbers.Flush();
    }

private:
    __aicore__ inline uint32_t CountFrom(uint32_t done) const {
        return set.width - done < set.tileLength ? set.width - done : set.tileLength;
    }
    __aicore__ inline void AddTile(uint32_t index, uint32_t done, uint32_t count) {
        uint64_t start = static_cast<uint64_t>(index) * set.width + done;
        int32_t length = static_cast<int32_t>(count);
        first.Copy(start, count);
        second.Copy(start, count);
        first.Take(length);
        second.Take(length);
        Add(row.From(done), first.Tile(0), second.Tile(0), length);
        first.Release();
        second.Release();
        if (bias.Has(0)) {
            bias.Load(static_cast<uint64_t>(index) * set.biasPitch + done, count);
            Add(row.From(done), row.From(done), bias.Tile(0), length);
            bias.Release();
        }
        if (set.storesSum != 0) {
            result.Begin();
            Muls(result.Tile(0), row.From(done), 1.0f, length);
            result.Store(start, count);
        }
    }
    __aicore__ inline void WeighTile(uint64_t start, uint32_t done, uint32_t count) {
        int32_t length = static_cast<int32_t>(count);
        weights.Load(done, count);
        result.Begin();
        Mul(result.Tile(0), row.From(done), weights.Tile(0), length);
        Add(result.Tile(0), result.Tile(0), weights.Tile(1), length);
        result.Store(start + done, count);
        weights.Release();
    }

    RowBuffer row;
    RowNumbers<2> numbers;
    TileLoader<First, 1> first;
    TileLoader<Second, 1> second;
    TileLoader<Weight, 2, 1> weights;
    TileLoader<Bias, 1, 1> bias;
    TileStorer<Result, 1> result;
    AddLayerNormTilingData set;
    RowRun run;
    GM_ADDR yGm;
    GM_ADDR sumGm;
};

extern "C" __global__ __aicore__ void add_layer_norm(GM_ADDR x1, GM_ADDR x2, GM_ADDR gamma, GM_ADDR beta,
                                                     GM_ADDR bias, GM_ADDR y, GM_ADDR mean, GM_ADDR rstd,
                                                     GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelAddLayerNorm<DTYPE_X1, DTYPE_X2, DTYPE_GAMMA, DTYPE_BIAS, DTYPE_Y> op;
    op.Init(tilingData, &pipe);
    op.SetInputs(x1, x2, gamma, beta, bias);
    op.SetOutputs(y, mean, rstd, x);
    op.Run();
}
