// Send buffer of an expert-parallel dispatch. Every core counts the experts of all pairs, so that it knows
// where its own rows belong, then scales and quantises them.
#include "kernel_operator.h"
#include "byte_row.h"
#include "row_buffer.h"

using namespace AscendC;

class Dispatch {
public:
    __aicore__ inline void Init(TPipe* pipe, const DispatchTilingData& tiling, GM_ADDR x, GM_ADDR expertIds,
                                GM_ADDR scales) {
        set = tiling;
        run = RowsOfCore(set);
        ids.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(expertIds));
        row.Init(pipe, set.width, TILE);
        tokens.Init(pipe, TILE);
        tokens.Set(0, x);
        smoothing.Init(pipe, TILE);
        smoothing.Set(0, scales);
        pipe->InitBuffer(scaleQueue, 1, 32);
        pipe->InitBuffer(placeQueue, 1, 32);
    }
    __aicore__ inline void SetOutputs(TPipe* pipe, GM_ADDR rows, GM_ADDR dynamicScales, GM_ADDR positions) {
        bytes.Init(pipe, rows, TILE);
        scaleOut.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(dynamicScales));
        placeOut.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(positions));
    }
    __aicore__ inline void Count() {
        for (uint32_t expert = 0; expert < set.experts; ++expert) {
            counts[expert] = 0;
            before[expert] = 0;
        }
        for (uint32_t pair = 0; pair < set.rows; ++pair) {
            const uint32_t expert = static_cast<uint32_t>(ids.GetValue(pair));
            before[expert] += pair < run.first ? 1 : 0;
            ++counts[expert];
        }
        uint32_t start = 0;
        for (uint32_t expert = 0; expert < set.experts; ++expert) {
            starts[expert] = start;
            start += counts[expert];
        }
    }
    __aicore__ inline void Run() {
        for (uint32_t pair = run.first; pair < run.end; ++pair) {
            const uint32_t expert = static_cast<uint32_t>(ids.GetValue(pair));
            const uint32_t position = before[expert]++;
            Store(placeQueue, placeOut, pair, static_cast<int32_t>(position));
            Quantise(pair / set.perToken, expert, starts[expert] + position);
        }
    }
    // Rows of every expert, or of it and those before, and rows of every rank.
    __aicore__ inline void StoreCounts(TPipe* pipe, GM_ADDR tokenNums, GM_ADDR sendCounts) {
        TQue<TPosition::VECOUT, 1> queue;
        const uint32_t longest = set.experts > set.ranks ? set.experts : set.ranks;
        pipe->InitBuffer(queue, 1, (longest * sizeof(int64_t) + 31) / 32 * 32);
        GlobalTensor<int64_t> numbers;
        numbers.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(tokenNums));
        LocalTensor<int64_t> local = queue.AllocTensor<int64_t>();
        for (uint32_t expert = 0; expert < set.experts; ++expert) {
            const uint32_t value = counts[expert] + (set.running != 0 ? starts[expert] : 0);
            local.SetValue(expert, static_cast<int64_t>(value));
        }
        queue.EnQue(local);
        local = queue.DeQue<int64_t>();
        DataCopyPad(numbers, local,
                    DataCopyExtParams{1, static_cast<uint32_t>(set.experts * sizeof(int64_t)), 0, 0, 0});
        queue.FreeTensor(local);
        GlobalTensor<int32_t> sends;
        sends.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(sendCounts));
        LocalTensor<int32_t> ofRanks = queue.AllocTensor<int32_t>();
        const uint32_t share = set.experts / set.ranks;
        for (uint32_t rank = 0; rank < set.ranks; ++rank) {
            const uint32_t last = (rank + 1) * share - 1;
            ofRanks.SetValue(rank, static_cast<int32_t>(starts[last] + counts[last] - starts[rank * share]));
        }
        queue.EnQue(ofRanks);
        ofRanks = queue.DeQue<int32_t>();
        DataCopyPad(sends, ofRanks,
                    DataCopyExtParams{1, static_cast<uint32_t>(set.ranks * sizeof(int32_t)), 0, 0, 0});
        queue.FreeTensor(ofRanks);
    }

private:
    static constexpr uint32_t TILE = 1024;
    static constexpr uint32_t MOST_EXPERTS = 1024;

    __aicore__ inline uint32_t CountFrom(uint32_t done) const {
        return set.width - done < TILE ? set.width - done : TILE;
    }
    __aicore__ inline void Quantise(uint32_t token, uint32_t expert, uint32_t place) {
        for (uint32_t done = 0; done < set.width; done += TILE) {
            const uint32_t count = CountFrom(done);
            const int32_t length = static_cast<int32_t>(count);
            tokens.Load(static_cast<uint64_t>(token) * set.width + done, count);
            smoothing.Load(static_cast<uint64_t>(expert) * set.width + done, count);
            if (smoothing.Has(0)) {
                Mul(row.From(done), tokens.Tile(0), smoothing.Tile(0), length);
            } else {
                Adds(row.From(done), tokens.Tile(0), 0.0f, length);
            }
            tokens.Release();
            smoothing.Release();
        }
        const float largest = row.LargestMagnitude();
        Store(scaleQueue, scaleOut, place, largest / 127.0f);
        const float inverse = largest > 0.0f ? 127.0f / largest : 0.0f;
        for (uint32_t done = 0; done < set.width; done += TILE) {
            const uint32_t count = CountFrom(done);
            Muls(row.From(done), row.From(done), inverse, static_cast<int32_t>(count));
            bytes.Store(row.From(done), static_cast<uint64_t>(place) * set.width + done, count);
        }
    }
    // One number.
    template <typename V>
    __aicore__ inline void Store(TQue<TPosition::VECOUT, 1>& queue, GlobalTensor<V>& target, uint32_t place,
                                 V value) {
        LocalTensor<V> local = queue.template AllocTensor<V>();
        Duplicate(local, value, 8);
        queue.EnQue(local);
        local = queue.template DeQue<V>();
        DataCopyPad(target[place], local, DataCopyExtParams{1, sizeof(V), 0, 0, 0});
        queue.FreeTensor(local);
    }

    RowBuffer row;
    ByteStorer bytes;
    TileLoader<DTYPE_X, 1> tokens;
    TileLoader<float, 1> smoothing;
    TQue<TPosition::VECOUT, 1> scaleQueue;
    TQue<TPosition::VECOUT, 1> placeQueue;
    GlobalTensor<int32_t> ids;
    GlobalTensor<float> scaleOut;
    GlobalTensor<int32_t> placeOut;
    DispatchTilingData set;
    RowRun run;
    uint32_t counts[MOST_EXPERTS];
    uint32_t before[MOST_EXPERTS];  // pairs of the expert that come before the next of this core
    uint32_t starts[MOST_EXPERTS];
};

extern "C" __global__ __aicore__ void moe_dist_dispatch_mul_exp(GM_ADDR x, GM_ADDR expert_ids, GM_ADDR scales,
                                                                GM_ADDR expand_x, GM_ADDR dynamic_scales,
                                                                GM_ADDR expand_idx, GM_ADDR expert_token_nums,
                                                                GM_ADDR ep_send_counts, GM_ADDR workspace,
                                                                GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    Dispatch op;
    op.Init(&pipe, data, x, expert_ids, scales);
    op.SetOutputs(&pipe, expand_x, dynamic_scales, expand_idx);
    op.Count();
    op.Run();
    if (GetBlockIdx() == 0) {
        op.StoreCounts(&pipe, expert_token_nums, ep_send_counts);
    }
}
