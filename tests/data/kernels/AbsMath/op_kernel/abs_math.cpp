#include "kernel_operator.h"
using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;

class KernelAbsMath {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const AbsMathTilingData& tiling) {
        uint32_t start = GetBlockIdx() * tiling.coreLength;
        uint32_t left = tiling.totalLength > start ? tiling.totalLength - start : 0;
        length = left < tiling.coreLength ? left : tiling.coreLength;
        tileLength = tiling.tileLength;
        xGm.SetGlobalBuffer((__gm__ DTYPE_X*)x + start, length);
        yGm.SetGlobalBuffer((__gm__ DTYPE_Y*)y + start, length);
        pipe.InitBuffer(inQueue, BUFFER_NUM, tileLength * sizeof(DTYPE_X));
        pipe.InitBuffer(outQueue, BUFFER_NUM, tileLength * sizeof(DTYPE_Y));
    }
    __aicore__ inline void Process() {
        for (uint32_t done = 0; done < length; done += tileLength) {
            uint32_t count = length - done < tileLength ? length - done : tileLength;
            CopyIn(done, count);
            Compute(count);
            CopyOut(done, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t offset, uint32_t count) {
        LocalTensor<DTYPE_X> local = inQueue.AllocTensor<DTYPE_X>();
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0};
        DataCopyPadExtParams<DTYPE_X> pad{false, 0, 0, 0};
        DataCopyPad(local, xGm[offset], params, pad);
        inQueue.EnQue(local);
    }
    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<DTYPE_X> x = inQueue.DeQue<DTYPE_X>();
        LocalTensor<DTYPE_Y> y = outQueue.AllocTensor<DTYPE_Y>();
        Abs(y, x, count);
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }
    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count) {
        LocalTensor<DTYPE_Y> local = outQueue.DeQue<DTYPE_Y>();
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(DTYPE_Y)), 0, 0, 0};
        DataCopyPad(yGm[offset], local, params);
        outQueue.FreeTensor(local);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, BUFFER_NUM> inQueue;
    TQue<QuePosition::VECOUT, BUFFER_NUM> outQueue;
    GlobalTensor<DTYPE_X> xGm;
    GlobalTensor<DTYPE_Y> yGm;
    uint32_t length;
    uint32_t tileLength;
};

extern "C" __global__ __aicore__ void abs_math(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    KernelAbsMath op;
    op.Init(x, y, tilingData);
    op.Process();
}
