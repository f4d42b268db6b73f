#include "row_buffer.h"
using namespace AscendC;

// A channel is taken in tiles of several runs, or of a part of one, three times: for its mean, for its
// variance, and to normalise it. In a tile every run is filled up to whole 32-byte blocks; `valid` is 1 where
// elements are, else 0.
template <typename T>
class KernelBatchNorm {
public:
    __aicore__ inline void Init(const BatchNormV3TilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        input.Init(pipe, set.tileLength);
        output.Init(pipe, set.tileLength);
        numbers.Init(pipe, run.first);
        pipe->InitBuffer(workBuffer, set.tileLength * sizeof(float));
        pipe->InitBuffer(validBuffer, set.tileLength * sizeof(float));
        pipe->InitBuffer(partBuffer, (set.tileLength / 64 * sizeof(float) + 255) / 256 * 256);
        pipe->InitBuffer(resultBuffer, 256);
        MarkValid();
    }
    __aicore__ inline void SetInputs(GM_ADDR x, GM_ADDR scale, GM_ADDR shift, GM_ADDR oldMean,
                                     GM_ADDR oldVariance) {
        input.Set(0, x);
        weight = scale;
        bias = shift;
        mean = oldMean;
        variance = oldVariance;
    }
    __aicore__ inline void SetOutputs(GM_ADDR y, GM_ADDR newMean, GM_ADDR newVariance, GM_ADDR usedMean,
                                      GM_ADDR rstd) {
        output.Set(0, y);
        numbers.Set(0, newMean);
        numbers.Set(1, newVariance);
        numbers.Set(2, usedMean);
        numbers.Set(3, rstd);
    }
    __aicore__ inline void Run() {
        for (uint32_t channel = run.first; channel < run.end; ++channel) {
            Channel(channel);
        }
        numbers.Flush();
    }

private:
    enum class Pass { SUM, SQUARES, NORMALISE };

    __aicore__ inline void MarkValid() {
        LocalTensor<float> valid = validBuffer.Get<float>();
        Duplicate(valid, 0.0f, static_cast<int32_t>(set.tileLength));
        uint32_t pitch = TileLoader<T, 1>::Padded(set.length);
        for (uint32_t row = 0; row < set.tileRows && set.length <= set.tileLength; ++row) {
            Duplicate(valid[row * pitch], 1.0f, static_cast<int32_t>(set.length));
        }
    }
    __aicore__ inline void Channel(uint32_t channel) {
        float count = static_cast<float>(static_cast<int32_t>(set.batch * set.length));
        float usedMean = ScalarOf<float, float>(mean, channel);
        float usedVariance = ScalarOf<float, float>(variance, channel);
        float newMean = usedMean;
        float newVariance = usedVariance;
        if (set.training != 0) {
            usedMean = Walk(channel, Pass::SUM) / count;
            centre = usedMean;
            float squares = Walk(channel, Pass::SQUARES);
            usedVariance = squares / count;
            newMean = (1.0f - set.momentum) * newMean + set.momentum * usedMean;
            newVariance = (1.0f - set.momentum) * newVariance + set.momentum * (squares / (count - 1.0f));
        }
        float rstd = 1.0f / sqrt(usedVariance + set.epsilon);
        centre = usedMean;
        factor = rstd * ScalarOf<float, T>(weight, channel);
        addend = ScalarOf<float, T>(bias, channel);
        Walk(channel, Pass::NORMALISE);
        numbers.Put(0, newMean);
        numbers.Put(1, newVariance);
        numbers.Put(2, usedMean);
        numbers.Put(3, rstd);
        numbers.Next();
    }
    // Goes once through a channel; returns the sum of what the pass adds up.
    __aicore__ inline float Walk(uint32_t channel, Pass pass) {
        float total = 0.0f;
        uint32_t pitch = set.rows * set.length;
        for (uint32_t row = 0; row < set.batch; row += set.tileRows) {
            uint32_t rows = set.batch - row < set.tileRows ? set.batch - row : set.tileRows;
            for (uint32_t done = 0; done < set.length; done += set.tileLength) {
                uint32_t columns = set.length - done < set.tileLength ? set.length - done : set.tileLength;
                uint64_t place = static_cast<uint64_t>(row) * pitch + channel * set.length + done;
                int32_t count = static_cast<int32_t>(rows * TileLoader<T, 1>::Padded(columns));
                input.CopyRows(place, rows, columns, pitch);
                input.Take(count);
                if (pass == Pass::NORMALISE) {
                    Normalise(count);
                    output.StoreRows(place, rows, columns, pitch);
                } else {
                    total += pass == Pass::SUM ? SumOf(input.Tile(0), count) : Squares(columns, count);
                }
                input.Release();
            }
        }
        return total;
    }
    __aicore__ inline void Normalise(int32_t count) {
        output.Begin();
        Adds(output.Tile(0), input.Tile(0), -centre, count);
        Muls(output.Tile(0), output.Tile(0), factor, count);
        Adds(output.Tile(0), output.Tile(0), addend, count);
    }
    __aicore__ inline float Squares(uint32_t columns, int32_t count) {
        LocalTensor<float> work = workBuffer.Get<float>();
        Adds(work, input.Tile(0), -centre, count);
        Mul(work, work, work, count);
        if (set.length > set.tileLength) {
            return SumOf(work, static_cast<int32_t>(columns));
        }
        Mul(work, work, validBuffer.Get<float>(), count);
        return SumOf(work, count);
    }
    __aicore__ inline float SumOf(const LocalTensor<float>& values, int32_t count) {
        LocalTensor<float> result = resultBuffer.Get<float>();
        ReduceSum(result, values, partBuffer.Get<float>(), count);
        return result.GetValue(0);
    }

    TileLoader<T, 1> input;
    TileStorer<T, 1> output;
    RowNumbers<4> numbers;
    TBuf<TPosition::VECCALC> workBuffer;
    TBuf<TPosition::VECCALC> validBuffer;
    TBuf<TPosition::VECCALC> partBuffer;
    TBuf<TPosition::VECCALC> resultBuffer;
    BatchNormV3TilingData set;
    RowRun run;
    GM_ADDR weight;
    GM_ADDR bias;
    GM_ADDR mean;
    GM_ADDR variance;
    float centre;
    float factor;
    float addend;
};

extern "C" __global__ __aicore__ void batch_norm_v3(GM_ADDR x, GM_ADDR weight, GM_ADDR bias,
                                                    GM_ADDR running_mean, GM_ADDR running_var, GM_ADDR y,
                                                    GM_ADDR new_mean, GM_ADDR new_var, GM_ADDR save_mean,
                                                    GM_ADDR save_rstd, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelBatchNorm<DTYPE_X> op;
    op.Init(tilingData, &pipe);
    op.SetInputs(x, weight, bias, running_mean, running_var);
    op.SetOutputs(y, new_mean, new_var, save_mean, save_rstd);
    op.Run();
}
