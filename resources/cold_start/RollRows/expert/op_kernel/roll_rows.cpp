#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class RollRows {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const Data& data) {
        const uint32_t core = GetBlockIdx();
        first = core * data.share + (core < data.more ? core : data.more);
        last = first + data.share + (core < data.more ? 1 : 0);
        width = data.width;
        turn = data.turn;
        tile = data.tile;
        from.SetGlobalBuffer((__gm__ T*)x);
        to.SetGlobalBuffer((__gm__ T*)y);
        pipe.InitBuffer(through, 4, tile);  // four tiles on their way; the vector unit has no part in it
    }
    __aicore__ inline void Process() {
        Move(0, turn, width - turn);
        Move(width - turn, 0, turn);
    }

private:
    // The columns `source` … of all rows of this core to the columns `target` …, many rows by one copy.
    __aicore__ inline void Move(uint32_t source, uint32_t target, uint32_t length) {
        constexpr uint32_t perBlock = 32 / sizeof(T);
        const uint32_t most = tile / sizeof(T);
        for (uint32_t at = 0; at < length; at += most) {
            const uint32_t count = length - at < most ? length - at : most;
            uint32_t batch = most / ((count + perBlock - 1) / perBlock * perBlock);
            batch = batch > 4095 ? 4095 : batch;
            for (uint32_t row = first; row < last; row += batch) {
                const uint32_t rows = last - row < batch ? last - row : batch;
                const uint32_t gap = (width - count) * sizeof(T);
                DataCopyExtParams in{static_cast<uint16_t>(rows), static_cast<uint32_t>(count * sizeof(T)),
                                     gap, 0, 0};
                DataCopyExtParams out{in.blockCount, in.blockLen, 0, gap, 0};
                const uint64_t place = static_cast<uint64_t>(row) * width + at;
                LocalTensor<T> piece = through.template AllocTensor<T>();
                DataCopyPad(piece, from[place + source], in,
                            DataCopyPadExtParams<T>{false, 0, 0, static_cast<T>(0)});
                through.EnQue(piece);
                piece = through.template DeQue<T>();
                DataCopyPad(to[place + target], piece, out);
                through.FreeTensor(piece);
            }
        }
    }

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 4> through;
    GlobalTensor<T> from, to;
    uint32_t first, last, width, turn, tile;
};

extern "C" __global__ __aicore__ void roll_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    RollRows<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
