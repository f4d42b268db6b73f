#include "kernel_operator.h"
using namespace AscendC;

class RowMax {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const Data& data) {
        const uint32_t core = GetBlockIdx(), before = core < data.more ? core : data.more;
        first = (core * data.groups + before) * 8;
        last = first + (data.groups + (core < data.more ? 1 : 0)) * 8;
        last = last < data.rows ? last : data.rows;
        width = data.width;
        batch = data.batch;
        tile = data.tile;
        from.SetGlobalBuffer((__gm__ float*)x);
        to.SetGlobalBuffer((__gm__ float*)y, data.rows);
        pipe.InitBuffer(arriving, 2, tile * sizeof(float));
        pipe.InitBuffer(leaving, 2, 256 * sizeof(float));
        pipe.InitBuffer(scratch, 4096);
    }
    __aicore__ inline void Process() {
        if (batch > 0) {
            for (uint32_t row = first; row < last; row += batch) {
                Batch(row, last - row < batch ? last - row : batch);
            }
        } else {
            for (uint32_t row = first; row < last; ++row) {
                LongRow(row);
            }
        }
    }

private:
    // Many rows by one copy; each instruction works on all of them, a row being a repeat.
    __aicore__ inline void Batch(uint32_t row, uint32_t count) {
        const uint8_t pitch = static_cast<uint8_t>((width + 7) / 8);
        LocalTensor<float> x = arriving.AllocTensor<float>();
        DataCopyPad(x, from[static_cast<uint64_t>(row) * width],
                    DataCopyExtParams{static_cast<uint16_t>(count),
                                      static_cast<uint32_t>(width * sizeof(float)), 0, 0, 0},
                    DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        arriving.EnQue(x);
        x = arriving.DeQue<float>();
        LocalTensor<float> y = leaving.AllocTensor<float>();
        const BinaryRepeatParams fold{1, 1, 1, pitch, pitch, pitch};
        for (uint32_t at = 64; at < width; at += 64) {
            const uint64_t lanes = width - at < 64 ? width - at : 64;
            Max(x, x, x[at], lanes, static_cast<uint8_t>(count), fold);
        }
        WholeReduceMax(y, x, width < 64 ? width : 64, count, 1, 1, pitch, ReduceOrder::ORDER_ONLY_VALUE);
        arriving.FreeTensor(x);
        Leave(y, row, count);
    }
    __aicore__ inline void LongRow(uint32_t row) {
        LocalTensor<float> y = leaving.AllocTensor<float>(), work = scratch.Get<float>();
        for (uint32_t at = 0; at < width; at += tile) {
            const uint32_t count = width - at < tile ? width - at : tile;
            LocalTensor<float> x = arriving.AllocTensor<float>();
            DataCopyPad(x, from[static_cast<uint64_t>(row) * width + at],
                        DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
                        DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
            arriving.EnQue(x);
            x = arriving.DeQue<float>();
            ReduceMax(at == 0 ? y : y[8], x, work, count, false);
            arriving.FreeTensor(x);
            if (at > 0) {
                Max(y, y, y[8], 1);  // stays in the vector unit: nothing waits for a number
            }
        }
        Leave(y, row, 1);
    }
    __aicore__ inline void Leave(LocalTensor<float> y, uint32_t row, uint32_t count) {
        leaving.EnQue(y);
        y = leaving.DeQue<float>();
        DataCopyPad(to[row], y, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
        leaving.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> arriving;
    TQue<TPosition::VECOUT, 2> leaving;
    TBuf<TPosition::VECCALC> scratch;
    GlobalTensor<float> from, to;
    uint32_t first, last, width, batch, tile;
};

extern "C" __global__ __aicore__ void row_max(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    RowMax op;
    op.Init(x, y, data);
    op.Process();
}
