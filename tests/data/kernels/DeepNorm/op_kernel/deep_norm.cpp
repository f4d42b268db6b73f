#include "row_buffer.h"
using namespace AscendC;

template <typename T>
class KernelDeepNorm {
public:
    __aicore__ inline void Init(const DeepNormTilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        row.Init(pipe, set.width, set.tileLength);
        inputs.Init(pipe, set.tileLength);
        weights.Init(pipe, set.tileLength);
        result.Init(pipe, set.tileLength);
        numbers.Init(pipe, run.first);
    }
    __aicore__ inline void SetInputs(GM_ADDR x, GM_ADDR gx, GM_ADDR beta, GM_ADDR gamma) {
        inputs.Set(0, x);
        inputs.Set(1, gx);
        weights.Set(0, gamma);
        weights.Set(1, beta);
    }
    __aicore__ inline void SetOutputs(GM_ADDR mean, GM_ADDR rstd, GM_ADDR y) {
        numbers.Set(0, mean);
        numbers.Set(1, rstd);
        result.Set(0, y);
    }
    __aicore__ inline void Run() {
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint64_t start = static_cast<uint64_t>(index) * set.width;
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                Add(start, done, CountFrom(done));
            }
            numbers.Put(0, row.Centre());
            numbers.Put(1, row.Normalise(set.epsilon));
            numbers.Next();
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                Weigh(start, done, CountFrom(done));
            }
        }
        numbers.Flush();
    }

private:
    __aicore__ inline uint32_t CountFrom(uint32_t done) const {
        return set.width - done < set.tileLength ? set.width - done : set.tileLength;
    }
    __aicore__ inline void Add(uint64_t start, uint32_t done, uint32_t count) {
        inputs.Load(start + done, count);
        LocalTensor<float> hidden = row.From(done);
        Muls(hidden, inputs.Tile(0), set.alpha, static_cast<int32_t>(count));
        AscendC::Add(hidden, hidden, inputs.Tile(1), static_cast<int32_t>(count));
        inputs.Release();
    }
    __aicore__ inline void Weigh(uint64_t start, uint32_t done, uint32_t count) {
        weights.Load(done, count);
        result.Begin();
        Mul(result.Tile(0), row.From(done), weights.Tile(0), static_cast<int32_t>(count));
        AscendC::Add(result.Tile(0), result.Tile(0), weights.Tile(1), static_cast<int32_t>(count));
        result.Store(start + done, count);
        weights.Release();
    }

    RowBuffer row;
    RowNumbers<2> numbers;
    TileLoader<T, 2> inputs;
    TileLoader<T, 2> weights;
    TileStorer<T, 1> result;
    DeepNormTilingData set;
    RowRun run;
};

extern "C" __global__ __aicore__ void deep_norm(GM_ADDR x, GM_ADDR gx, GM_ADDR beta, GM_ADDR gamma,
                                                GM_ADDR mean, GM_ADDR rstd, GM_ADDR y, GM_ADDR workspace,
                                                GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelDeepNorm<DTYPE_X> op;
    op.Init(tilingData, &pipe);
    op.SetInputs(x, gx, beta, gamma);
    op.SetOutputs(mean, rstd, y);
    op.Run();
}
