#include "tile_reduce.h"
using namespace AscendC;

// Three passes over a row, which may be longer than UB: maximum, sum of exponentials, quotients.
template <typename T>
class KernelInplaceAttnSoftmax {
public:
    __aicore__ inline void Init(const InplaceAttnSoftmaxTilingData& tiling, GM_ADDR x, TPipe* pipe) {
        set = tiling;
        input.Init(pipe, set.tileLength);
        input.Set(0, x);
        result.Init(pipe, set.tileLength);
        result.Set(0, x);
        reduce.Init(pipe, set.tileLength);
        pipe->InitBuffer(scratchBuffer, set.tileLength * sizeof(float));
    }
    __aicore__ inline void Run() {
        RowRun run = RowsOfCore(set);
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint64_t start = static_cast<uint64_t>(index) * set.width;
            float largest = Largest(start);
            Divide(start, largest, SumOfExponentials(start, largest));
        }
    }

private:
    __aicore__ inline int32_t CountFrom(uint32_t done) const {
        return static_cast<int32_t>(set.width - done < set.tileLength ? set.width - done : set.tileLength);
    }
    __aicore__ inline float Largest(uint64_t start) {
        float largest = -3.4028235e38f;
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            input.Load(start + done, CountFrom(done));
            float value = reduce.Largest(input.Tile(0), CountFrom(done));
            input.Release();
            largest = value > largest ? value : largest;
        }
        return largest;
    }
    __aicore__ inline void Exponentials(const LocalTensor<float>& y, float largest, int32_t count) {
        Adds(y, input.Tile(0), -largest, count);
        Exp(y, y, count);
    }
    __aicore__ inline float SumOfExponentials(uint64_t start, float largest) {
        float sum = 0.0f;
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            input.Load(start + done, CountFrom(done));
            Exponentials(scratchBuffer.Get<float>(), largest, CountFrom(done));
            input.Release();
            sum += reduce.Sum(scratchBuffer.Get<float>(), CountFrom(done));
        }
        return sum;
    }
    __aicore__ inline void Divide(uint64_t start, float largest, float sum) {
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            input.Load(start + done, CountFrom(done));
            result.Begin();
            Exponentials(result.Tile(0), largest, CountFrom(done));
            Muls(result.Tile(0), result.Tile(0), 1.0f / sum, CountFrom(done));
            result.Store(start + done, CountFrom(done));
            input.Release();
        }
    }

    TileLoader<T, 1> input;
    TileStorer<T, 1> result;
    TileReduce reduce;
    TBuf<TPosition::VECCALC> scratchBuffer;
    InplaceAttnSoftmaxTilingData set;
};

extern "C" __global__ __aicore__ void inplace_attn_softmax(GM_ADDR x, GM_ADDR x_out, GM_ADDR workspace,
                                                           GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelInplaceAttnSoftmax<DTYPE_X> op;
    op.Init(tilingData, x_out, &pipe);
    op.Run();
}
