#include "row_buffer.h"
using namespace AscendC;

constexpr uint32_t SLOT_TILE = 512;

// Every page belongs to one core, which looks through all slots for tokens of its pages: no two cores ever
// update one digest.
template <typename T>
class KernelScatterDigest {
public:
    __aicore__ inline void Init(const FusedScatterUpdateAndComputeDigestTilingData& tiling, TPipe* pipe) {
        set = tiling;
        keys.Init(pipe, set.tileLength);
        old.Init(pipe, set.tileLength);
        cache.Init(pipe, set.tileLength);
        largest.Init(pipe, set.tileLength);
        smallest.Init(pipe, set.tileLength);
        slots.Init(pipe, SLOT_TILE);
    }
    __aicore__ inline void SetTensors(GM_ADDR key, GM_ADDR slot, GM_ADDR digests, GM_ADDR newCache,
                                      GM_ADDR newDigests) {
        keys.Set(0, key);
        slots.Set(0, slot);
        old.Set(0, digests);
        cache.Set(0, newCache);
        largest.Set(0, newDigests);
        smallest.Set(0, newDigests);
    }
    __aicore__ inline void Run() {
        RowRun run = RowsOfCore(set);
        for (uint32_t page = run.first; page < run.end; ++page) {
            for (uint32_t column = 0; column < set.width; column += set.tileLength) {
                uint32_t left = set.width - column;
                Update(page, column, left < set.tileLength ? left : set.tileLength);
            }
        }
    }

private:
    __aicore__ inline void Update(uint32_t page, uint32_t column, uint32_t count) {
        started = false;
        fresh = false;
        int32_t first = static_cast<int32_t>(page * set.pageSize);
        int32_t end = first + static_cast<int32_t>(set.pageSize);
        for (uint32_t done = 0; done < set.tokens; done += SLOT_TILE) {
            uint32_t some = set.tokens - done < SLOT_TILE ? set.tokens - done : SLOT_TILE;
            slots.Load(done, some);
            for (uint32_t i = 0; i < some; ++i) {
                int32_t slot = slots.Tile(0).GetValue(i);
                if (slot >= first && slot < end) {
                    fresh = fresh || slot == first;
                    AddToken(done + i, static_cast<uint32_t>(slot), column, count);
                }
            }
            slots.Release();
        }
        if (started) {
            Finish(page, column, count);
        }
    }
    __aicore__ inline void AddToken(uint32_t token, uint32_t slot, uint32_t column, uint32_t count) {
        int32_t elements = static_cast<int32_t>(count);
        keys.Load(static_cast<uint64_t>(token) * set.width + column, count);
        cache.Begin();
        Muls(cache.Tile(0), keys.Tile(0), 1.0f, elements);
        cache.Store(static_cast<uint64_t>(slot) * set.width + column, count);
        if (started) {
            Max(largest.Tile(0), largest.Tile(0), keys.Tile(0), elements);
            Min(smallest.Tile(0), smallest.Tile(0), keys.Tile(0), elements);
        } else {
            started = true;
            largest.Begin();
            smallest.Begin();
            Muls(largest.Tile(0), keys.Tile(0), 1.0f, elements);
            Muls(smallest.Tile(0), keys.Tile(0), 1.0f, elements);
        }
        keys.Release();
    }
    // A page that got a token in row 0 starts afresh; otherwise its old digest still counts.
    __aicore__ inline void Finish(uint32_t page, uint32_t column, uint32_t count) {
        int32_t elements = static_cast<int32_t>(count);
        uint64_t top = static_cast<uint64_t>(page) * 2 * set.width + column;
        if (!fresh) {
            old.Load(top, count);
            Max(largest.Tile(0), largest.Tile(0), old.Tile(0), elements);
            old.Release();
            old.Load(top + set.width, count);
            Min(smallest.Tile(0), smallest.Tile(0), old.Tile(0), elements);
            old.Release();
        }
        largest.Store(top, count);
        smallest.Store(top + set.width, count);
    }

    TileLoader<T, 1> keys;
    TileLoader<T, 1> old;
    TileLoader<int32_t, 1> slots;
    TileStorer<T, 1> cache;
    TileStorer<T, 1> largest;
    TileStorer<T, 1> smallest;
    FusedScatterUpdateAndComputeDigestTilingData set;
    bool started;
    bool fresh;
};

extern "C" __global__ __aicore__ void fused_scatter_update_and_compute_digest(
    GM_ADDR key, GM_ADDR slot_mapping, GM_ADDR key_cache, GM_ADDR digest_cache, GM_ADDR key_cache_out,
    GM_ADDR digest_cache_out, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelScatterDigest<DTYPE_KEY> op;
    op.Init(tilingData, &pipe);
    op.SetTensors(key, slot_mapping, digest_cache, key_cache_out, digest_cache_out);
    op.Run();
}
