#include "kernel_operator.h"
using namespace AscendC;

class ColumnSum {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const Data& data) {
        rows = data.rows;
        columns = data.columns;
        share = data.share;
        batch = data.batch;
        from.SetGlobalBuffer((__gm__ float*)x);
        to.SetGlobalBuffer((__gm__ float*)y, columns);
        pipe.InitBuffer(arriving, 2, batch * share * sizeof(float));
        pipe.InitBuffer(leaving, 1, share * sizeof(float));
    }
    __aicore__ inline void Process() {
        for (uint32_t column = GetBlockIdx() * share; column < columns; column += GetBlockNum() * share) {
            Stripe(column, columns - column < share ? columns - column : share);
        }
    }

private:
    __aicore__ inline void Stripe(uint32_t column, uint32_t count) {
        const uint32_t pitch = (count + 7) / 8 * 8;
        LocalTensor<float> sum = leaving.AllocTensor<float>();
        Duplicate(sum, 0.0f, pitch);
        for (uint32_t row = 0; row < rows; row += batch) {
            uint32_t left = rows - row < batch ? rows - row : batch;
            LocalTensor<float> x = arriving.AllocTensor<float>();
            const uint32_t bytes = count * sizeof(float), gap = (columns - count) * sizeof(float);
            const uint8_t missing = static_cast<uint8_t>(pitch - count);
            DataCopyPad(x, from[static_cast<uint64_t>(row) * columns + column],
                        DataCopyExtParams{static_cast<uint16_t>(left), bytes, gap, 0, 0},
                        DataCopyPadExtParams<float>{true, 0, missing, 0.0f});
            arriving.EnQue(x);
            x = arriving.DeQue<float>();
            while (left > 1) {  // the lower half onto the upper one: few long sums instead of many short ones
                const uint32_t half = left / 2;
                Add(x, x, x[(left - half) * pitch], half * pitch);
                left -= half;
            }
            Add(sum, sum, x, pitch);
            arriving.FreeTensor(x);
        }
        leaving.EnQue(sum);
        sum = leaving.DeQue<float>();
        DataCopyPad(to[column], sum,
                    DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
        leaving.FreeTensor(sum);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> arriving;
    TQue<TPosition::VECOUT, 1> leaving;
    GlobalTensor<float> from, to;
    uint32_t rows, columns, share, batch;
};

extern "C" __global__ __aicore__ void column_sum(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    ColumnSum op;
    op.Init(x, y, data);
    op.Process();
}
