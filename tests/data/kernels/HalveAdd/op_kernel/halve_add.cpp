#include "kernel_operator.h"
using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;

class KernelHalveAdd {
public:
    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const HalveAddTilingData& tiling) {
        uint32_t start = GetBlockIdx() * tiling.coreLength;
        uint32_t left = tiling.totalLength > start ? tiling.totalLength - start : 0;
        length = left < tiling.coreLength ? left : tiling.coreLength;
        tileLength = tiling.tileLength;
        xGm.SetGlobalBuffer((__gm__ DTYPE_X1*)x1 + start, length);
        otherGm.SetGlobalBuffer((__gm__ DTYPE_X1*)x2 + start, length);
        yGm.SetGlobalBuffer((__gm__ DTYPE_Y*)y + start, length);
        pipe.InitBuffer(inQueue, BUFFER_NUM, tileLength * sizeof(DTYPE_X1));
        pipe.InitBuffer(otherQueue, BUFFER_NUM, tileLength * sizeof(DTYPE_X2));
        pipe.InitBuffer(sumBuffer, tileLength * sizeof(float));
        pipe.InitBuffer(addBuffer, tileLength * sizeof(float));
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
        LocalTensor<DTYPE_X1> local = inQueue.AllocTensor<DTYPE_X1>();
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(DTYPE_X1)), 0, 0, 0};
        DataCopyPadExtParams<DTYPE_X1> pad{false, 0, 0, 0};
        DataCopyPad(local, xGm[offset], params, pad);
        inQueue.EnQue(local);
        LocalTensor<DTYPE_X2> other = otherQueue.AllocTensor<DTYPE_X2>();
        DataCopyPad(other, otherGm[offset], params, pad);
        otherQueue.EnQue(other);
    }
    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<DTYPE_X1> x = inQueue.DeQue<DTYPE_X1>();
        LocalTensor<DTYPE_X2> other = otherQueue.DeQue<DTYPE_X2>();
        LocalTensor<DTYPE_Y> y = outQueue.AllocTensor<DTYPE_Y>();
        if constexpr (sizeof(DTYPE_X1) == sizeof(float)) {
            Add(y, x, other, count);
            Muls(y, y, static_cast<DTYPE_Y>(0.5f), count);
        } else {
            LocalTensor<float> sum = sumBuffer.Get<float>();
            LocalTensor<float> addend = addBuffer.Get<float>();
            Cast(sum, x, RoundMode::CAST_NONE, count);
            Cast(addend, other, RoundMode::CAST_NONE, count);
            Add(sum, sum, addend, count);
            Muls(sum, sum, 0.5f, count);
            Cast(y, sum, RoundMode::CAST_RINT, count);
        }
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
        otherQueue.FreeTensor(other);
    }
    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count) {
        LocalTensor<DTYPE_Y> local = outQueue.DeQue<DTYPE_Y>();
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(DTYPE_Y)), 0, 0, 0};
        DataCopyPad(yGm[offset], local, params);
        outQueue.FreeTensor(local);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, BUFFER_NUM> inQueue;
    TQue<QuePosition::VECIN, BUFFER_NUM> otherQueue;
    TBuf<QuePosition::VECCALC> sumBuffer;
    TBuf<QuePosition::VECCALC> addBuffer;
    TQue<QuePosition::VECOUT, BUFFER_NUM> outQueue;
    GlobalTensor<DTYPE_X1> xGm;
    GlobalTensor<DTYPE_X2> otherGm;
    GlobalTensor<DTYPE_Y> yGm;
    uint32_t length;
    uint32_t tileLength;
};

extern "C" __global__ __aicore__ void halve_add(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace,
                                                GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    KernelHalveAdd op;
    op.Init(x1, x2, y, tilingData);
    op.Process();
}
