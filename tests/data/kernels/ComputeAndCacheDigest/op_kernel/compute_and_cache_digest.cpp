#include "row_buffer.h"
using namespace AscendC;

template <typename T>
class KernelDigest {
public:
    __aicore__ inline void Init(const ComputeAndCacheDigestTilingData& tiling, TPipe* pipe) {
        set = tiling;
        tokens.Init(pipe, set.tileLength);
        largest.Init(pipe, set.tileLength);
        smallest.Init(pipe, set.tileLength);
    }
    __aicore__ inline void SetCaches(GM_ADDR keys, GM_ADDR digests) {
        tokens.Set(0, keys);
        largest.Set(0, digests);
        smallest.Set(0, digests);
    }
    __aicore__ inline void Run(GM_ADDR pages, GM_ADDR lengths) {
        RowRun run = RowsOfCore(set);
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint32_t page = static_cast<uint32_t>(ScalarOf<int32_t, int32_t>(pages, index));
            uint32_t length = static_cast<uint32_t>(ScalarOf<int32_t, int32_t>(lengths, index));
            for (uint32_t column = 0; column < set.width; column += set.tileLength) {
                uint32_t left = set.width - column;
                Digest(page, length, column, left < set.tileLength ? left : set.tileLength);
            }
        }
    }

private:
    __aicore__ inline void Digest(uint32_t page, uint32_t length, uint32_t column, uint32_t count) {
        int32_t elements = static_cast<int32_t>(count);
        uint64_t first = static_cast<uint64_t>(page) * set.pageSize * set.width + column;
        largest.Begin();
        smallest.Begin();
        for (uint32_t token = 0; token < length; ++token) {
            tokens.Load(first + static_cast<uint64_t>(token) * set.width, count);
            if (token == 0) {
                Muls(largest.Tile(0), tokens.Tile(0), 1.0f, elements);
                Muls(smallest.Tile(0), tokens.Tile(0), 1.0f, elements);
            } else {
                Max(largest.Tile(0), largest.Tile(0), tokens.Tile(0), elements);
                Min(smallest.Tile(0), smallest.Tile(0), tokens.Tile(0), elements);
            }
            tokens.Release();
        }
        uint64_t target = static_cast<uint64_t>(page) * 2 * set.width + column;
        largest.Store(target, count);
        smallest.Store(target + set.width, count);
    }

    TileLoader<T, 1> tokens;
    TileStorer<T, 1> largest;
    TileStorer<T, 1> smallest;
    ComputeAndCacheDigestTilingData set;
};

extern "C" __global__ __aicore__ void compute_and_cache_digest(GM_ADDR key_cache, GM_ADDR page_ids,
                                                               GM_ADDR lengths, GM_ADDR digest_cache,
                                                               GM_ADDR digest_cache_out, GM_ADDR workspace,
                                                               GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelDigest<DTYPE_KEY_CACHE> op;
    op.Init(tilingData, &pipe);
    op.SetCaches(key_cache, digest_cache_out);
    op.Run(page_ids, lengths);
}
