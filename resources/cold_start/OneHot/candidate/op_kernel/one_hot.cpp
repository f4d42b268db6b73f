#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 8192;

class OneHot {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR index, GM_ADDR y, const Data& data) {
        depth = data.depth;
        first = GetBlockIdx() * data.share;
        last = first + data.share < data.rows ? first + data.share : data.rows;
        indices.SetGlobalBuffer((__gm__ int32_t*)index, data.rows);
        to.SetGlobalBuffer((__gm__ float*)y);
        pipe.InitBuffer(leaving, 1, TILE * sizeof(float));
    }
    __aicore__ inline void Process() {
        for (uint32_t row = first; row < last; ++row) {
            const int32_t column = indices.GetValue(row);
            for (uint32_t at = 0; at < depth; at += TILE) {
                Piece(row, at, depth - at < TILE ? depth - at : TILE, column - static_cast<int32_t>(at));
            }
        }
    }

private:
    __aicore__ inline void Piece(uint32_t row, uint32_t at, uint32_t count, int32_t place) {
        LocalTensor<float> y = leaving.AllocTensor<float>();
        Duplicate(y, 0.0f, count);
        if (place >= 0 && place < static_cast<int32_t>(count)) {
            event_t cleared = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
            SetFlag<HardEvent::V_S>(cleared);
            WaitFlag<HardEvent::V_S>(cleared);
            y.SetValue(place, 1.0f);
            event_t written = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
            SetFlag<HardEvent::S_MTE3>(written);
            WaitFlag<HardEvent::S_MTE3>(written);
        }
        leaving.EnQue(y);
        y = leaving.DeQue<float>();
        DataCopyPad(to[static_cast<uint64_t>(row) * depth + at], y,
                    DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
        leaving.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> leaving;
    GlobalTensor<int32_t> indices;
    GlobalTensor<float> to;
    uint32_t first, last, depth;
};

extern "C" __global__ __aicore__ void one_hot(GM_ADDR index, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    OneHot op;
    op.Init(index, y, data);
    op.Process();
}
