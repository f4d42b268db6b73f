#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class BiasAdd {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR bias, GM_ADDR y, const Data& data) {
        first = GetBlockIdx() * data.share;
        last = first + data.share < data.rows ? first + data.share : data.rows;
        width = data.width;
        tile = data.tile;
        from.SetGlobalBuffer((__gm__ T*)x);
        added.SetGlobalBuffer((__gm__ T*)bias, width);
        to.SetGlobalBuffer((__gm__ T*)y);
        pipe.InitBuffer(arriving, 1, tile * sizeof(T));
        pipe.InitBuffer(biases, 1, tile * sizeof(T));
        pipe.InitBuffer(leaving, 1, tile * sizeof(T));
    }
    __aicore__ inline void Process() {
        for (uint32_t row = first; row < last; ++row) {
            for (uint32_t at = 0; at < width; at += tile) {
                const uint32_t count = width - at < tile ? width - at : tile;
                Piece(static_cast<uint64_t>(row) * width + at, at, count);
            }
        }
    }

private:
    __aicore__ inline void Piece(uint64_t place, uint32_t column, uint32_t count) {
        const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        const DataCopyPadExtParams<T> none{false, 0, 0, static_cast<T>(0)};
        LocalTensor<T> x = arriving.template AllocTensor<T>();
        LocalTensor<T> b = biases.template AllocTensor<T>();
        DataCopyPad(x, from[place], bytes, none);
        DataCopyPad(b, added[column], bytes, none);
        arriving.EnQue(x);
        biases.EnQue(b);
        x = arriving.template DeQue<T>();
        b = biases.template DeQue<T>();
        LocalTensor<T> y = leaving.template AllocTensor<T>();
        Add(y, x, b, count);
        leaving.EnQue(y);
        arriving.FreeTensor(x);
        biases.FreeTensor(b);
        y = leaving.template DeQue<T>();
        DataCopyPad(to[place], y, bytes);
        leaving.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> arriving, biases;
    TQue<TPosition::VECOUT, 1> leaving;
    GlobalTensor<T> from, added, to;
    uint32_t first, last, width, tile;
};

extern "C" __global__ __aicore__ void bias_add(GM_ADDR x, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace,
                                               GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    BiasAdd<DTYPE_X> op;
    op.Init(x, bias, y, data);
    op.Process();
}
