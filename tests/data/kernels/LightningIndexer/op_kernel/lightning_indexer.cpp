// Scores of the keys of a query, 256 at a time, and the positions of the best of them.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "await_pipe.h"
#include "row_gather.h"
#include "tile_stream.h"
#include "top_list.h"

using namespace AscendC;
using Element = DTYPE_QUERY;
template <typename V, bool TRANSPOSED = false>
using Matrix = matmul::MatmulType<TPosition::GM, CubeFormat::ND, V, TRANSPOSED>;
using ScoreProduct = matmul::Matmul<Matrix<Element>, Matrix<Element, true>, Matrix<float>>;

class Indexer {
public:
    __aicore__ inline void Init(TPipe* pipe, ScoreProduct* product, const LightningIndexerTilingData& tiling,
                                GM_ADDR space) {
        set = tiling;
        mm = product;
        scores.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(space));
        gathered = space + static_cast<uint64_t>(set.heads) * TopList::CHUNK * sizeof(float);
        list.Init(pipe, set.wanted);
        gather.Init(pipe, set.size);
        pipe->InitBuffer(scoreQueue, 2, PIECE * TopList::CHUNK * sizeof(float));
        pipe->InitBuffer(valueQueue, 1, Padded() * sizeof(Element));
        pipe->InitBuffer(placeQueue, 1, Padded() * sizeof(int32_t));
    }
    __aicore__ inline void SetInputs(GM_ADDR queryRows, GM_ADDR keyRows, GM_ADDR weightRows) {
        query = queryRows;
        key = keyRows;
        weights = weightRows;
    }
    __aicore__ inline void SetLengths(GM_ADDR ofQueries, GM_ADDR ofKeys, GM_ADDR blockTable) {
        queryCounts = ofQueries;
        keyCounts = ofKeys;
        tables.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(blockTable));
    }
    __aicore__ inline void Run(GM_ADDR indices, GM_ADDR values) {
        places.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(indices));
        found.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(values));
        for (uint32_t token = GetBlockIdx(); token < set.batches * set.queries; token += set.cores) {
            const uint32_t entry = token / set.queries;
            const uint32_t visible = Visible(entry, token % set.queries);
            list.Begin();
            for (uint32_t done = 0; done < visible; done += TopList::CHUNK) {
                const uint32_t count = visible - done < TopList::CHUNK ? visible - done : TopList::CHUNK;
                Score(token, Keys(entry, done, count), count);
                list.Take(count);
            }
            if (visible > 0) {
                list.End();
            }
            Store(token, list.Count(set.wanted));
        }
    }

private:
    static constexpr uint32_t PIECE = 8;  // heads whose scores are in UB at a time

    __aicore__ inline uint32_t Padded() const { return (set.wanted + 31) / 32 * 32; }
    __aicore__ static inline uint32_t CountOf(GM_ADDR counts, uint32_t entry, uint32_t whole) {
        if (counts == nullptr) {
            return whole;
        }
        GlobalTensor<int32_t> numbers;
        numbers.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(counts));
        return static_cast<uint32_t>(numbers.GetValue(entry));
    }
    // Keys a query may see: the last query sees all of them when the mask is causal.
    __aicore__ inline uint32_t Visible(uint32_t entry, uint32_t position) const {
        const uint32_t valid = CountOf(queryCounts, entry, set.queries);
        const uint32_t length = CountOf(keyCounts, entry, set.rows);
        if (position >= valid) {
            return 0;
        }
        const uint32_t end = length + position + 1;
        return set.causal == 0 ? length : end > valid ? end - valid : 0;
    }
    // Address of `count` consecutive keys from `first` on; those of pages are gathered.
    __aicore__ inline GM_ADDR Keys(uint32_t entry, uint32_t first, uint32_t count) {
        const uint64_t bytes = set.size * sizeof(Element);
        if (set.mostBlocks == 0) {
            return key + (static_cast<uint64_t>(entry) * set.rows + first) * bytes;
        }
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t position = first + i;
            const uint64_t page = static_cast<uint64_t>(
                tables.GetValue(static_cast<uint64_t>(entry) * set.mostBlocks + position / set.rows));
            gather.Copy(key + (page * set.rows + position % set.rows) * bytes, gathered + i * bytes,
                        set.size);
        }
        AwaitPipe<HardEvent::MTE3_S>();
        return gathered;
    }
    // sum over heads of weight * relu(query . key), into the chunk of the list.
    __aicore__ inline void Score(uint32_t token, GM_ADDR keys, uint32_t count) {
        AwaitPipe<HardEvent::MTE2_S>();
        const int32_t heads = static_cast<int32_t>(set.heads);
        const int32_t size = static_cast<int32_t>(set.size);
        GlobalTensor<Element> left, right;
        left.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(query) +
                             static_cast<uint64_t>(token) * heads * size);
        right.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(keys));
        mm->SetOrgShape(heads, static_cast<int32_t>(count), size, size, static_cast<int32_t>(TopList::CHUNK));
        mm->SetSingleShape(heads, static_cast<int32_t>(count), size);
        mm->SetTensorA(left);
        mm->SetTensorB(right, true);
        mm->IterateAll(scores);
        const int32_t length = static_cast<int32_t>(count);
        Duplicate(list.Chunk(), 0.0f, length);
        for (uint32_t first = 0; first < set.heads; first += PIECE) {
            const uint32_t rows = set.heads - first < PIECE ? set.heads - first : PIECE;
            LocalTensor<float> block = Load(first, rows, count);
            Relu(block, block, static_cast<int32_t>(rows * TopList::CHUNK));
            for (uint32_t row = 0; row < rows; ++row) {
                const float weight =
                    ScalarOf<float, Element>(weights, static_cast<uint64_t>(token) * set.heads + first + row);
                Axpy(list.Chunk(), block[row * TopList::CHUNK], weight, length);
            }
            scoreQueue.FreeTensor(block);
        }
    }
    __aicore__ inline LocalTensor<float> Load(uint32_t first, uint32_t rows, uint32_t count) {
        LocalTensor<float> block = scoreQueue.AllocTensor<float>();
        Duplicate(block, 0.0f, static_cast<int32_t>(rows * TopList::CHUNK));
        AwaitPipe<HardEvent::V_MTE2>();
        const uint32_t used = (count + 7) / 8 * 8;
        DataCopyExtParams params{static_cast<uint16_t>(rows), static_cast<uint32_t>(count * sizeof(float)),
                                 static_cast<uint32_t>((TopList::CHUNK - count) * sizeof(float)),
                                 (TopList::CHUNK - used) / 8, 0};
        DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};
        DataCopyPad(block, scores[static_cast<uint64_t>(first) * TopList::CHUNK], params, pad);
        scoreQueue.EnQue(block);
        return scoreQueue.DeQue<float>();
    }
    __aicore__ inline void Store(uint32_t token, uint32_t count) {
        LocalTensor<Element> values = valueQueue.AllocTensor<Element>();
        LocalTensor<int32_t> positions = placeQueue.AllocTensor<int32_t>();
        Duplicate(values, static_cast<Element>(0.0f), static_cast<int32_t>(Padded()));
        Duplicate(positions, -1, static_cast<int32_t>(Padded()));
        if (count > 0) {
            Cast(values, list.Values(), RoundMode::CAST_RINT, count);
            Adds(positions, list.Places(), 0, static_cast<int32_t>(count));
        }
        valueQueue.EnQue(values);
        placeQueue.EnQue(positions);
        values = valueQueue.DeQue<Element>();
        positions = placeQueue.DeQue<int32_t>();
        const uint64_t offset = static_cast<uint64_t>(token) * set.wanted;
        DataCopyPad(found[offset], values,
                    DataCopyExtParams{1, static_cast<uint32_t>(set.wanted * sizeof(Element)), 0, 0, 0});
        DataCopyPad(places[offset], positions,
                    DataCopyExtParams{1, static_cast<uint32_t>(set.wanted * sizeof(int32_t)), 0, 0, 0});
        valueQueue.FreeTensor(values);
        placeQueue.FreeTensor(positions);
    }

    TopList list;
    RowGather<Element> gather;
    TQue<TPosition::VECIN, 2> scoreQueue;
    TQue<TPosition::VECOUT, 1> valueQueue;
    TQue<TPosition::VECOUT, 1> placeQueue;
    GlobalTensor<float> scores;
    GlobalTensor<int32_t> tables;
    GlobalTensor<int32_t> places;
    GlobalTensor<Element> found;
    LightningIndexerTilingData set;
    ScoreProduct* mm;
    GM_ADDR query;
    GM_ADDR key;
    GM_ADDR weights;
    GM_ADDR queryCounts;
    GM_ADDR keyCounts;
    GM_ADDR gathered;
};

extern "C" __global__ __aicore__ void lightning_indexer(GM_ADDR query, GM_ADDR key, GM_ADDR weights,
                                                        GM_ADDR actual_seq_lengths_query,
                                                        GM_ADDR actual_seq_lengths_key, GM_ADDR block_table,
                                                        GM_ADDR sparse_indices, GM_ADDR sparse_values,
                                                        GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    ScoreProduct mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.scores);
    Indexer op;
    op.Init(&pipe, &mm, data, GetUserWorkspace(workspace) + GetBlockIdx() * data.space);
    op.SetInputs(query, key, weights);
    op.SetLengths(actual_seq_lengths_query, actual_seq_lengths_key, block_table);
    op.Run(sparse_indices, sparse_values);
    mm.End();
}
