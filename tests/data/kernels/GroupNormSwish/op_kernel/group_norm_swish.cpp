#include "tile_reduce.h"
using namespace AscendC;

// A row is one group of one sample: mean, variance, then channel by channel. T is the dtype of x, W that of
// gamma.
template <typename T, typename W>
class KernelGroupNormSwish {
public:
    __aicore__ inline void Init(const GroupNormSwishTilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        input.Init(pipe, set.tileLength);
        result.Init(pipe, set.tileLength);
        reduce.Init(pipe, set.tileLength);
        numbers.Init(pipe, run.first);
        pipe->InitBuffer(scratchBuffer, set.tileLength * sizeof(float));
    }
    __aicore__ inline void SetInputs(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta) {
        input.Set(0, x);
        gammaAddress = gamma;
        betaAddress = beta;
    }
    __aicore__ inline void SetOutputs(GM_ADDR y, GM_ADDR mean, GM_ADDR rstd) {
        result.Set(0, y);
        numbers.Set(0, mean);
        numbers.Set(1, rstd);
    }
    __aicore__ inline void Run() {
        float elements = static_cast<float>(static_cast<int32_t>(set.width));
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint64_t start = static_cast<uint64_t>(index) * set.width;
            float mean = Sum(start, 0.0f, false) / elements;
            float rstd = 1.0f / sqrt(Sum(start, mean, true) / elements + set.epsilon);
            numbers.Put(0, mean);
            numbers.Put(1, rstd);
            numbers.Next();
            uint32_t first = index % set.groups * set.channels;
            for (uint32_t channel = 0; channel < set.channels; ++channel) {
                float scale = rstd * ScalarOf<float, W>(gammaAddress, first + channel);
                float shift = ScalarOf<float, W>(betaAddress, first + channel);
                Normalise(start + channel * set.pixels, mean, scale, shift);
            }
        }
        numbers.Flush();
    }

private:
    __aicore__ inline int32_t CountFrom(uint32_t done, uint32_t length) const {
        return static_cast<int32_t>(length - done < set.tileLength ? length - done : set.tileLength);
    }
    __aicore__ inline float Sum(uint64_t start, float mean, bool squares) {
        LocalTensor<float> shifted = scratchBuffer.Get<float>();
        float sum = 0.0f;
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            int32_t count = CountFrom(done, set.width);
            input.Load(start + done, count);
            Adds(shifted, input.Tile(0), -mean, count);
            input.Release();
            if (squares) {
                Mul(shifted, shifted, shifted, count);
            }
            sum += reduce.Sum(shifted, count);
        }
        return sum;
    }
    __aicore__ inline void Normalise(uint64_t start, float mean, float scale, float shift) {
        for (uint32_t done = 0; done < set.pixels; done += set.tileLength) {
            int32_t count = CountFrom(done, set.pixels);
            input.Load(start + done, count);
            result.Begin();
            LocalTensor<float> y = result.Tile(0);
            Adds(y, input.Tile(0), -mean, count);
            Muls(y, y, scale, count);
            Adds(y, y, shift, count);
            if (set.activates != 0) {
                Swish(y, count);
            }
            result.Store(start + done, count);
            input.Release();
        }
    }
    // y / (1 + exp(-slope y))
    __aicore__ inline void Swish(const LocalTensor<float>& y, int32_t count) {
        LocalTensor<float> gate = scratchBuffer.Get<float>();
        Muls(gate, y, -set.slope, count);
        Exp(gate, gate, count);
        Adds(gate, gate, 1.0f, count);
        Div(y, y, gate, count);
    }

    TileLoader<T, 1> input;
    TileStorer<T, 1> result;
    TileReduce reduce;
    RowNumbers<2, W> numbers;
    TBuf<TPosition::VECCALC> scratchBuffer;
    GM_ADDR gammaAddress;
    GM_ADDR betaAddress;
    GroupNormSwishTilingData set;
    RowRun run;
};

extern "C" __global__ __aicore__ void group_norm_swish(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y,
                                                       GM_ADDR mean, GM_ADDR rstd, GM_ADDR workspace,
                                                       GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelGroupNormSwish<DTYPE_X, DTYPE_GAMMA> op;
    op.Init(tilingData, &pipe);
    op.SetInputs(x, gamma, beta);
    op.SetOutputs(y, mean, rstd);
    op.Run();
}
