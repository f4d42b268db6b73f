// Micro kernel of `sage host calibrate`: one product in L0, many times.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t FRACTAL = 16;  // rows, and columns of half
constexpr uint32_t L0_BYTES = 65536;

extern "C" __global__ __aicore__ void calibrate_matrix(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace,
                                                       GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    if (GetBlockIdx() != 0) {
        return;
    }
    GET_TILING_DATA(data, tiling);
    const uint16_t m = data.m, n = data.n, k = data.k;
    GlobalTensor<half> aGm, bGm;
    GlobalTensor<float> cGm;
    aGm.SetGlobalBuffer((__gm__ half*)a, m * k);
    bGm.SetGlobalBuffer((__gm__ half*)b, n * k);
    cGm.SetGlobalBuffer((__gm__ float*)c, m * n);
    TPipe pipe;
    TBuf<TPosition::A1> a1Buffer;
    TBuf<TPosition::B1> b1Buffer;
    TBuf<TPosition::A2> a2Buffer;
    TBuf<TPosition::B2> b2Buffer;
    TBuf<TPosition::CO1> cBuffer;
    pipe.InitBuffer(a1Buffer, L0_BYTES);
    pipe.InitBuffer(b1Buffer, L0_BYTES);
    pipe.InitBuffer(a2Buffer, L0_BYTES);
    pipe.InitBuffer(b2Buffer, L0_BYTES);
    pipe.InitBuffer(cBuffer, 2 * L0_BYTES);
    LocalTensor<half> a1 = a1Buffer.Get<half>(), b1 = b1Buffer.Get<half>();
    LocalTensor<half> a2 = a2Buffer.Get<half>(), b2 = b2Buffer.Get<half>();
    LocalTensor<float> product = cBuffer.Get<float>();
    DataCopy(a1, aGm, Nd2NzParams{1, m, k, 0, k, m, 1, 0});
    DataCopy(b1, bGm, Nd2NzParams{1, n, k, 0, k, n, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    const uint16_t rows = m / FRACTAL;
    const uint8_t depth = k / FRACTAL;
    for (uint16_t row = 0; row < rows; ++row) {
        LoadData(a2[row * depth * FRACTAL * FRACTAL], a1[row * FRACTAL * FRACTAL],
                 LoadData2DParams{0, depth, rows, 0, 0, false, 0});
    }
    LoadData(b2, b1, LoadData2DParams{0, static_cast<uint8_t>(depth * (n / FRACTAL)), 1, 0, 0, false, 0});
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    for (uint32_t i = 0; i < data.repeats; ++i) {
        Mmad(product, a2, b2, MmadParams{m, n, k, 0, false, true});
    }
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    Fixpipe(cGm, product, FixpipeParamsV220{n, m, m, n, false, QuantMode_t::NoQuant, 0, 1, 0, 0, 0});
}
