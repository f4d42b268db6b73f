#include "kernel_operator.h"
using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;

class KernelForeachNeg {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const ForeachNegTilingData& tiling, TPipe* pipe) {
        inputs = x;
        outputs = y;
        tileLength = tiling.tileLength;
        pipe->InitBuffer(inQueue, BUFFER_NUM, tileLength * sizeof(DTYPE_X));
        pipe->InitBuffer(outQueue, BUFFER_NUM, tileLength * sizeof(DTYPE_Y));
        if constexpr (IsSameType<DTYPE_X, bfloat16_t>::value) {
            pipe->InitBuffer(wideBuffer, tileLength * sizeof(float));
        }
    }
    // Every core takes its share of every tensor, in whole 32-byte blocks.
    __aicore__ inline void ProcessTensor(uint32_t index, uint32_t total) {
        constexpr uint32_t perBlock = 32 / sizeof(DTYPE_X);
        uint32_t blocks = (total + perBlock - 1) / perBlock;
        uint32_t share = (blocks + GetBlockNum() - 1) / GetBlockNum() * perBlock;
        uint32_t start = GetBlockIdx() * share;
        if (start >= total) {
            return;
        }
        uint32_t length = total - start < share ? total - start : share;
        xGm.SetGlobalBuffer(Address<DTYPE_X>(inputs, index) + start, length);
        yGm.SetGlobalBuffer(Address<DTYPE_Y>(outputs, index) + start, length);
        for (uint32_t done = 0; done < length; done += tileLength) {
            Tile(done, length - done < tileLength ? length - done : tileLength);
        }
    }

private:
    // A tensor list is a descriptor: its first word is the byte offset of the table of addresses.
    template <typename T>
    __aicore__ inline __gm__ T* Address(GM_ADDR list, uint32_t index) {
        __gm__ uint64_t* words = reinterpret_cast<__gm__ uint64_t*>(list);
        __gm__ uint64_t* table = words + words[0] / sizeof(uint64_t);
        return reinterpret_cast<__gm__ T*>(table[index]);
    }
    __aicore__ inline void Tile(uint32_t offset, uint32_t count) {
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0};
        DataCopyPadExtParams<DTYPE_X> pad{false, 0, 0, 0};
        LocalTensor<DTYPE_X> in = inQueue.AllocTensor<DTYPE_X>();
        DataCopyPad(in, xGm[offset], params, pad);
        inQueue.EnQue(in);
        LocalTensor<DTYPE_X> x = inQueue.DeQue<DTYPE_X>();
        LocalTensor<DTYPE_Y> y = outQueue.AllocTensor<DTYPE_Y>();
        Negate(y, x, static_cast<int32_t>(count));
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
        LocalTensor<DTYPE_Y> out = outQueue.DeQue<DTYPE_Y>();
        DataCopyPad(yGm[offset], out, params);
        outQueue.FreeTensor(out);
    }

    // The vector unit has no bfloat16 arithmetic.
    __aicore__ inline void Negate(LocalTensor<DTYPE_Y>& y, LocalTensor<DTYPE_X>& x, int32_t count) {
        if constexpr (IsSameType<DTYPE_X, bfloat16_t>::value) {
            LocalTensor<float> wide = wideBuffer.Get<float>();
            Cast(wide, x, RoundMode::CAST_NONE, count);
            Muls(wide, wide, -1.0f, count);
            Cast(y, wide, RoundMode::CAST_RINT, count);
        } else {
            Muls(y, x, static_cast<DTYPE_X>(-1.0f), count);
        }
    }

    TQue<QuePosition::VECIN, BUFFER_NUM> inQueue;
    TQue<QuePosition::VECOUT, BUFFER_NUM> outQueue;
    TBuf<QuePosition::VECCALC> wideBuffer;
    GlobalTensor<DTYPE_X> xGm;
    GlobalTensor<DTYPE_Y> yGm;
    GM_ADDR inputs;
    GM_ADDR outputs;
    uint32_t tileLength;
};

extern "C" __global__ __aicore__ void foreach_neg(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelForeachNeg op;
    op.Init(x, y, tilingData, &pipe);
    for (uint32_t index = 0; index < tilingData.tensorCount; ++index) {
        op.ProcessTensor(index, tilingData.lengths[index]);
    }
}
