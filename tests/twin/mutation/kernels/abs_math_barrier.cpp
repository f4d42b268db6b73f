// AbsMath without queues and flags: one buffer, whole barriers between its steps.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void abs_math(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, tilingData.tileLength * sizeof(DTYPE_X));
    LocalTensor<DTYPE_X> local = buffer.Get<DTYPE_X>();
    GlobalTensor<DTYPE_X> xGm;
    GlobalTensor<DTYPE_Y> yGm;
    uint32_t start = GetBlockIdx() * tilingData.coreLength;
    uint32_t left = tilingData.totalLength > start ? tilingData.totalLength - start : 0;
    uint32_t length = left < tilingData.coreLength ? left : tilingData.coreLength;
    xGm.SetGlobalBuffer((__gm__ DTYPE_X*)x + start, length);
    yGm.SetGlobalBuffer((__gm__ DTYPE_Y*)y + start, length);
    for (uint32_t done = 0; done < length; done += tilingData.tileLength) {
        uint32_t count = length - done < tilingData.tileLength ? length - done : tilingData.tileLength;
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0};
        DataCopyPadExtParams<DTYPE_X> pad{false, 0, 0, 0};
        DataCopyPad(local, xGm[done], params, pad);
        PipeBarrier<PIPE_ALL>();
        Abs(local, local, count);
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(yGm[done], local, params);
        PipeBarrier<PIPE_ALL>();
    }
}
