#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t STRIPE = 128;

class ColumnSum {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const Data& data) {
        rows = data.rows;
        columns = data.columns;
        from.SetGlobalBuffer((__gm__ float*)x);
        to.SetGlobalBuffer((__gm__ float*)y, columns);
        pipe.InitBuffer(arriving, 1, STRIPE * sizeof(float));
        pipe.InitBuffer(leaving, 1, STRIPE * sizeof(float));
    }
    __aicore__ inline void Process() {
        for (uint32_t column = GetBlockIdx() * STRIPE; column < columns; column += GetBlockNum() * STRIPE) {
            const uint32_t count = columns - column < STRIPE ? columns - column : STRIPE;
            const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
            LocalTensor<float> sum = leaving.AllocTensor<float>();
            Duplicate(sum, 0.0f, STRIPE);
            for (uint32_t row = 0; row < rows; ++row) {
                LocalTensor<float> x = arriving.AllocTensor<float>();
                DataCopyPad(x, from[static_cast<uint64_t>(row) * columns + column], bytes,
                            DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
                arriving.EnQue(x);
                x = arriving.DeQue<float>();
                Add(sum, sum, x, count);
                arriving.FreeTensor(x);
            }
            leaving.EnQue(sum);
            sum = leaving.DeQue<float>();
            DataCopyPad(to[column], sum, bytes);
            leaving.FreeTensor(sum);
        }
    }

private:
    TPipe pipe;
    TQue<TPosition::VECIN, 1> arriving;
    TQue<TPosition::VECOUT, 1> leaving;
    GlobalTensor<float> from, to;
    uint32_t rows, columns;
};

extern "C" __global__ __aicore__ void column_sum(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    ColumnSum op;
    op.Init(x, y, data);
    op.Process();
}
