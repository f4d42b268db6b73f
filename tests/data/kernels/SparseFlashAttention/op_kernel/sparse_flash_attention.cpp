// Attention over selected keys: they are gathered, with their values, 128 at a time in workspace, for up to
// 16 heads of one query.
#include "kernel_operator.h"
#include "block_attention.h"
#include "row_gather.h"

using namespace AscendC;
using Element = DTYPE_QUERY;
using Attention = BlockAttention<Element>;

class SelectedAttention {
public:
    __aicore__ inline void Init(TPipe* pipe, Attention* blocks, const SparseFlashAttentionTilingData& tiling,
                                GM_ADDR space) {
        attention = blocks;
        set = tiling;
        depth = set.size + set.rope;
        queries = space;
        keys = queries + Attention::ROWS * depth * sizeof(Element);
        values = keys + Attention::KEYS * depth * sizeof(Element);
        gather.Init(pipe, set.size > set.rope ? set.size : set.rope);
    }
    __aicore__ inline void SetQueries(GM_ADDR query, GM_ADDR queryRope, GM_ADDR queryLengths) {
        nope = query;
        rope = queryRope;
        queryCounts = queryLengths;
    }
    __aicore__ inline void SetKeys(GM_ADDR key, GM_ADDR keyRope, GM_ADDR value, GM_ADDR keyLengths) {
        keyRows = key;
        keyRopes = keyRope;
        valueRows = value;
        keyCounts = keyLengths;
    }
    __aicore__ inline void SetSelection(GM_ADDR sparseIndices, GM_ADDR blockTable) {
        indices.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(sparseIndices));
        tables.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(blockTable));
    }
    __aicore__ inline void Run(GM_ADDR out) {
        const uint32_t pieces = (set.heads + Attention::ROWS - 1) / Attention::ROWS;
        for (uint32_t job = GetBlockIdx(); job < set.batches * set.queries * pieces; job += set.cores) {
            const uint32_t first = job % pieces * Attention::ROWS;
            const uint32_t rows = set.heads - first < Attention::ROWS ? set.heads - first : Attention::ROWS;
            const uint32_t token = job / pieces;
            const uint64_t row = static_cast<uint64_t>(token) * set.heads + first;
            for (uint32_t i = 0; i < rows; ++i) {
                Gather(nope, rope, row + i, queries + i * depth * sizeof(Element));
            }
            attention->Begin(MatrixRows{queries, depth}, rows, depth);
            AddSelected(token);
            attention->End(MatrixRows{out + row * set.size * sizeof(Element), set.size});
        }
    }

private:
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
    __aicore__ inline void AddSelected(uint32_t token) {
        const uint32_t entry = token / set.queries;
        const uint32_t visible = Visible(entry, token % set.queries);
        uint32_t count = 0;
        for (uint32_t i = 0; i < set.selected; ++i) {
            const int32_t block = indices.GetValue(static_cast<uint64_t>(token) * set.selected + i);
            if (block < 0) {
                break;
            }
            for (uint32_t key = block * set.blockSize; key < (block + 1) * set.blockSize && key < visible;
                 ++key) {
                Take(RowOf(entry, key), count);
                if (++count == Attention::KEYS) {
                    AddGathered(count);
                    count = 0;
                }
            }
        }
        if (count > 0) {
            AddGathered(count);
        }
    }
    __aicore__ inline void AddGathered(uint32_t count) {
        attention->Add(MatrixRows{keys, depth}, MatrixRows{values, set.size}, count);
    }
    __aicore__ inline uint64_t RowOf(uint32_t entry, uint32_t key) const {
        if (set.mostBlocks == 0) {
            return static_cast<uint64_t>(entry) * set.rows + key;
        }
        const uint64_t page = static_cast<uint64_t>(
            tables.GetValue(static_cast<uint64_t>(entry) * set.mostBlocks + key / set.rows));
        return page * set.rows + key % set.rows;
    }
    __aicore__ inline void Take(uint64_t row, uint32_t slot) {
        Gather(keyRows, keyRopes, row, keys + slot * depth * sizeof(Element));
        gather.Copy(valueRows + row * set.size * sizeof(Element), values + slot * set.size * sizeof(Element),
                    set.size);
    }
    // Both parts of one row, behind each other.
    __aicore__ inline void Gather(GM_ADDR part, GM_ADDR rotated, uint64_t row, GM_ADDR to) {
        gather.Copy(part + row * set.size * sizeof(Element), to, set.size);
        if (set.rope > 0) {
            gather.Copy(rotated + row * set.rope * sizeof(Element), to + set.size * sizeof(Element),
                        set.rope);
        }
    }

    Attention* attention;
    RowGather<Element> gather;
    SparseFlashAttentionTilingData set;
    GlobalTensor<int32_t> indices;
    GlobalTensor<int32_t> tables;
    GM_ADDR nope;
    GM_ADDR rope;
    GM_ADDR keyRows;
    GM_ADDR keyRopes;
    GM_ADDR valueRows;
    GM_ADDR queryCounts;
    GM_ADDR keyCounts;
    GM_ADDR queries;
    GM_ADDR keys;
    GM_ADDR values;
    uint32_t depth;
};

extern "C" __global__ __aicore__ void sparse_flash_attention(
    GM_ADDR query, GM_ADDR key, GM_ADDR value, GM_ADDR sparse_indices, GM_ADDR block_table,
    GM_ADDR actual_seq_lengths_query, GM_ADDR actual_seq_lengths_kv, GM_ADDR query_rope, GM_ADDR key_rope,
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
    GM_ADDR space = GetUserWorkspace(workspace) + GetBlockIdx() * data.space;
    Attention attention;
    attention.Init(&pipe, &scores, &mixture, space, data.size, data.scale);
    SelectedAttention op;
    op.Init(&pipe, &attention, data, space + Attention::Space(data.size));
    op.SetQueries(query, query_rope, actual_seq_lengths_query);
    op.SetKeys(key, key_rope, value, actual_seq_lengths_kv);
    op.SetSelection(sparse_indices, block_table);
    op.Run(attention_out);
    scores.End();
    mixture.End();
}
