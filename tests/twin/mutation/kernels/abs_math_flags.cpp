// AbsMath without queues: two halves of static buffers, ordered by flags of event ids 0 and 1.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 64;  // small, so that every core takes both halves several times

class KernelAbsMath {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const AbsMathTilingData& tiling, TPipe* pipe) {
        uint32_t start = GetBlockIdx() * tiling.coreLength;
        uint32_t left = tiling.totalLength > start ? tiling.totalLength - start : 0;
        length = left < tiling.coreLength ? left : tiling.coreLength;
        tile = TILE;
        xGm.SetGlobalBuffer((__gm__ DTYPE_X*)x + start, length);
        yGm.SetGlobalBuffer((__gm__ DTYPE_Y*)y + start, length);
        pipe->InitBuffer(inBuffer, 2 * tile * sizeof(DTYPE_X));
        pipe->InitBuffer(outBuffer, 2 * tile * sizeof(DTYPE_Y));
    }
    __aicore__ inline void Process() {
        uint32_t turn = 0;
        for (uint32_t done = 0; done < length; done += tile) {
            uint32_t count = length - done < tile ? length - done : tile;
            if (turn % 2 == 0) {
                Step<EVENT_ID0>(done, count, 0, turn);
            } else {
                Step<EVENT_ID1>(done, count, tile, turn);
            }
            ++turn;
        }
        if (turn > 0) {
            WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
            WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
        }
        if (turn > 1) {
            WaitFlag<HardEvent::V_MTE2>(EVENT_ID1);
            WaitFlag<HardEvent::MTE3_V>(EVENT_ID1);
        }
    }

private:
    template <event_t id>
    __aicore__ inline void Step(uint32_t offset, uint32_t count, uint32_t place, uint32_t turn) {
        LocalTensor<DTYPE_X> input = inBuffer.Get<DTYPE_X>()[place];
        LocalTensor<DTYPE_Y> output = outBuffer.Get<DTYPE_Y>()[place];
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0};
        DataCopyPadExtParams<DTYPE_X> pad{false, 0, 0, 0};
        if (turn > 1) {
            WaitFlag<HardEvent::V_MTE2>(id);
        }
        DataCopyPad(input, xGm[offset], params, pad);
        SetFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE2_V>(id);
        if (turn > 1) {
            WaitFlag<HardEvent::MTE3_V>(id);
        }
        Abs(output, input, count);
        SetFlag<HardEvent::V_MTE2>(id);
        SetFlag<HardEvent::V_MTE3>(id);
        WaitFlag<HardEvent::V_MTE3>(id);
        DataCopyPad(yGm[offset], output, params);
        SetFlag<HardEvent::MTE3_V>(id);
    }

    TBuf<TPosition::VECCALC> inBuffer;
    TBuf<TPosition::VECCALC> outBuffer;
    GlobalTensor<DTYPE_X> xGm;
    GlobalTensor<DTYPE_Y> yGm;
    uint32_t length;
    uint32_t tile;
};

extern "C" __global__ __aicore__ void abs_math(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelAbsMath op;
    op.Init(x, y, tilingData, &pipe);
    op.Process();
}
