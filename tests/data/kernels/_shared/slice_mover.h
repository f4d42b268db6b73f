// Moves slices of a tensor bit by bit, whatever its dtype: they begin at any address and have any length.
#ifndef SLICE_MOVER_H
#define SLICE_MOVER_H
#include "row_buffer.h"

class SliceMover {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR from, GM_ADDR to, uint32_t sliceBytes,
                                uint32_t tileBytes) {
        bytes = sliceBytes;
        tile = tileBytes;
        pitch = (bytes + 31) / 32 * 32;
        most = pitch > 0 && pitch < tile ? tile / pitch : 1;
        most = most < MOST_BLOCKS ? most : MOST_BLOCKS;
        source.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(from));
        target.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(to));
        pipe->InitBuffer(queue, BUFFER_NUM, tile);
    }
    // Slice i of the target comes from byte `place.Of(i)` of the source, for i in [first, end).
    template <typename Place>
    __aicore__ inline void Gather(uint32_t first, uint32_t end, Place& place) {
        if (bytes > tile) {
            for (uint32_t index = first; index < end; ++index) {
                MoveLong(place.Of(index), static_cast<uint64_t>(index) * bytes);
            }
            return;
        }
        for (uint32_t index = first; index < end; index += most) {
            uint32_t some = end - index < most ? end - index : most;
            AscendC::LocalTensor<uint8_t> local = queue.AllocTensor<uint8_t>();
            for (uint32_t i = 0; i < some; ++i) {
                AscendC::DataCopyPad(local[i * pitch], source[place.Of(index + i)], Blocks(1), NoPadding());
            }
            queue.EnQue(local);
            local = queue.DeQue<uint8_t>();
            AscendC::DataCopyPad(target[static_cast<uint64_t>(index) * bytes], local, Blocks(some));
            queue.FreeTensor(local);
        }
    }
    // Slice i of the source goes to byte `place.Of(i)` of the target, for i in [first, end).
    template <typename Place>
    __aicore__ inline void Scatter(uint32_t first, uint32_t end, Place& place) {
        if (bytes > tile) {
            for (uint32_t index = first; index < end; ++index) {
                MoveLong(static_cast<uint64_t>(index) * bytes, place.Of(index));
            }
            return;
        }
        for (uint32_t index = first; index < end; index += most) {
            uint32_t some = end - index < most ? end - index : most;
            AscendC::LocalTensor<uint8_t> local = queue.AllocTensor<uint8_t>();
            AscendC::DataCopyPad(local, source[static_cast<uint64_t>(index) * bytes], Blocks(some),
                                 NoPadding());
            queue.EnQue(local);
            local = queue.DeQue<uint8_t>();
            for (uint32_t i = 0; i < some; ++i) {
                AscendC::DataCopyPad(target[place.Of(index + i)], local[i * pitch], Blocks(1));
            }
            queue.FreeTensor(local);
        }
    }

private:
    static constexpr uint32_t MOST_BLOCKS = 4095;  // limit of blockCount in DataCopyPad

    __aicore__ inline AscendC::DataCopyExtParams Blocks(uint32_t count) const {
        return {static_cast<uint16_t>(count), bytes, 0, 0, 0};
    }
    __aicore__ static inline AscendC::DataCopyPadExtParams<uint8_t> NoPadding() { return {false, 0, 0, 0}; }
    // A slice that does not fit the tile.
    __aicore__ inline void MoveLong(uint64_t from, uint64_t to) {
        for (uint32_t done = 0; done < bytes; done += tile) {
            uint32_t count = bytes - done < tile ? bytes - done : tile;
            AscendC::DataCopyExtParams block{1, count, 0, 0, 0};
            AscendC::LocalTensor<uint8_t> local = queue.AllocTensor<uint8_t>();
            AscendC::DataCopyPad(local, source[from + done], block, NoPadding());
            queue.EnQue(local);
            local = queue.DeQue<uint8_t>();
            AscendC::DataCopyPad(target[to + done], local, block);
            queue.FreeTensor(local);
        }
    }

    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, BUFFER_NUM> queue;
    AscendC::GlobalTensor<uint8_t> source;
    AscendC::GlobalTensor<uint8_t> target;
    uint32_t bytes;
    uint32_t tile;
    uint32_t pitch;
    uint32_t most;
};
#endif
