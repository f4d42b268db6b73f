#include "row_buffer.h"
using namespace AscendC;

template <typename T>
class KernelRmsNorm {
public:
    __aicore__ inline void Init(const RmsNormTilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        row.Init(pipe, set.width, set.tileLength);
        input.Init(pipe, set.tileLength);
        weights.Init(pipe, set.tileLength);
        result.Init(pipe, set.tileLength);
        numbers.Init(pipe, run.first);
    }
    __aicore__ inline void SetTensors(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd) {
        input.Set(0, x);
        weights.Set(0, gamma);
        result.Set(0, y);
        numbers.Set(0, rstd);
    }
    __aicore__ inline void Run() {
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint64_t start = static_cast<uint64_t>(index) * set.width;
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                input.Load(start + done, CountFrom(done));
                Muls(row.From(done), input.Tile(0), 1.0f, static_cast<int32_t>(CountFrom(done)));
                input.Release();
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
    __aicore__ inline void WeighTile(uint64_t start, uint32_t done, uint32_t count) {
        weights.Load(done, count);
        result.Begin();
        Mul(result.Tile(0), row.From(done), weights.Tile(0), static_cast<int32_t>(count));
        result.Store(start + done, count);
        weights.Release();
    }

    RowBuffer row;
    RowNumbers<1> numbers;
    TileLoader<T, 1> input;
    TileLoader<T, 1> weights;
    TileStorer<T, 1> result;
    RmsNormTilingData set;
    RowRun run;
};

extern "C" __global__ __aicore__ void rms_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd,
                                               GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelRmsNorm<DTYPE_X> op;
    op.Init(tilingData, &pipe);
    op.SetTensors(x, gamma, y, rstd);
    op.Run();
}
