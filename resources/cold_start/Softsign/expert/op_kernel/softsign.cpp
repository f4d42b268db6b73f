#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class Softsign {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const Data& data) {
        const uint32_t line = 512 / sizeof(T), core = GetBlockIdx();
        const uint32_t before = core < data.more ? core : data.more;
        begin = (core * data.lines + before) * line;
        end = begin + (data.lines + (core < data.more ? 1 : 0)) * line;
        end = end < data.total ? end : data.total;
        tile = data.tile;
        from.SetGlobalBuffer((__gm__ T*)x, data.total);
        to.SetGlobalBuffer((__gm__ T*)y, data.total);
        pipe.InitBuffer(arriving, 2, tile * sizeof(T));
        pipe.InitBuffer(leaving, 2, tile * sizeof(T));
        if constexpr (sizeof(T) == 2) {
            pipe.InitBuffer(above, tile * sizeof(float));
            pipe.InitBuffer(below, tile * sizeof(float));
        }
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
        if constexpr (sizeof(T) == 2) {
            LocalTensor<float> top = above.Get<float>(), bottom = below.Get<float>();
            Cast(top, x, RoundMode::CAST_NONE, count);
            Abs(bottom, top, count);
            Adds(bottom, bottom, 1.0f, count);
            Div(top, top, bottom, count);
            Cast(y, top, RoundMode::CAST_RINT, count);
        } else {
            Abs(y, x, count);  // the tile that leaves is the scratch
            Adds(y, y, 1.0f, count);
            Div(y, x, y, count);
        }
        leaving.EnQue(y);
        arriving.FreeTensor(x);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> arriving;
    TQue<TPosition::VECOUT, 2> leaving;
    TBuf<TPosition::VECCALC> above, below;
    GlobalTensor<T> from, to;
    uint32_t begin, end, tile;
};

extern "C" __global__ __aicore__ void softsign(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    Softsign<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
