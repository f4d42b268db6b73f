#include "row_buffer.h"
using namespace AscendC;

template <typename T>
class KernelMulMulReduceMeanDTwice {
public:
    __aicore__ inline void Init(const MulMulReduceMeanDTwiceTilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        row.Init(pipe, set.width, set.tileLength);
        factors.Init(pipe, set.tileLength);
        weights.Init(pipe, set.tileLength);
        result.Init(pipe, set.tileLength);
    }
    __aicore__ inline void SetFactors(GM_ADDR first, GM_ADDR second, GM_ADDR third, GM_ADDR addend) {
        factors.Set(0, first);
        factors.Set(1, second);
        factor = ScalarOf<float, T>(third);
        epsilon = ScalarOf<float, T>(addend);
    }
    __aicore__ inline void SetWeights(GM_ADDR gamma, GM_ADDR beta, GM_ADDR output) {
        weights.Set(0, gamma);
        weights.Set(1, beta);
        result.Set(0, output);
    }
    __aicore__ inline void Run() {
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint64_t start = static_cast<uint64_t>(index) * set.width;
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                MultiplyTile(start, done, static_cast<int32_t>(CountFrom(done)));
            }
            row.Centre();
            row.Normalise(epsilon);
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                WeighTile(start, done, CountFrom(done));
            }
        }
    }

private:
    __aicore__ inline uint32_t CountFrom(uint32_t done) const {
        return set.width - done < set.tileLength ? set.width - done : set.tileLength;
    }
    __aicore__ inline void MultiplyTile(uint64_t start, uint32_t done, int32_t count) {
        factors.Load(start + done, static_cast<uint32_t>(count));
        Mul(row.From(done), factors.Tile(0), factors.Tile(1), count);
        factors.Release();
        Muls(row.From(done), row.From(done), factor, count);
    }
    __aicore__ inline void WeighTile(uint64_t start, uint32_t done, uint32_t count) {
        weights.Load(done, count);
        result.Begin();
        Mul(result.Tile(0), row.From(done), weights.Tile(0), static_cast<int32_t>(count));
        Add(result.Tile(0), result.Tile(0), weights.Tile(1), static_cast<int32_t>(count));
        result.Store(start + done, count);
        weights.Release();
    }

    RowBuffer row;
    TileLoader<T, 2> factors;
    TileLoader<T, 2> weights;
    TileStorer<T, 1> result;
    MulMulReduceMeanDTwiceTilingData set;
    RowRun run;
    float factor;
    float epsilon;
};

extern "C" __global__ __aicore__ void mul_mul_reduce_mean_d_twice(GM_ADDR mul0_input0, GM_ADDR mul0_input1,
                                                                  GM_ADDR mul1_input0, GM_ADDR add_y,
                                                                  GM_ADDR gamma, GM_ADDR beta, GM_ADDR output,
                                                                  GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelMulMulReduceMeanDTwice<DTYPE_MUL0_INPUT0> op;
    op.Init(tilingData, &pipe);
    op.SetFactors(mul0_input0, mul0_input1, mul1_input0, add_y);
    op.SetWeights(gamma, beta, output);
    op.Run();
}
