// Quantised rows: which group a row belongs to, and float32 numbers stored as int8.
#ifndef BYTE_ROW_H
#define BYTE_ROW_H
#include "tile_stream.h"

// Rows come group after group; `counts` says how many rows every group has, null means one group for all.
template <typename Number>
class RowGroups {
public:
    __aicore__ inline void Init(GM_ADDR counts, uint32_t groups) {
        last = counts == nullptr ? 0 : groups - 1;
        if (counts != nullptr) {
            numbers.SetGlobalBuffer(reinterpret_cast<__gm__ Number*>(counts), groups);
            end = static_cast<uint32_t>(numbers.GetValue(0));
        }
    }
    // Group of `row`; rows must be asked for in order.
    __aicore__ inline uint32_t Of(uint32_t row) {
        while (group < last && row >= end) {
            end += static_cast<uint32_t>(numbers.GetValue(++group));
        }
        return group;
    }

private:
    AscendC::GlobalTensor<Number> numbers;
    uint32_t group = 0;
    uint32_t last = 0;
    uint32_t end = 0;
};

class ByteStorer {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR address, uint32_t tileLength) {
        target.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(address));
        pipe->InitBuffer(queue, BUFFER_NUM, tileLength);
        pipe->InitBuffer(stepBuffer, tileLength * 2 * sizeof(half));
        tile = tileLength;
    }
    // Rounds to nearest, ties to even, limits to [-128, 127] and writes `count` elements from element
    // `offset` on.
    __aicore__ inline void Store(const AscendC::LocalTensor<float>& values, uint64_t offset, uint32_t count) {
        AscendC::LocalTensor<int16_t> whole = stepBuffer.Get<int16_t>();
        AscendC::LocalTensor<half> step = stepBuffer.Get<half>()[tile];
        AscendC::LocalTensor<int8_t> fresh = queue.AllocTensor<int8_t>();
        AscendC::Cast(whole, values, AscendC::RoundMode::CAST_RINT, count);
        AscendC::Maxs(whole, whole, static_cast<int16_t>(-128), static_cast<int32_t>(count));
        AscendC::Mins(whole, whole, static_cast<int16_t>(127), static_cast<int32_t>(count));
        AscendC::Cast(step, whole, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Cast(fresh, step, AscendC::RoundMode::CAST_RINT, count);
        queue.EnQue(fresh);
        AscendC::LocalTensor<int8_t> ready = queue.DeQue<int8_t>();
        AscendC::DataCopyPad(target[offset], ready, AscendC::DataCopyExtParams{1, count, 0, 0, 0});
        queue.FreeTensor(ready);
    }

private:
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> queue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> stepBuffer;
    AscendC::GlobalTensor<int8_t> target;
    uint32_t tile;
};
#endif
