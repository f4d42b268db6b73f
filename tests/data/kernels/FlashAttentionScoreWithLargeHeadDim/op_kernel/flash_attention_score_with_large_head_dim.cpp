// Attention with heads of more than 128 elements, 16 query rows at a time, and its softmax statistics.
#include "kernel_operator.h"
#include "block_attention.h"

using namespace AscendC;
using Attention = BlockAttention<half>;

// Statistics of up to 16 rows, each number repeated eight times.
class Statistics {
public:
    __aicore__ inline void Init(TPipe* pipe) {
        pipe->InitBuffer(queue, 1, 2 * Attention::ROWS * REPEATS * sizeof(float));
    }
    __aicore__ inline void Store(const Attention& attention, GM_ADDR largest, GM_ADDR total, uint64_t row,
                                 uint32_t rows) {
        LocalTensor<float> local = queue.AllocTensor<float>();
        for (uint32_t i = 0; i < rows; ++i) {
            Duplicate(local[i * REPEATS], attention.Largest(i), static_cast<int32_t>(REPEATS));
            Duplicate(local[(Attention::ROWS + i) * REPEATS], attention.Total(i),
                      static_cast<int32_t>(REPEATS));
        }
        queue.EnQue(local);
        local = queue.DeQue<float>();
        GlobalTensor<float> target;
        target.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(largest));
        DataCopy(target[row * REPEATS], local, rows * REPEATS);
        target.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(total));
        DataCopy(target[row * REPEATS], local[Attention::ROWS * REPEATS], rows * REPEATS);
        queue.FreeTensor(local);
    }

private:
    static constexpr uint32_t REPEATS = 8;
    TQue<TPosition::VECOUT, 1> queue;
};

extern "C" __global__ __aicore__ void flash_attention_score_with_large_head_dim(
    GM_ADDR query, GM_ADDR key, GM_ADDR value, GM_ADDR softmax_max, GM_ADDR softmax_sum,
    GM_ADDR attention_out, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    Attention::Scores scores;
    Attention::Mixture mixture;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), scores, &data.scores, mixture, &data.mixture);
    const uint32_t pitch = data.heads * data.size;
    Attention attention;
    attention.Init(&pipe, &scores, &mixture, GetUserWorkspace(workspace) + GetBlockIdx() * data.space,
                   data.size, data.scale);
    Statistics statistics;
    statistics.Init(&pipe);
    const uint32_t blocks = (data.queries + Attention::ROWS - 1) / Attention::ROWS;
    for (uint32_t job = GetBlockIdx(); job < data.batches * data.heads * blocks; job += data.cores) {
        const uint32_t first = job % blocks * Attention::ROWS;
        const uint32_t head = job / blocks % data.heads;
        const uint64_t batch = job / blocks / data.heads;
        const uint32_t rows = data.queries - first < Attention::ROWS ? data.queries - first : Attention::ROWS;
        const uint64_t row = ((batch * data.queries + first) * pitch + head * data.size) * sizeof(half);
        attention.Begin(MatrixRows{query + row, pitch}, rows, data.size);
        for (uint32_t done = 0; done < data.keys; done += Attention::KEYS) {
            const uint32_t count = data.keys - done < Attention::KEYS ? data.keys - done : Attention::KEYS;
            const uint64_t place = ((batch * data.keys + done) * pitch + head * data.size) * sizeof(half);
            attention.Add(MatrixRows{key + place, pitch}, MatrixRows{value + place, pitch}, count);
        }
        attention.End(MatrixRows{attention_out + row, pitch});
        statistics.Store(attention, softmax_max, softmax_sum,
                         (batch * data.heads + head) * data.queries + first, rows);
    }
    scores.End();
    mixture.End();
}
