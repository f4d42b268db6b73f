#include "row_buffer.h"
using namespace AscendC;

// T is the dtype of x and y, W that of gamma and beta.
template <typename T, typename W>
class KernelLayerNormV4 {
public:
    __aicore__ inline void Init(const LayerNormV4TilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        row.Init(pipe, set.width, set.tileLength);
        input.Init(pipe, set.tileLength);
        weights.Init(pipe, set.tileLength);
        result.Init(pipe, set.tileLength);
        numbers.Init(pipe, run.first);
    }
    __aicore__ inline void SetInputs(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta) {
        input.Set(0, x);
        weights.Set(0, gamma);
        weights.Set(1, beta);
    }
    __aicore__ inline void SetOutputs(GM_ADDR y, GM_ADDR mean, GM_ADDR rstd) {
        result.Set(0, y);
        numbers.Set(0, mean);
        numbers.Set(1, rstd);
    }
    __aicore__ inline void Run() {
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint64_t start = static_cast<uint64_t>(index) * set.width;
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                input.Load(start + done, CountFrom(done));
                Muls(row.From(done), input.Tile(0), 1.0f, static_cast<int32_t>(CountFrom(done)));
                input.Release();
            }
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
    __aicore__ inline void WeighTile(uint64_t start, uint32_t done, uint32_t count) {
        int32_t length = static_cast<int32_t>(count);
        weights.Load(done, count);
        result.Begin();
        if (weights.Has(0)) {
            Mul(result.Tile(0), row.From(done), weights.Tile(0), length);
        } else {
            Muls(result.Tile(0), row.From(done), 1.0f, length);
        }
        if (weights.Has(1)) {
            Add(result.Tile(0), result.Tile(0), weights.Tile(1), length);
        }
        result.Store(start + done, count);
        weights.Release();
    }

    RowBuffer row;
    RowNumbers<2> numbers;
    TileLoader<T, 1> input;
    TileLoader<W, 2> weights;
    TileStorer<T, 1> result;
    LayerNormV4TilingData set;
    RowRun run;
};

extern "C" __global__ __aicore__ void layer_norm_v4(GM_ADDR x, GM_ADDR normalized_shape, GM_ADDR gamma,
                                                    GM_ADDR beta, GM_ADDR y, GM_ADDR mean, GM_ADDR rstd,
                                                    GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelLayerNormV4<DTYPE_X, DTYPE_GAMMA> op;
    op.Init(tilingData, &pipe);
    op.SetInputs(x, gamma, beta);
    op.SetOutputs(y, mean, rstd);
    op.Run();
}
