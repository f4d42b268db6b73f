#include "row_buffer.h"
using namespace AscendC;

template <typename T>
class KernelInplaceAddRmsNorm {
public:
    __aicore__ inline void Init(const InplaceAddRmsNormTilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        row.Init(pipe, set.width, set.tileLength);
        inputs.Init(pipe, set.tileLength);
        weights.Init(pipe, set.tileLength);
        result.Init(pipe, set.tileLength);
        sum.Init(pipe, set.tileLength);
        numbers.Init(pipe, run.first);
    }
    __aicore__ inline void SetInputs(GM_ADDR x1, GM_ADDR x2, GM_ADDR gamma) {
        inputs.Set(0, x1);
        inputs.Set(1, x2);
        weights.Set(0, gamma);
    }
    __aicore__ inline void SetOutputs(GM_ADDR y, GM_ADDR rstd, GM_ADDR x) {
        result.Set(0, y);
        numbers.Set(0, rstd);
        sum.Set(0, x);
    }
    __aicore__ inline void Run() {
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint64_t start = static_cast<uint64_t>(index) * set.width;
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                AddTile(start, done, CountFrom(done));
            }
            numbers.Put(0, row.Normalise(set.epsilon));
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
    // The sum stays in the row unrounded; its rounded copy is an output.
    __aicore__ inline void AddTile(uint64_t start, uint32_t done, uint32_t count) {
        inputs.Load(start + done, count);
        Add(row.From(done), inputs.Tile(0), inputs.Tile(1), static_cast<int32_t>(count));
        inputs.Release();
        sum.Begin();
        Muls(sum.Tile(0), row.From(done), 1.0f, static_cast<int32_t>(count));
        sum.Store(start + done, count);
    }
    __aicore__ inline void WeighTile(uint64_t start, uint32_t done, uint32_t count) {
        weights.Load(done, count);
        result.Begin();
        Mul(result.Tile(0), row.From(done), weights.Tile(0), static_cast<int32_t>(count));
        result.Store(start + done, count);
        weights.Release();
    }

    RowBuffer row;
    RowNumbers<1> numbers;
    TileLoader<T, 2> inputs;
    TileLoader<T, 1> weights;
    TileStorer<T, 1> result;
    TileStorer<T, 1> sum;
    InplaceAddRmsNormTilingData set;
    RowRun run;
};

extern "C" __global__ __aicore__ void inplace_add_rms_norm(GM_ADDR x1, GM_ADDR x2, GM_ADDR gamma,
                                                           GM_ADDR x1_out, GM_ADDR rstd, GM_ADDR x2_out,
                                                           GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelInplaceAddRmsNorm<DTYPE_X1> op;
    op.Init(tilingData, &pipe);
    op.SetInputs(x1, x2, gamma);
    op.SetOutputs(x1_out, rstd, x2_out);
    op.Run();
}
