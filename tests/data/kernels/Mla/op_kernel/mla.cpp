// Attention over a paged cache of latents: queries and keys of both kinds are gathered side by side in
// workspace, up to 16 heads and 128 keys at a time.
#include "kernel_operator.h"
#include "block_attention.h"
#include "row_gather.h"

using namespace AscendC;
using Element = DTYPE_QUERY_NOPE;
using Attention = BlockAttention<Element>;

class LatentAttention {
public:
    __aicore__ inline void Init(TPipe* pipe, Attention* blocks, const MlaTilingData& tiling, GM_ADDR space) {
        attention = blocks;
        set = tiling;
        depth = set.latent + set.rope;
        queries = space;
        keys = space + Attention::ROWS * depth * sizeof(Element);
        gather.Init(pipe, set.latent > set.rope ? set.latent : set.rope);
    }
    __aicore__ inline void SetInputs(GM_ADDR queryNope, GM_ADDR queryRope, GM_ADDR keyNope, GM_ADDR keyRope,
                                     GM_ADDR blockTables) {
        nope = queryNope;
        rope = queryRope;
        cachedNope = keyNope;
        cachedRope = keyRope;
        tables.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(blockTables));
    }
    __aicore__ inline void Run(GM_ADDR out) {
        const uint32_t group = set.heads / set.keyHeads;
        const uint32_t pieces = (group + Attention::ROWS - 1) / Attention::ROWS;
        for (uint32_t job = GetBlockIdx(); job < set.tokens * set.keyHeads * pieces; job += set.cores) {
            const uint32_t first = job % pieces * Attention::ROWS;
            const uint32_t keyHead = job / pieces % set.keyHeads;
            const uint64_t token = job / pieces / set.keyHeads;
            const uint32_t rows = group - first < Attention::ROWS ? group - first : Attention::ROWS;
            const uint64_t row = token * set.heads + keyHead * group + first;
            Attend(row, rows, keyHead, SequenceOf(static_cast<uint32_t>(token)));
            attention->End(MatrixRows{out + row * set.latent * sizeof(Element), set.latent});
        }
    }

private:
    __aicore__ inline uint32_t SequenceOf(uint32_t token) const {
        uint32_t sequence = 0;
        while (token >= set.tokenEnds[sequence]) {
            ++sequence;
        }
        return sequence;
    }
    __aicore__ inline void Attend(uint64_t row, uint32_t rows, uint32_t keyHead, uint32_t sequence) {
        for (uint32_t i = 0; i < rows; ++i) {
            Gather(nope, rope, row + i, queries + i * depth * sizeof(Element));
        }
        attention->Begin(MatrixRows{queries, depth}, rows, depth);
        const uint32_t length = set.lengths[sequence];
        for (uint32_t done = 0; done < length; done += Attention::KEYS) {
            const uint32_t count = length - done < Attention::KEYS ? length - done : Attention::KEYS;
            for (uint32_t i = 0; i < count; ++i) {
                Gather(cachedNope, cachedRope, CacheRow(sequence, done + i, keyHead),
                       keys + i * depth * sizeof(Element));
            }
            attention->Add(MatrixRows{keys, depth}, MatrixRows{keys, depth}, count);
        }
    }
    __aicore__ inline uint64_t CacheRow(uint32_t sequence, uint32_t key, uint32_t keyHead) const {
        const uint64_t page = static_cast<uint64_t>(
            tables.GetValue(static_cast<uint64_t>(sequence) * set.mostBlocks + key / set.blockSize));
        return (page * set.blockSize + key % set.blockSize) * set.keyHeads + keyHead;
    }
    // Both parts of one row, behind each other.
    __aicore__ inline void Gather(GM_ADDR latents, GM_ADDR ropes, uint64_t row, GM_ADDR to) {
        gather.Copy(latents + row * set.latent * sizeof(Element), to, set.latent);
        gather.Copy(ropes + row * set.rope * sizeof(Element), to + set.latent * sizeof(Element), set.rope);
    }

    Attention* attention;
    RowGather<Element> gather;
    MlaTilingData set;
    GlobalTensor<int32_t> tables;
    GM_ADDR nope;
    GM_ADDR rope;
    GM_ADDR cachedNope;
    GM_ADDR cachedRope;
    GM_ADDR queries;
    GM_ADDR keys;
    uint32_t depth;
};

extern "C" __global__ __aicore__ void mla(GM_ADDR query_nope, GM_ADDR query_rope, GM_ADDR kv_nope_cache,
                                          GM_ADDR kv_rope_cache, GM_ADDR block_tables, GM_ADDR out,
                                          GM_ADDR workspace, GM_ADDR tiling) {
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
    attention.Init(&pipe, &scores, &mixture, space, data.latent, data.scale);
    LatentAttention op;
    op.Init(&pipe, &attention, data, space + Attention::Space(data.latent));
    op.SetInputs(query_nope, query_rope, kv_nope_cache, kv_rope_cache, block_tables);
    op.Run(out);
    scores.End();
    mixture.End();
}
