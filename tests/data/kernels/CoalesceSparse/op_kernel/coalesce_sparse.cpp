#include "row_buffer.h"
using namespace AscendC;

constexpr uint32_t NUMBER_TILE = 512;
constexpr uint32_t INDEX_WORDS = 64;

// Every position belongs to one core, which looks through the numbers of all entries: sums need no atomics,
// and their order is that of the entries. Positions are taken in batches whose sums fit UB.
template <typename Value, typename Number>
class KernelCoalesce {
public:
    using C = typename ComputeType<Value>::Type;

    __aicore__ inline void Init(const CoalesceSparseTilingData& tiling, TPipe* pipe) {
        set = tiling;
        values.Init(pipe, set.tileLength);
        sums.Init(pipe, set.tileLength);
        pipe->InitBuffer(numberQueue, BUFFER_NUM, NUMBER_TILE * sizeof(Number));
        pipe->InitBuffer(indexQueue, BUFFER_NUM, INDEX_WORDS * sizeof(int32_t));
        pipe->InitBuffer(sumBuffer, set.batchRows * set.tileLength * sizeof(C));
    }
    __aicore__ inline void SetTensors(GM_ADDR number, GM_ADDR index, GM_ADDR value, GM_ADDR newIndex,
                                      GM_ADDR newValue) {
        numbers.SetGlobalBuffer(reinterpret_cast<__gm__ Number*>(number));
        indices.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(index));
        newIndices.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(newIndex));
        values.Set(0, value);
        sums.Set(0, newValue);
    }
    __aicore__ inline void Run() {
        RowRun run = RowsOfCore(set);
        for (uint32_t first = run.first; first < run.end; first += set.batchRows) {
            uint32_t rows = run.end - first < set.batchRows ? run.end - first : set.batchRows;
            for (uint32_t column = 0; column < set.width; column += set.tileLength) {
                uint32_t left = set.width - column;
                Batch(first, rows, column, left < set.tileLength ? left : set.tileLength);
            }
        }
    }

private:
    __aicore__ inline LocalTensor<C> SumOf(uint32_t row) { return sumBuffer.Get<C>()[row * set.tileLength]; }

    __aicore__ inline void Batch(uint32_t first, uint32_t rows, uint32_t column, uint32_t count) {
        Duplicate(sumBuffer.Get<C>(), static_cast<C>(0), static_cast<int32_t>(rows * set.tileLength));
        for (uint32_t done = 0; done < set.entries; done += NUMBER_TILE) {
            uint32_t some = set.entries - done < NUMBER_TILE ? set.entries - done : NUMBER_TILE;
            LocalTensor<Number> fresh = numberQueue.template AllocTensor<Number>();
            DataCopyPad(fresh, numbers[done], DataCopyExtParams{1, uint32_t(some * sizeof(Number)), 0, 0, 0},
                        DataCopyPadExtParams<Number>{false, 0, 0, 0});
            numberQueue.EnQue(fresh);
            LocalTensor<Number> ready = numberQueue.template DeQue<Number>();
            for (uint32_t i = 0; i < some; ++i) {
                uint32_t row = static_cast<uint32_t>(ready.GetValue(i)) - first;
                if (row < rows) {
                    AddEntry(row, done + i, column, count);
                    if (column == 0) {
                        CopyIndex(first + row, done + i);
                    }
                }
            }
            numberQueue.FreeTensor(ready);
        }
        for (uint32_t row = 0; row < rows; ++row) {
            sums.Begin();
            Adds(sums.Tile(0), SumOf(row), static_cast<C>(0), static_cast<int32_t>(count));
            sums.Store(static_cast<uint64_t>(first + row) * set.width + column, count);
        }
    }
    __aicore__ inline void AddEntry(uint32_t row, uint32_t entry, uint32_t column, uint32_t count) {
        values.Load(static_cast<uint64_t>(entry) * set.width + column, count);
        Add(SumOf(row), SumOf(row), values.Tile(0), static_cast<int32_t>(count));
        values.Release();
    }
    // All entries of a position have the same indices: writing them again does no harm.
    __aicore__ inline void CopyIndex(uint32_t position, uint32_t entry) {
        for (uint32_t done = 0; done < set.indexWords; done += INDEX_WORDS) {
            uint32_t some = set.indexWords - done < INDEX_WORDS ? set.indexWords - done : INDEX_WORDS;
            DataCopyExtParams params{1, static_cast<uint32_t>(some * sizeof(int32_t)), 0, 0, 0};
            LocalTensor<int32_t> fresh = indexQueue.AllocTensor<int32_t>();
            DataCopyPad(fresh, indices[static_cast<uint64_t>(entry) * set.indexWords + done], params,
                        DataCopyPadExtParams<int32_t>{false, 0, 0, 0});
            indexQueue.EnQue(fresh);
            LocalTensor<int32_t> ready = indexQueue.DeQue<int32_t>();
            DataCopyPad(newIndices[static_cast<uint64_t>(position) * set.indexWords + done], ready, params);
            indexQueue.FreeTensor(ready);
        }
    }

    TileLoader<Value, 1> values;
    TileStorer<Value, 1> sums;
    TQue<TPosition::VECIN, BUFFER_NUM> numberQueue;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, BUFFER_NUM> indexQueue;
    TBuf<TPosition::VECCALC> sumBuffer;
    GlobalTensor<Number> numbers;
    GlobalTensor<int32_t> indices;
    GlobalTensor<int32_t> newIndices;
    CoalesceSparseTilingData set;
};

extern "C" __global__ __aicore__ void coalesce_sparse(GM_ADDR unique_len, GM_ADDR unique_indices,
                                                      GM_ADDR indices, GM_ADDR values, GM_ADDR new_indices,
                                                      GM_ADDR new_values, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelCoalesce<DTYPE_VALUES, DTYPE_UNIQUE_INDICES> op;
    op.Init(tilingData, &pipe);
    op.SetTensors(unique_indices, indices, values, new_indices, new_values);
    op.Run();
}
