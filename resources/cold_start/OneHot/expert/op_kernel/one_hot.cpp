#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 16384;

class OneHot {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR index, GM_ADDR y, const Data& data) {
        const uint64_t total = static_cast<uint64_t>(data.rows) * data.depth;
        depth = data.depth;
        begin = static_cast<uint64_t>(GetBlockIdx()) * data.share;
        end = begin + data.share < total ? begin + data.share : total;
        indices.SetGlobalBuffer((__gm__ int32_t*)index, data.rows);
        to.SetGlobalBuffer((__gm__ float*)y, total);
        pipe.InitBuffer(arriving, 1, (TILE + 8) * sizeof(int32_t));
        pipe.InitBuffer(zeros, TILE * sizeof(float));
    }
    __aicore__ inline void Process() {
        LocalTensor<float> tile = zeros.Get<float>();
        Duplicate(tile, 0.0f, TILE);
        Order<HardEvent::V_S>();
        for (uint64_t at = begin; at < end; at += TILE) {
            const uint32_t count = end - at < TILE ? static_cast<uint32_t>(end - at) : TILE;
            const uint32_t row = static_cast<uint32_t>(at / depth);
            const uint32_t rows = static_cast<uint32_t>((at + count - 1) / depth) - row + 1;
            LocalTensor<int32_t> wanted = arriving.AllocTensor<int32_t>();
            DataCopyPad(wanted, indices[row],
                        DataCopyExtParams{1, static_cast<uint32_t>(rows * sizeof(int32_t)), 0, 0, 0},
                        DataCopyPadExtParams<int32_t>{false, 0, 0, 0});
            Order<HardEvent::MTE2_S>();
            Mark(tile, wanted, row, rows, at, count, 1.0f);
            Order<HardEvent::S_MTE3>();
            DataCopyPad(to[at], tile,
                        DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
            Order<HardEvent::MTE3_S>();
            Mark(tile, wanted, row, rows, at, count, 0.0f);  // only the ones: the tile is never filled again
            arriving.FreeTensor(wanted);
        }
    }

private:
    template <HardEvent EVENT>
    __aicore__ inline void Order() {
        const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(EVENT));
        SetFlag<EVENT>(id);
        WaitFlag<EVENT>(id);
    }
    __aicore__ inline void Mark(LocalTensor<float>& tile, LocalTensor<int32_t>& wanted, uint32_t row,
                                uint32_t rows, uint64_t at, uint32_t count, float value) {
        for (uint32_t i = 0; i < rows; ++i) {
            const int32_t column = wanted.GetValue(i);
            const uint64_t place = static_cast<uint64_t>(row + i) * depth + static_cast<uint32_t>(column);
            if (column >= 0 && static_cast<uint32_t>(column) < depth && place >= at && place < at + count) {
                tile.SetValue(static_cast<uint32_t>(place - at), value);
            }
        }
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> arriving;
    TBuf<TPosition::VECCALC> zeros;
    GlobalTensor<int32_t> indices;
    GlobalTensor<float> to;
    uint64_t begin, end;
    uint32_t depth;
};

extern "C" __global__ __aicore__ void one_hot(GM_ADDR index, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    OneHot op;
    op.Init(index, y, data);
    op.Process();
}
