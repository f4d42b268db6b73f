#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class HardShrink {
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
        pipe.InitBuffer(bits, tile / 8);
        pipe.InitBuffer(wide, tile * sizeof(float));
        pipe.InitBuffer(size, tile * sizeof(float));
        pipe.InitBuffer(zeros, tile * sizeof(float));
        lambd = data.lambd;
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
        const uint32_t whole = (count + 63) / 64 * 64;
        LocalTensor<float> value = wide.Get<float>(), magnitude = size.Get<float>(),
                           zero = zeros.Get<float>();
        LocalTensor<uint8_t> small = bits.Get<uint8_t>();
        if constexpr (sizeof(T) == 2) {
            Cast(value, x, RoundMode::CAST_NONE, count);
        } else {
            Adds(value, x, 0.0f, count);
        }
        Duplicate(zero, 0.0f, whole);
        Abs(magnitude, value, count);
        CompareScalar(small, magnitude, lambd, CMPMODE::LE, whole);
        Select(value, small, zero, value, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        if constexpr (sizeof(T) == 2) {
            Cast(y, value, RoundMode::CAST_RINT, count);
        } else {
            Adds(y, value, 0.0f, count);
        }
        leaving.EnQue(y);
        arriving.FreeTensor(x);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> arriving;
    TQue<TPosition::VECOUT, 1> leaving;
    TBuf<TPosition::VECCALC> bits, wide, size, zeros;
    float lambd;
    GlobalTensor<T> from, to;
    uint32_t begin, end, tile;
};

extern "C" __global__ __aicore__ void hard_shrink(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    HardShrink<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
