// Attention of a few query rows over keys that come block by block, with running maxima and sums in float32.
//
// A vector core asks the cube core for the scores of a block, turns them into weights, asks for the weighted
// values and adds them to what it has. Scores, weights and weighted values pass through a piece of workspace
// of its own.
#ifndef BLOCK_ATTENTION_H
#define BLOCK_ATTENTION_H
#include "await_pipe.h"
#include "lib/matmul_intf.h"

// Rows in global memory, `pitch` elements apart.
struct MatrixRows {
    GM_ADDR address;
    uint32_t pitch;
};

template <typename T>
class BlockAttention {
public:
    static constexpr uint32_t ROWS = 16;
    static constexpr uint32_t KEYS = 128;

    template <typename V, bool TRANSPOSED = false>
    using Matrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, V, TRANSPOSED>;
    using Scores = matmul::Matmul<Matrix<T>, Matrix<T, true>, Matrix<float>>;
    using Mixture = matmul::Matmul<Matrix<T>, Matrix<T>, Matrix<float>>;

    // Bytes of workspace a core needs for values of `width` elements, a multiple of 32.
    __aicore__ static inline uint64_t Space(uint32_t width) {
        return ROWS * KEYS * (sizeof(float) + sizeof(T)) +
               static_cast<uint64_t>(ROWS) * width * sizeof(float);
    }
    __aicore__ inline void Init(AscendC::TPipe* pipe, Scores* scoreObject, Mixture* mixtureObject,
                                GM_ADDR space, uint32_t valueWidth, float factor) {
        score = scoreObject;
        mixture = mixtureObject;
        width = valueWidth;
        pitch = (width + 15) / 16 * 16;
        scale = factor;
        scores.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(space));
        weights.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(space + ROWS * KEYS * sizeof(float)));
        mixed.SetGlobalBuffer(
            reinterpret_cast<__gm__ float*>(space + ROWS * KEYS * (sizeof(float) + sizeof(T))));
        pipe->InitBuffer(scoreQueue, 1, ROWS * KEYS * sizeof(float));
        pipe->InitBuffer(weightQueue, 1, ROWS * KEYS * sizeof(T));
        pipe->InitBuffer(mixedQueue, 1, ROWS * pitch * sizeof(float));
        pipe->InitBuffer(outQueue, 1, ROWS * pitch * sizeof(T));
        pipe->InitBuffer(sumBuffer, ROWS * pitch * sizeof(float));
        pipe->InitBuffer(workBuffer, 256);
        pipe->InitBuffer(resultBuffer, 256);
    }
    // `depth` elements of a query meet as many of a key.
    __aicore__ inline void Begin(const MatrixRows& queryRows, uint32_t rowCount, uint32_t queryDepth) {
        query = queryRows;
        rows = rowCount;
        depth = queryDepth;
        for (uint32_t row = 0; row < rows; ++row) {
            largest[row] = LOWEST;
            total[row] = 0.0f;
        }
        AscendC::Duplicate(sumBuffer.Get<float>(), 0.0f, static_cast<int32_t>(rows * pitch));
    }
    // Takes `count` more keys, KEYS at most, with their values.
    __aicore__ inline void Add(const MatrixRows& keys, const MatrixRows& values, uint32_t count) {
        AwaitPipe<AscendC::HardEvent::MTE2_S>();
        AwaitPipe<AscendC::HardEvent::MTE3_S>();
        AskScores(keys, count);
        Weigh(count);
        AwaitPipe<AscendC::HardEvent::MTE3_S>();
        AskMixture(values, count);
        Accumulate();
    }
    // Writes the rows of the result.
    __aicore__ inline void End(const MatrixRows& out) {
        AscendC::LocalTensor<T> ready = outQueue.template AllocTensor<T>();
        AscendC::LocalTensor<float> sum = sumBuffer.Get<float>();
        for (uint32_t row = 0; row < rows; ++row) {
            const int32_t count = static_cast<int32_t>(width);
            AscendC::Muls(sum[row * pitch], sum[row * pitch], total[row] > 0.0f ? 1.0f / total[row] : 0.0f,
                          count);
            AscendC::Cast(ready[row * pitch], sum[row * pitch], AscendC::RoundMode::CAST_RINT, count);
        }
        outQueue.EnQue(ready);
        ready = outQueue.template DeQue<T>();
        AscendC::GlobalTensor<T> target;
        target.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(out.address));
        const uint32_t gap = (pitch - (width + PER_BLOCK - 1) / PER_BLOCK * PER_BLOCK) / PER_BLOCK;
        AscendC::DataCopyExtParams params{static_cast<uint16_t>(rows),
                                          static_cast<uint32_t>(width * sizeof(T)), gap,
                                          static_cast<uint32_t>((out.pitch - width) * sizeof(T)), 0};
        AscendC::DataCopyPad(target, ready, params);
        outQueue.FreeTensor(ready);
    }
    // Of row `row`: the largest scaled score, and the sum of exp(score - largest).
    __aicore__ inline float Largest(uint32_t row) const { return largest[row]; }
    __aicore__ inline float Total(uint32_t row) const { return total[row]; }

private:
    static constexpr float LOWEST = -3.0e38f;
    static constexpr uint32_t PER_BLOCK = 32 / sizeof(T);

    template <typename V>
    __aicore__ static inline AscendC::GlobalTensor<V> At(const MatrixRows& matrix) {
        AscendC::GlobalTensor<V> tensor;
        tensor.SetGlobalBuffer(reinterpret_cast<__gm__ V*>(matrix.address));
        return tensor;
    }
    __aicore__ inline void AskScores(const MatrixRows& keys, uint32_t count) {
        score->SetOrgShape(static_cast<int32_t>(rows), static_cast<int32_t>(count),
                           static_cast<int32_t>(query.pitch), static_cast<int32_t>(keys.pitch),
                           static_cast<int32_t>(KEYS));
        score->SetSingleShape(static_cast<int32_t>(rows), static_cast<int32_t>(count),
                              static_cast<int32_t>(depth));
        score->SetTensorA(At<T>(query));
        score->SetTensorB(At<T>(keys), true);
        score->IterateAll(scores);
    }
    __aicore__ inline void AskMixture(const MatrixRows& values, uint32_t count) {
        mixture->SetOrgShape(static_cast<int32_t>(rows), static_cast<int32_t>(values.pitch),
                             static_cast<int32_t>(KEYS), static_cast<int32_t>(count),
                             static_cast<int32_t>(width));
        mixture->SetSingleShape(static_cast<int32_t>(rows), static_cast<int32_t>(width),
                                static_cast<int32_t>(count));
        mixture->SetTensorA(weights);
        mixture->SetTensorB(At<T>(values));
        mixture->IterateAll(mixed);
    }
    __aicore__ inline void Weigh(uint32_t count) {
        AscendC::LocalTensor<float> block = scoreQueue.template AllocTensor<float>();
        CopyRows(block, scores, count, KEYS, KEYS);
        scoreQueue.EnQue(block);
        block = scoreQueue.template DeQue<float>();
        AscendC::LocalTensor<T> ready = weightQueue.template AllocTensor<T>();
        for (uint32_t row = 0; row < rows; ++row) {
            WeighRow(block[row * KEYS], row, static_cast<int32_t>(count));
            AscendC::Cast(ready[row * KEYS], block[row * KEYS], AscendC::RoundMode::CAST_RINT,
                          static_cast<int32_t>(count));
        }
        scoreQueue.FreeTensor(block);
        weightQueue.EnQue(ready);
        ready = weightQueue.template DeQue<T>();
        const uint32_t used = (count + PER_BLOCK - 1) / PER_BLOCK * PER_BLOCK;
        AscendC::DataCopyExtParams params{static_cast<uint16_t>(rows),
                                          static_cast<uint32_t>(count * sizeof(T)), (KEYS - used) / PER_BLOCK,
                                          static_cast<uint32_t>((KEYS - count) * sizeof(T)), 0};
        AscendC::DataCopyPad(weights, ready, params);
        weightQueue.FreeTensor(ready);
    }
    // x becomes exp(scale * x - largest so far); shrink is what older sums are worth now.
    __aicore__ inline void WeighRow(const AscendC::LocalTensor<float>& x, uint32_t row, int32_t count) {
        AscendC::Muls(x, x, scale, count);
        AscendC::LocalTensor<float> result = resultBuffer.Get<float>();
        AscendC::ReduceMax(result, x, workBuffer.Get<float>(), count);
        const float found = result.GetValue(0);
        const float before = largest[row];
        largest[row] = found > before ? found : before;
        AscendC::Adds(x, x, -largest[row], count);
        AscendC::Exp(x, x, count);
        AscendC::ReduceSum(result, x, workBuffer.Get<float>(), count);
        const float sum = result.GetValue(0);
        shrink[row] = before > LOWEST ? Exponential(before - largest[row]) : 0.0f;
        total[row] = total[row] * shrink[row] + sum;
    }
    __aicore__ inline float Exponential(float value) {
        AscendC::LocalTensor<float> result = resultBuffer.Get<float>();
        result.SetValue(0, value);
        AscendC::Exp(result, result, 1);
        return result.GetValue(0);
    }
    __aicore__ inline void Accumulate() {
        AscendC::LocalTensor<float> block = mixedQueue.template AllocTensor<float>();
        CopyRows(block, mixed, width, width, pitch);
        mixedQueue.EnQue(block);
        block = mixedQueue.template DeQue<float>();
        AscendC::LocalTensor<float> sum = sumBuffer.Get<float>();
        const int32_t count = static_cast<int32_t>(width);
        for (uint32_t row = 0; row < rows; ++row) {
            AscendC::Muls(sum[row * pitch], sum[row * pitch], shrink[row], count);
            AscendC::Add(sum[row * pitch], sum[row * pitch], block[row * pitch], count);
        }
        mixedQueue.FreeTensor(block);
    }
    // The rows of a matrix of `from` columns, of which `count` are taken, to places `to` elements apart.
    __aicore__ inline void CopyRows(const AscendC::LocalTensor<float>& local,
                                    const AscendC::GlobalTensor<float>& source, uint32_t count, uint32_t from,
                                    uint32_t to) {
        constexpr uint32_t perBlock = 32 / sizeof(float);
        const uint32_t used = (count + perBlock - 1) / perBlock * perBlock;
        AscendC::DataCopyExtParams params{
            static_cast<uint16_t>(rows), static_cast<uint32_t>(count * sizeof(float)),
            static_cast<uint32_t>((from - count) * sizeof(float)), (to - used) / perBlock, 0};
        AscendC::DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};
        AscendC::DataCopyPad(local, source, params, pad);
    }

    AscendC::TQue<AscendC::TPosition::VECIN, 1> scoreQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> weightQueue;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> mixedQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outQueue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> workBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> resultBuffer;
    AscendC::GlobalTensor<float> scores;
    AscendC::GlobalTensor<T> weights;
    AscendC::GlobalTensor<float> mixed;
    Scores* score;
    Mixture* mixture;
    MatrixRows query;
    float largest[ROWS];
    float total[ROWS];
    float shrink[ROWS];
    float scale;
    uint32_t rows;
    uint32_t depth;
    uint32_t width;
    uint32_t pitch;
};
#endif
