#include "tile_reduce.h"
using namespace AscendC;

// Three passes over a row, which may be longer than UB: mean, variance, result.
template <typename T>
class KernelPreLayerNorm {
public:
    __aicore__ inline void Init(const PreLayerNormTilingData& tiling, TPipe* pipe) {
        set = tiling;
        terms.Init(pipe, set.tileLength);
        weights.Init(pipe, set.tileLength);
        result.Init(pipe, set.tileLength);
        reduce.Init(pipe, set.tileLength);
        pipe->InitBuffer(scratchBuffer, set.tileLength * sizeof(float));
    }
    __aicore__ inline void SetTerms(GM_ADDR x, GM_ADDR y) {
        terms.Set(0, x);
        terms.Set(1, y);
    }
    __aicore__ inline void SetWeights(GM_ADDR gamma, GM_ADDR beta, GM_ADDR output) {
        weights.Set(0, gamma);
        weights.Set(1, beta);
        result.Set(0, output);
    }
    __aicore__ inline void Run() {
        RowRun run = RowsOfCore(set);
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint64_t start = static_cast<uint64_t>(index) * set.width;
            float mean = Sum(start, 0.0f, false) / static_cast<float>(static_cast<int32_t>(set.width));
            float variance = Sum(start, mean, true) / static_cast<float>(static_cast<int32_t>(set.width));
            Normalise(start, mean, 1.0f / sqrt(variance + set.epsilon));
        }
    }

private:
    __aicore__ inline int32_t CountFrom(uint32_t done) const {
        return static_cast<int32_t>(set.width - done < set.tileLength ? set.width - done : set.tileLength);
    }
    __aicore__ inline void Shifted(const LocalTensor<float>& y, float mean, int32_t count) {
        Add(y, terms.Tile(0), terms.Tile(1), count);
        Adds(y, y, -mean, count);
    }
    __aicore__ inline float Sum(uint64_t start, float mean, bool squares) {
        float sum = 0.0f;
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            LocalTensor<float> shifted = scratchBuffer.Get<float>();
            terms.Load(start + done, CountFrom(done));
            Shifted(shifted, mean, CountFrom(done));
            terms.Release();
            if (squares) {
                Mul(shifted, shifted, shifted, CountFrom(done));
            }
            sum += reduce.Sum(shifted, CountFrom(done));
        }
        return sum;
    }
    __aicore__ inline void Normalise(uint64_t start, float mean, float scale) {
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            int32_t count = CountFrom(done);
            terms.Load(start + done, count);
            weights.Load(done, count);
            result.Begin();
            Shifted(result.Tile(0), mean, count);
            Muls(result.Tile(0), result.Tile(0), scale, count);
            Mul(result.Tile(0), result.Tile(0), weights.Tile(0), count);
            Add(result.Tile(0), result.Tile(0), weights.Tile(1), count);
            result.Store(start + done, count);
            weights.Release();
            terms.Release();
        }
    }

    TileLoader<T, 2> terms;
    TileLoader<T, 2> weights;
    TileStorer<T, 1> result;
    TileReduce reduce;
    TBuf<TPosition::VECCALC> scratchBuffer;
    PreLayerNormTilingData set;
};

extern "C" __global__ __aicore__ void pre_layer_norm(GM_ADDR x, GM_ADDR y, GM_ADDR gamma, GM_ADDR beta,
                                                     GM_ADDR res_out, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelPreLayerNorm<DTYPE_X> op;
    op.Init(tilingData, &pipe);
    op.SetTerms(x, y);
    op.SetWeights(gamma, beta, res_out);
    op.Run();
}
