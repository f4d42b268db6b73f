#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class Softsign {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const Data& data) {
        begin = GetBlockIdx() * data.share;
        end = GetBlockIdx() + 1 == GetBlockNum() ? data.total : begin + data.share;
        end = end < data.total ? end : data.total;
        tile = data.tile;
        from.SetGlobalBuffer((__gm__ T*)x, data.total);
        to.SetGlobalBuffer((__gm__ T*)y, data.total);
        pipe.InitBuffer(arriving, 1, tile * sizeof(T));
        pipe.InitBuffer(leaving, 1, tile * sizeof(T));
        pipe.InitBuffer(value, tile * sizeof(float));
        pipe.InitBuffer(magnitude, tile * sizeof(float));
        pipe.InitBuffer(ones, tile * sizeof(float));
        pipe.InitBuffer(quotient, tile * sizeof(float));
    }
    __aicore__ inline void Process() {
        for (uint32_t at = begin; at < end; at += tile) {
            const uint32_t count = end - at < tile ? end - at : tile;
            const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            LocalTensor<T> x = arriving.template AllocTensor<T>();
            DataCopyPad(x, from[at], bytes, DataCopyPadExtParams<T>{false, 0, 0, static_cast<T>(0)});
            arriving.EnQue(x);
            Compute(count);
            LocalTensor<T> y = leaving.template DeQue<T>();
            DataCopyPad(to[at], y, bytes);
            leaving.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> x = arriving.template DeQue<T>();
        LocalTensor<T> y = leaving.template AllocTensor<T>();
        LocalTensor<float> v = value.Get<float>(), m = magnitude.Get<float>();
        LocalTensor<float> one = ones.Get<float>(), q = quotient.Get<float>();
        if constexpr (sizeof(T) == 2) {
            Cast(v, x, RoundMode::CAST_NONE, count);
        } else {
            Adds(v, x, 0.0f, count);
        }
        Abs(m, v, count);
        Duplicate(one, 1.0f, count);
        Add(m, m, one, count);
        Div(q, v, m, count);
        if constexpr (sizeof(T) == 2) {
            Cast(y, q, RoundMode::CAST_RINT, count);
        } else {
            Adds(y, q, 0.0f, count);
        }
        leaving.EnQue(y);
        arriving.FreeTensor(x);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> arriving;
    TQue<TPosition::VECOUT, 1> leaving;
    TBuf<TPosition::VECCALC> value, magnitude, ones, quotient;
    GlobalTensor<T> from, to;
    uint32_t begin, end, tile;
};

extern "C" __global__ __aicore__ void softsign(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    Softsign<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
