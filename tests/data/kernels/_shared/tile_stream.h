// Tensors of one dtype that pass through UB tile by tile, widened to 32 bits on the way in and narrowed on
// the way out.
#ifndef TILE_STREAM_H
#define TILE_STREAM_H
#include "kernel_operator.h"

constexpr int32_t BUFFER_NUM = 2;

// int32 is computed as it is, everything else in float32.
template <typename T>
struct ComputeType {
    using Type = float;
};
template <>
struct ComputeType<int32_t> {
    using Type = int32_t;
};

// COUNT tensors that are read at the same place. One queue serves all of them: every buffer of a queue costs
// an event id, of which there are eight. What is needed but once a row can do with one buffer.
template <typename T, int32_t COUNT, int32_t BUFFERS = BUFFER_NUM>
class TileLoader {
public:
    using C = typename ComputeType<T>::Type;

    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t tileLength) {
        tile = tileLength;
        pipe->InitBuffer(queue, BUFFERS, COUNT * tile * sizeof(T));
        if constexpr (WIDENS) {
            pipe->InitBuffer(wideBuffer, COUNT * tile * sizeof(C));
        }
    }
    // A tensor without address takes no part: its tile holds nothing.
    __aicore__ inline void Set(int32_t index, GM_ADDR address) {
        tensors[index].SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
        given[index] = address != nullptr;
    }
    __aicore__ inline bool Has(int32_t index) const { return given[index]; }
    // Starts the copy of `count` elements from element `offset` on.
    __aicore__ inline void Copy(uint64_t offset, uint32_t count) {
        AscendC::LocalTensor<T> local = queue.template AllocTensor<T>();
        AscendC::DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        AscendC::DataCopyPadExtParams<T> pad{false, 0, 0, static_cast<T>(0)};
        for (int32_t i = 0; i < COUNT; ++i) {
            if (given[i]) {
                AscendC::DataCopyPad(local[i * tile], tensors[i][offset], params, pad);
            }
        }
        queue.EnQue(local);
    }
    // Starts the copy of `rows` pieces of `columns` elements, `pitch` elements apart. In the tile every piece
    // is filled up with zeros to Padded(columns) elements.
    __aicore__ inline void CopyRows(uint64_t offset, uint32_t rows, uint32_t columns, uint32_t pitch) {
        AscendC::LocalTensor<T> local = queue.template AllocTensor<T>();
        AscendC::DataCopyExtParams params{static_cast<uint16_t>(rows),
                                          static_cast<uint32_t>(columns * sizeof(T)),
                                          static_cast<uint32_t>((pitch - columns) * sizeof(T)), 0, 0};
        uint8_t missing = static_cast<uint8_t>(Padded(columns) - columns);
        AscendC::DataCopyPadExtParams<T> pad{true, 0, missing, static_cast<T>(0)};
        for (int32_t i = 0; i < COUNT; ++i) {
            if (given[i]) {
                AscendC::DataCopyPad(local[i * tile], tensors[i][offset], params, pad);
            }
        }
        queue.EnQue(local);
    }
    __aicore__ static inline uint32_t Padded(uint32_t columns) {
        constexpr uint32_t perBlock = 32 / sizeof(T);
        return (columns + perBlock - 1) / perBlock * perBlock;
    }
    // Waits for the oldest copy; its elements are valid, and may be overwritten, until Release.
    __aicore__ inline void Take(int32_t count) {
        taken = queue.template DeQue<T>();
        if constexpr (WIDENS) {
            // int64 becomes float by rounding: A2 has no CAST_NONE for it.
            constexpr auto mode =
                sizeof(T) == 8 ? AscendC::RoundMode::CAST_RINT : AscendC::RoundMode::CAST_NONE;
            for (int32_t i = 0; i < COUNT; ++i) {
                if (given[i]) {
                    AscendC::LocalTensor<C> wide = wideBuffer.template Get<C>()[i * tile];
                    AscendC::Cast(wide, taken[i * tile], mode, count);
                }
            }
        }
    }
    __aicore__ inline AscendC::LocalTensor<C> Tile(int32_t index) {
        if constexpr (WIDENS) {
            return wideBuffer.template Get<C>()[index * tile];
        } else {
            return taken[index * tile];
        }
    }
    __aicore__ inline void Release() { queue.FreeTensor(taken); }
    __aicore__ inline void Load(uint64_t offset, uint32_t count) {
        Copy(offset, count);
        Take(static_cast<int32_t>(count));
    }

private:
    static constexpr bool WIDENS = !AscendC::IsSameType<T, C>::value;

    AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> queue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer;
    AscendC::GlobalTensor<T> tensors[COUNT];
    AscendC::LocalTensor<T> taken;
    bool given[COUNT];
    uint32_t tile;
};

// COUNT tensors that are written at the same place.
template <typename T, int32_t COUNT>
class TileStorer {
public:
    using C = typename ComputeType<T>::Type;

    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t tileLength) {
        tile = tileLength;
        pipe->InitBuffer(queue, BUFFER_NUM, COUNT * tile * sizeof(T));
        if constexpr (NARROWS) {
            pipe->InitBuffer(wideBuffer, COUNT * tile * sizeof(C));
        }
    }
    __aicore__ inline void Set(int32_t index, GM_ADDR address) {
        tensors[index].SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
        given[index] = address != nullptr;
    }
    __aicore__ inline bool Has(int32_t index) const { return given[index]; }
    // Tile(i) may be written from here on, until Store.
    __aicore__ inline void Begin() { fresh = queue.template AllocTensor<T>(); }
    __aicore__ inline AscendC::LocalTensor<C> Tile(int32_t index) {
        if constexpr (NARROWS) {
            return wideBuffer.template Get<C>()[index * tile];
        } else {
            return fresh[index * tile];
        }
    }
    // Rounds to nearest, ties to even, and writes `count` elements from element `offset` on.
    __aicore__ inline void Store(uint64_t offset, uint32_t count) {
        AscendC::DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        Write(offset, static_cast<int32_t>(count), params);
    }
    // Writes `rows` pieces of `columns` elements, `pitch` elements apart; in the tile they lie as CopyRows
    // leaves them.
    __aicore__ inline void StoreRows(uint64_t offset, uint32_t rows, uint32_t columns, uint32_t pitch) {
        AscendC::DataCopyExtParams params{static_cast<uint16_t>(rows),
                                          static_cast<uint32_t>(columns * sizeof(T)), 0,
                                          static_cast<uint32_t>((pitch - columns) * sizeof(T)), 0};
        constexpr uint32_t perBlock = 32 / sizeof(T);
        uint32_t padded = (columns + perBlock - 1) / perBlock * perBlock;
        Write(offset, static_cast<int32_t>(rows * padded), params);
    }

private:
    static constexpr bool NARROWS = !AscendC::IsSameType<T, C>::value;

    __aicore__ inline void Write(uint64_t offset, int32_t count, const AscendC::DataCopyExtParams& params) {
        if constexpr (NARROWS) {
            for (int32_t i = 0; i < COUNT; ++i) {
                if (given[i]) {
                    AscendC::Cast(fresh[i * tile], Tile(i), AscendC::RoundMode::CAST_RINT, count);
                }
            }
        }
        queue.EnQue(fresh);
        AscendC::LocalTensor<T> ready = queue.template DeQue<T>();
        for (int32_t i = 0; i < COUNT; ++i) {
            if (given[i]) {
                AscendC::DataCopyPad(tensors[i][offset], ready[i * tile], params);
            }
        }
        queue.FreeTensor(ready);
    }

    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> queue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer;
    AscendC::GlobalTensor<T> tensors[COUNT];
    AscendC::LocalTensor<T> fresh;
    bool given[COUNT];
    uint32_t tile;
};

// One element of a tensor, the first unless told, as the number the kernel computes with.
template <typename C, typename S>
__aicore__ inline C ScalarOf(GM_ADDR address, uint64_t index = 0) {
    AscendC::GlobalTensor<S> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(address));
    if constexpr (AscendC::IsSameType<S, bfloat16_t>::value) {
        return AscendC::ToFloat(tensor.GetValue(index));
    } else {
        return static_cast<C>(tensor.GetValue(index));
    }
}
#endif
