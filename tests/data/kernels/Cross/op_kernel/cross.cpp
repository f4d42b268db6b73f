#include "tile_stream.h"
using namespace AscendC;

// int8 has no arithmetic: it goes by way of half to float32, where its products are exact.
template <typename T>
class KernelCross {
public:
    using C = typename ComputeType<T>::Type;

    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const CrossTilingData& tiling,
                                TPipe* pipe) {
        set = tiling;
        left.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x1));
        right.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x2));
        result.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
        slot = (set.tileRows * set.tileColumns + 255) / 256 * 256;
        pipe->InitBuffer(inQueue, 1, 6 * slot * sizeof(T));
        pipe->InitBuffer(outQueue, 1, 3 * slot * sizeof(T));
        pipe->InitBuffer(productBuffer, slot * sizeof(C));
        if constexpr (WIDENS) {
            pipe->InitBuffer(wideBuffer, 7 * slot * sizeof(C));
        }
        if constexpr (BYTES) {
            pipe->InitBuffer(halfBuffer, slot * sizeof(half));
        }
    }
    __aicore__ inline void Run() {
        uint32_t first = GetBlockIdx() * set.coreRows;
        uint32_t end = first + set.coreRows < set.outer ? first + set.coreRows : set.outer;
        for (uint32_t row = first; row < end; row += set.tileRows) {
            uint32_t rows = end - row < set.tileRows ? end - row : set.tileRows;
            for (uint32_t column = 0; column < set.inner; column += set.tileColumns) {
                uint32_t left = set.inner - column;
                Tile(row, rows, column, left < set.tileColumns ? left : set.tileColumns);
            }
        }
    }

private:
    static constexpr bool WIDENS = !IsSameType<T, C>::value;
    static constexpr bool BYTES = sizeof(T) == 1;

    __aicore__ inline uint64_t Place(uint32_t row, uint32_t component, uint32_t column) const {
        return (static_cast<uint64_t>(row) * 3 + component) * set.inner + column;
    }
    __aicore__ inline void Tile(uint32_t row, uint32_t rows, uint32_t column, uint32_t columns) {
        constexpr uint32_t perBlock = 32 / sizeof(T);
        uint32_t padded = (columns + perBlock - 1) / perBlock * perBlock;
        uint32_t gap = (3 * set.inner - columns) * sizeof(T);
        uint16_t count = static_cast<uint16_t>(rows);
        uint32_t bytes = columns * sizeof(T);
        LocalTensor<T> fresh = inQueue.template AllocTensor<T>();
        DataCopyPadExtParams<T> pad{true, 0, static_cast<uint8_t>(padded - columns), static_cast<T>(0)};
        for (uint32_t k = 0; k < 3; ++k) {
            DataCopyExtParams params{count, bytes, gap, 0, 0};
            DataCopyPad(fresh[k * slot], left[Place(row, k, column)], params, pad);
            DataCopyPad(fresh[(3 + k) * slot], right[Place(row, k, column)], params, pad);
        }
        inQueue.EnQue(fresh);
        LocalTensor<T> in = inQueue.template DeQue<T>();
        LocalTensor<T> out = outQueue.template AllocTensor<T>();
        Widen(in, static_cast<int32_t>(rows * padded));
        for (uint32_t k = 0; k < 3; ++k) {
            Component(out, in, k, static_cast<int32_t>(rows * padded));
        }
        outQueue.EnQue(out);
        inQueue.FreeTensor(in);
        LocalTensor<T> ready = outQueue.template DeQue<T>();
        for (uint32_t k = 0; k < 3; ++k) {
            DataCopyPad(result[Place(row, k, column)], ready[k * slot],
                        DataCopyExtParams{count, bytes, 0, gap, 0});
        }
        outQueue.FreeTensor(ready);
    }
    __aicore__ inline void Widen(LocalTensor<T>& in, int32_t count) {
        if constexpr (WIDENS) {
            for (uint32_t i = 0; i < 6; ++i) {
                LocalTensor<C> wide = wideBuffer.template Get<C>()[i * slot];
                if constexpr (BYTES) {
                    LocalTensor<half> step = halfBuffer.Get<half>();
                    Cast(step, in[i * slot], RoundMode::CAST_NONE, count);
                    Cast(wide, step, RoundMode::CAST_NONE, count);
                } else {
                    Cast(wide, in[i * slot], RoundMode::CAST_NONE, count);
                }
            }
        }
    }
    __aicore__ inline LocalTensor<C> Source(LocalTensor<T>& in, uint32_t index) {
        if constexpr (WIDENS) {
            return wideBuffer.template Get<C>()[index * slot];
        } else {
            return in[index * slot];
        }
    }
    __aicore__ inline LocalTensor<C> Target(LocalTensor<T>& out, uint32_t component) {
        if constexpr (WIDENS) {
            return wideBuffer.template Get<C>()[6 * slot];
        } else {
            return out[component * slot];
        }
    }
    // y_k = a_i b_j - a_j b_i with (i, j) the two components after k.
    __aicore__ inline void Component(LocalTensor<T>& out, LocalTensor<T>& in, uint32_t k, int32_t count) {
        uint32_t i = (k + 1) % 3;
        uint32_t j = (k + 2) % 3;
        LocalTensor<C> product = productBuffer.Get<C>();
        LocalTensor<C> value = Target(out, k);
        Mul(value, Source(in, i), Source(in, 3 + j), count);
        Mul(product, Source(in, j), Source(in, 3 + i), count);
        Sub(value, value, product, count);
        if constexpr (BYTES) {
            LocalTensor<int16_t> low = product.template ReinterpretCast<int16_t>();
            Cast(low, value, RoundMode::CAST_RINT, count);
            ShiftLeft(low, low, static_cast<int16_t>(8), count);
            ShiftRight(low, low, static_cast<int16_t>(8), count);
            LocalTensor<half> step = halfBuffer.Get<half>();
            Cast(step, low, RoundMode::CAST_NONE, count);
            Cast(out[k * slot], step, RoundMode::CAST_RINT, count);
        } else if constexpr (WIDENS) {
            Cast(out[k * slot], value, RoundMode::CAST_RINT, count);
        }
    }

    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> wideBuffer;
    TBuf<TPosition::VECCALC> productBuffer;
    TBuf<TPosition::VECCALC> halfBuffer;
    GlobalTensor<T> left;
    GlobalTensor<T> right;
    GlobalTensor<T> result;
    CrossTilingData set;
    uint32_t slot;
};

extern "C" __global__ __aicore__ void cross(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace,
                                            GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelCross<DTYPE_X1> op;
    op.Init(x1, x2, y, tilingData, &pipe);
    op.Run();
}
