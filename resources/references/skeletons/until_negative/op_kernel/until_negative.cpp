#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 2048;

extern "C" __global__ __aicore__ void until_negative(GM_ADDR x, GM_ADDR y, GM_ADDR shapes, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> through;
    TBuf<TPosition::VECCALC> shapeBuffer;
    pipe.InitBuffer(through, 1, TILE * sizeof(float));
    pipe.InitBuffer(shapeBuffer, 32);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, data.total);
    yGm.SetGlobalBuffer((__gm__ float*)y, data.total);
    uint32_t kept = 0;
    for (bool more = true; more && kept < data.total;) {
        const uint32_t count = data.total - kept < TILE ? data.total - kept : TILE;
        LocalTensor<float> tile = through.AllocTensor<float>();
        DataCopyPad(tile, xGm[kept], DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
                    DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        through.EnQue(tile);
        tile = through.DeQue<float>();
        event_t read = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_S));
        SetFlag<HardEvent::MTE2_S>(read);
        WaitFlag<HardEvent::MTE2_S>(read);
        uint32_t good = 0;
        while (good < count && !(tile.GetValue(good) < 0.0f)) {
            ++good;
        }
        if (good > 0) {
            DataCopyPad(yGm[kept], tile, DataCopyExtParams{1, static_cast<uint32_t>(good * sizeof(float)), 0, 0, 0});
        }
        through.FreeTensor(tile);
        kept += good;
        more = good == count;
    }
    // Rank in the first number, then the dimensions.
    LocalTensor<uint32_t> shape = shapeBuffer.Get<uint32_t>();
    GlobalTensor<uint32_t> shapeGm;
    shapeGm.SetGlobalBuffer((__gm__ uint32_t*)shapes, 4);
    shape.SetValue(0, 1u);
    shape.SetValue(1, 0u);
    shape.SetValue(2, kept);
    shape.SetValue(3, 0u);
    event_t write = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
    SetFlag<HardEvent::S_MTE3>(write);
    WaitFlag<HardEvent::S_MTE3>(write);
    DataCopyPad(shapeGm, shape, DataCopyExtParams{1, 16, 0, 0, 0});
}
