#include "kernel_operator.h"
using namespace AscendC;

class OuterProduct {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const Data& data) {
        const uint32_t core = GetBlockIdx();
        first = core * data.share + (core < data.more ? core : data.more);
        last = first + data.share + (core < data.more ? 1 : 0);
        columns = data.columns;
        stripe = data.stripe;
        batch = data.batch;
        left.SetGlobalBuffer((__gm__ float*)x, data.rows);
        right.SetGlobalBuffer((__gm__ float*)y, columns);
        to.SetGlobalBuffer((__gm__ float*)z);
        pipe.InitBuffer(factors, 1, 4096);
        pipe.InitBuffer(kept, 1, stripe * sizeof(float));
        pipe.InitBuffer(leaving, 2, batch * stripe * sizeof(float));
    }
    __aicore__ inline void Process() {
        for (uint32_t column = 0; column < columns && first < last; column += stripe) {
            const uint32_t count = columns - column < stripe ? columns - column : stripe;
            LocalTensor<float> y = kept.AllocTensor<float>();
            DataCopyPad(y, right[column],
                        DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
                        DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
            kept.EnQue(y);
            y = kept.DeQue<float>();  // stays for all rows of this core
            for (uint32_t row = first; row < last; row += batch) {
                Tile(y, row, last - row < batch ? last - row : batch, column, count);
            }
            kept.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void Tile(const LocalTensor<float>& y, uint32_t row, uint32_t rows, uint32_t column,
                                uint32_t count) {
        // The factors of all rows by one copy; the scalar unit then reads them from UB.
        LocalTensor<float> x = factors.AllocTensor<float>();
        DataCopyPad(x, left[row], DataCopyExtParams{1, static_cast<uint32_t>(rows * sizeof(float)), 0, 0, 0},
                    DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        const event_t there = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_S));
        SetFlag<HardEvent::MTE2_S>(there);
        WaitFlag<HardEvent::MTE2_S>(there);
        LocalTensor<float> z = leaving.AllocTensor<float>();
        const uint32_t pitch = (count + 7) / 8 * 8;
        for (uint32_t i = 0; i < rows; ++i) {
            Muls(z[i * pitch], y, x.GetValue(i), static_cast<int32_t>(count));
        }
        factors.FreeTensor(x);
        leaving.EnQue(z);
        z = leaving.DeQue<float>();
        const uint32_t gap = (columns - count) * sizeof(float);
        DataCopyPad(to[static_cast<uint64_t>(row) * columns + column], z,
                    DataCopyExtParams{static_cast<uint16_t>(rows),
                                      static_cast<uint32_t>(count * sizeof(float)), 0, gap, 0});
        leaving.FreeTensor(z);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> factors, kept;
    TQue<TPosition::VECOUT, 2> leaving;
    GlobalTensor<float> left, right, to;
    uint32_t first, last, columns, stripe, batch;
};

extern "C" __global__ __aicore__ void outer_product(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                    GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    OuterProduct op;
    op.Init(x, y, z, data);
    op.Process();
}
