// The k largest or smallest of every row, by sorted chunks that are merged with the best so far.
#include "kernel_operator.h"
#include "top_list.h"

using namespace AscendC;

class RowTop {
public:
    __aicore__ inline void Init(TPipe* pipe, const TopKTilingData& tiling, GM_ADDR x, GM_ADDR values,
                                GM_ADDR indices) {
        set = tiling;
        sign = set.largest != 0 ? 1.0f : -1.0f;
        source.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
        found.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(values));
        places.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(indices));
        list.Init(pipe, set.wanted);
        pipe->InitBuffer(inQueue, 1, set.step == 1 ? TopList::CHUNK * sizeof(half) : TopList::CHUNK * BLOCK);
        pipe->InitBuffer(outQueue, 1, OutBytes());
        pipe->InitBuffer(offsetBuffer, TopList::CHUNK * sizeof(int32_t));
        pipe->InitBuffer(
            narrowBuffer,
            (Padded(set.wanted) > TopList::CHUNK ? Padded(set.wanted) : TopList::CHUNK) * sizeof(half));
        LocalTensor<int32_t> offsets = offsetBuffer.Get<int32_t>();
        CreateVecIndex(offsets, 0, TopList::CHUNK);
        Muls(offsets, offsets, static_cast<int32_t>(BLOCK), static_cast<int32_t>(TopList::CHUNK));
    }
    __aicore__ inline void Run() {
        const uint32_t first = GetBlockIdx() * set.coreRows;
        const uint32_t end = first + set.coreRows < set.rows ? first + set.coreRows : set.rows;
        for (uint32_t row = first; row < end; ++row) {
            RunRow(row / set.step, row % set.step);
        }
    }

private:
    static constexpr uint32_t BLOCK = 32;  // bytes an element takes in UB when the row is not contiguous

    __aicore__ static inline uint32_t Padded(uint32_t count) { return (count + 31) / 32 * 32; }
    __aicore__ inline uint32_t OutBytes() const {
        return set.step == 1 ? Padded(set.wanted) * (sizeof(half) + sizeof(int32_t)) : 2 * SPREAD * BLOCK;
    }
    __aicore__ inline void RunRow(uint32_t outer, uint32_t inner) {
        const uint64_t base = static_cast<uint64_t>(outer) * set.length * set.step + inner;
        list.Begin();
        for (uint32_t done = 0; done < set.length; done += TopList::CHUNK) {
            const uint32_t count = set.length - done < TopList::CHUNK ? set.length - done : TopList::CHUNK;
            Load(base + static_cast<uint64_t>(done) * set.step, count);
            list.Take(count);
        }
        list.End();
        const uint64_t target = static_cast<uint64_t>(outer) * set.wanted * set.step + inner;
        Muls(list.Values(), list.Values(), sign, static_cast<int32_t>(set.wanted));
        if (set.step == 1) {
            Store(target);
        } else {
            Spread(target);
        }
    }
    // Numbers of the row, in float32, negated when the smallest are wanted.
    __aicore__ inline void Load(uint64_t offset, uint32_t count) {
        const bool packed = set.step == 1;
        LocalTensor<half> local = inQueue.AllocTensor<half>();
        DataCopyExtParams params{static_cast<uint16_t>(packed ? 1 : count),
                                 static_cast<uint32_t>((packed ? count : 1) * sizeof(half)),
                                 static_cast<uint32_t>((set.step - 1) * sizeof(half)), 0, 0};
        DataCopyPadExtParams<half> pad{false, 0, 0, static_cast<half>(0)};
        DataCopyPad(local, source[offset], params, pad);
        inQueue.EnQue(local);
        local = inQueue.DeQue<half>();
        if (packed) {
            Cast(list.Chunk(), local, RoundMode::CAST_NONE, count);
        } else {
            LocalTensor<half> narrow = narrowBuffer.Get<half>();
            Gather(narrow, local, offsetBuffer.Get<uint32_t>(), 0, count);
            Cast(list.Chunk(), narrow, RoundMode::CAST_NONE, count);
        }
        inQueue.FreeTensor(local);
        Muls(list.Chunk(), list.Chunk(), sign, static_cast<int32_t>(count));
    }
    __aicore__ inline void Store(uint64_t offset) {
        LocalTensor<half> local = outQueue.AllocTensor<half>();
        LocalTensor<int32_t> numbers = local[Padded(set.wanted)].ReinterpretCast<int32_t>();
        Cast(local, list.Values(), RoundMode::CAST_RINT, set.wanted);
        Adds(numbers, list.Places(), 0, static_cast<int32_t>(set.wanted));
        outQueue.EnQue(local);
        local = outQueue.DeQue<half>();
        numbers = local[Padded(set.wanted)].ReinterpretCast<int32_t>();
        DataCopyPad(found[offset], local,
                    DataCopyExtParams{1, static_cast<uint32_t>(set.wanted * sizeof(half)), 0, 0, 0});
        DataCopyPad(places[offset], numbers,
                    DataCopyExtParams{1, static_cast<uint32_t>(set.wanted * sizeof(int32_t)), 0, 0, 0});
        outQueue.FreeTensor(local);
    }
    // Elements that lie apart in the result: each fills a block of UB first.
    __aicore__ inline void Spread(uint64_t offset) {
        LocalTensor<half> narrow = narrowBuffer.Get<half>();
        Cast(narrow, list.Values(), RoundMode::CAST_RINT, set.wanted);
        for (uint32_t done = 0; done < set.wanted; done += SPREAD) {
            const uint32_t count = set.wanted - done < SPREAD ? set.wanted - done : SPREAD;
            const uint8_t repeats = static_cast<uint8_t>((count + 7) / 8);
            LocalTensor<half> local = outQueue.AllocTensor<half>();
            LocalTensor<uint32_t> numbers = local[SPREAD * BLOCK / sizeof(half)].ReinterpretCast<uint32_t>();
            Brcb(local, narrow[done], repeats, {1, 8});
            Brcb(numbers, list.Places()[done].ReinterpretCast<uint32_t>(), repeats, {1, 8});
            outQueue.EnQue(local);
            local = outQueue.DeQue<half>();
            numbers = local[SPREAD * BLOCK / sizeof(half)].ReinterpretCast<uint32_t>();
            const uint64_t place = offset + static_cast<uint64_t>(done) * set.step;
            const uint16_t blocks = static_cast<uint16_t>(count);
            DataCopyPad(found[place], local,
                        DataCopyExtParams{blocks, sizeof(half), 0,
                                          static_cast<uint32_t>((set.step - 1) * sizeof(half)), 0});
            DataCopyPad(places[place], numbers.ReinterpretCast<int32_t>(),
                        DataCopyExtParams{blocks, sizeof(int32_t), 0,
                                          static_cast<uint32_t>((set.step - 1) * sizeof(int32_t)), 0});
            outQueue.FreeTensor(local);
        }
    }

    static constexpr uint32_t SPREAD = 64;  // elements of the result written at a time
    TopList list;
    TopKTilingData set;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> offsetBuffer;
    TBuf<TPosition::VECCALC> narrowBuffer;
    GlobalTensor<half> source;
    GlobalTensor<half> found;
    GlobalTensor<int32_t> places;
    float sign;
};

extern "C" __global__ __aicore__ void top_kv3(GM_ADDR x, GM_ADDR k, GM_ADDR values, GM_ADDR indices,
                                              GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    if (data.rows == 0 || data.wanted == 0) {
        return;
    }
    TPipe pipe;
    RowTop op;
    op.Init(&pipe, data, x, values, indices);
    op.Run();
}
