#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class BiasAdd {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR bias, GM_ADDR y, const Data& data) {
        const uint32_t core = GetBlockIdx();
        first = core * data.share + (core < data.more ? core : data.more);
        last = first + data.share + (core < data.more ? 1 : 0);
        width = data.width;
        batch = data.batch;
        stripe = data.stripe;
        from.SetGlobalBuffer((__gm__ T*)x);
        added.SetGlobalBuffer((__gm__ T*)bias, width);
        to.SetGlobalBuffer((__gm__ T*)y);
        const uint32_t pitch = (stripe * sizeof(T) + 31) / 32 * 32;
        pipe.InitBuffer(arriving, 2, batch * pitch);
        pipe.InitBuffer(leaving, 2, batch * pitch);
        pipe.InitBuffer(kept, 1, pitch);
    }
    __aicore__ inline void Process() {
        for (uint32_t column = 0; column < width && first < last; column += stripe) {
            const uint32_t count = width - column < stripe ? width - column : stripe;
            LocalTensor<T> bias = kept.template AllocTensor<T>();
            DataCopyPad(bias, added[column], Piece(1, count),
                        DataCopyPadExtParams<T>{false, 0, 0, static_cast<T>(0)});
            kept.EnQue(bias);
            bias = kept.template DeQue<T>();
            for (uint32_t row = first; row < last; row += batch) {
                Tile(bias, row, last - row < batch ? last - row : batch, column, count);
            }
            kept.FreeTensor(bias);
        }
    }

private:
    __aicore__ inline DataCopyExtParams Piece(uint32_t rows, uint32_t count) {
        return {static_cast<uint16_t>(rows), static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    }
    __aicore__ inline void Tile(const LocalTensor<T>& bias, uint32_t row, uint32_t rows, uint32_t column,
                                uint32_t count) {
        constexpr uint32_t lanes = 256 / sizeof(T);
        const uint64_t place = static_cast<uint64_t>(row) * width + column;
        const uint32_t gap = (width - count) * sizeof(T);
        LocalTensor<T> x = arriving.template AllocTensor<T>();
        DataCopyExtParams in = Piece(rows, count), out = in;
        in.srcStride = gap;
        out.dstStride = gap;
        DataCopyPad(x, from[place], in, DataCopyPadExtParams<T>{false, 0, 0, static_cast<T>(0)});
        arriving.EnQue(x);
        x = arriving.template DeQue<T>();
        LocalTensor<T> y = leaving.template AllocTensor<T>();
        // One instruction adds 256 bytes of the bias to all rows: its repeat stride is 0.
        const uint8_t pitch = static_cast<uint8_t>((count * sizeof(T) + 31) / 32);
        const BinaryRepeatParams every{1, 1, 1, pitch, pitch, 0};
        for (uint32_t at = 0; at < count; at += lanes) {
            const uint64_t mask = count - at < lanes ? count - at : lanes;
            Add(y[at], x[at], bias[at], mask, static_cast<uint8_t>(rows), every);
        }
        leaving.EnQue(y);
        arriving.FreeTensor(x);
        y = leaving.template DeQue<T>();
        DataCopyPad(to[place], y, out);
        leaving.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> arriving;
    TQue<TPosition::VECIN, 1> kept;
    TQue<TPosition::VECOUT, 2> leaving;
    GlobalTensor<T> from, added, to;
    uint32_t first, last, width, batch, stripe;
};

extern "C" __global__ __aicore__ void bias_add(GM_ADDR x, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace,
                                               GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    BiasAdd<DTYPE_X> op;
    op.Init(x, bias, y, data);
    op.Process();
}
