#include "kernel_operator.h"
using namespace AscendC;

class DotProduct {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const Data& data) {
        total = data.total;
        tile = data.tile;
        left.SetGlobalBuffer((__gm__ float*)x, total);
        right.SetGlobalBuffer((__gm__ float*)y, total);
        to.SetGlobalBuffer((__gm__ float*)z, 1);
        pipe.InitBuffer(lefts, 1, tile * sizeof(float));
        pipe.InitBuffer(rights, 1, tile * sizeof(float));
        pipe.InitBuffer(products, tile * sizeof(float));
        pipe.InitBuffer(scratch, 2048);
        pipe.InitBuffer(result, 32);
    }
    __aicore__ inline void Process() {
        LocalTensor<float> product = products.Get<float>(), work = scratch.Get<float>(),
                           one = result.Get<float>();
        float sum = 0.0f;
        for (uint32_t at = 0; at < total; at += tile) {
            const uint32_t count = total - at < tile ? total - at : tile;
            const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
            const DataCopyPadExtParams<float> none{false, 0, 0, 0.0f};
            LocalTensor<float> x = lefts.AllocTensor<float>(), y = rights.AllocTensor<float>();
            DataCopyPad(x, left[at], bytes, none);
            DataCopyPad(y, right[at], bytes, none);
            lefts.EnQue(x);
            rights.EnQue(y);
            x = lefts.DeQue<float>();
            y = rights.DeQue<float>();
            Mul(product, x, y, count);
            ReduceSum(one, product, work, count);
            event_t read = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
            SetFlag<HardEvent::V_S>(read);
            WaitFlag<HardEvent::V_S>(read);
            sum += one.GetValue(0);
            lefts.FreeTensor(x);
            rights.FreeTensor(y);
        }
        one.SetValue(0, sum);
        event_t write = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
        SetFlag<HardEvent::S_MTE3>(write);
        WaitFlag<HardEvent::S_MTE3>(write);
        DataCopyPad(to, one, DataCopyExtParams{1, sizeof(float), 0, 0, 0});
    }

private:
    TPipe pipe;
    TQue<TPosition::VECIN, 1> lefts, rights;
    TBuf<TPosition::VECCALC> products, scratch, result;
    GlobalTensor<float> left, right, to;
    uint32_t total, tile;
};

extern "C" __global__ __aicore__ void dot_product(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    DotProduct op;
    op.Init(x, y, z, data);
    op.Process();
}
