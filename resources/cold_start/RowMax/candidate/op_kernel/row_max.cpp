#include "kernel_operator.h"
using namespace AscendC;

class RowMax {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const Data& data) {
        first = GetBlockIdx() * data.share;
        last = GetBlockIdx() + 1 == GetBlockNum() ? data.rows : first + data.share;
        width = data.width;
        tile = data.tile;
        from.SetGlobalBuffer((__gm__ float*)x);
        to.SetGlobalBuffer((__gm__ float*)y, data.rows);
        pipe.InitBuffer(arriving, 1, tile * sizeof(float));
        pipe.InitBuffer(scratch, 4096);
        pipe.InitBuffer(result, 32);
    }
    __aicore__ inline void Process() {
        for (uint32_t row = first; row < last; ++row) {
            Row(row);
        }
    }

private:
    __aicore__ inline void Row(uint32_t row) {
        LocalTensor<float> most = result.Get<float>(), work = scratch.Get<float>();
        float largest = 0.0f;
        for (uint32_t at = 0; at < width; at += tile) {
            const uint32_t count = width - at < tile ? width - at : tile;
            LocalTensor<float> x = arriving.AllocTensor<float>();
            DataCopyPad(x, from[static_cast<uint64_t>(row) * width + at],
                        DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
                        DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
            arriving.EnQue(x);
            x = arriving.DeQue<float>();
            ReduceMax(most, x, work, count, false);
            event_t read = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
            SetFlag<HardEvent::V_S>(read);
            WaitFlag<HardEvent::V_S>(read);
            const float here = most.GetValue(0);
            largest = at == 0 || here > largest ? here : largest;
            arriving.FreeTensor(x);
        }
        most.SetValue(0, largest);
        event_t write = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
        SetFlag<HardEvent::S_MTE3>(write);
        WaitFlag<HardEvent::S_MTE3>(write);
        DataCopyPad(to[row], most, DataCopyExtParams{1, sizeof(float), 0, 0, 0});
        event_t again = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE3_V));
        SetFlag<HardEvent::MTE3_V>(again);
        WaitFlag<HardEvent::MTE3_V>(again);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> arriving;
    TBuf<TPosition::VECCALC> scratch, result;
    GlobalTensor<float> from, to;
    uint32_t first, last, width, tile;
};

extern "C" __global__ __aicore__ void row_max(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    RowMax op;
    op.Init(x, y, data);
    op.Process();
}
