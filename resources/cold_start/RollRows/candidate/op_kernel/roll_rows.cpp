#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 2048;

template <typename T>
class RollRows {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const Data& data) {
        first = GetBlockIdx() * data.share;
        last = first + data.share < data.rows ? first + data.share : data.rows;
        width = data.width;
        turn = data.turn;
        from.SetGlobalBuffer((__gm__ T*)x);
        to.SetGlobalBuffer((__gm__ T*)y);
        pipe.InitBuffer(arriving, 1, TILE * sizeof(T));
        pipe.InitBuffer(leaving, 1, TILE * sizeof(T));
    }
    __aicore__ inline void Process() {
        for (uint32_t row = first; row < last; ++row) {
            const uint64_t place = static_cast<uint64_t>(row) * width;
            Move(place, place + turn, width - turn);
            Move(place + width - turn, place, turn);
        }
    }

private:
    __aicore__ inline void Move(uint64_t source, uint64_t target, uint32_t length) {
        constexpr uint32_t perBlock = 32 / sizeof(T);
        for (uint32_t at = 0; at < length; at += TILE) {
            const uint32_t count = length - at < TILE ? length - at : TILE;
            const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            LocalTensor<T> x = arriving.template AllocTensor<T>();
            DataCopyPad(x, from[source + at], bytes, DataCopyPadExtParams<T>{true, 0, 0, static_cast<T>(0)});
            arriving.EnQue(x);
            x = arriving.template DeQue<T>();
            LocalTensor<T> y = leaving.template AllocTensor<T>();
            DataCopy(y, x, (count + perBlock - 1) / perBlock * perBlock);
            leaving.EnQue(y);
            arriving.FreeTensor(x);
            y = leaving.template DeQue<T>();
            DataCopyPad(to[target + at], y, bytes);
            leaving.FreeTensor(y);
        }
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> arriving;
    TQue<TPosition::VECOUT, 1> leaving;
    GlobalTensor<T> from, to;
    uint32_t first, last, width, turn;
};

extern "C" __global__ __aicore__ void roll_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    RollRows<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
