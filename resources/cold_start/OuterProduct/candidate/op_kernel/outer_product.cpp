#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 4096;

class OuterProduct {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const Data& data) {
        first = GetBlockIdx() * data.share;
        last = first + data.share < data.rows ? first + data.share : data.rows;
        columns = data.columns;
        left.SetGlobalBuffer((__gm__ float*)x, data.rows);
        right.SetGlobalBuffer((__gm__ float*)y, columns);
        to.SetGlobalBuffer((__gm__ float*)z);
        pipe.InitBuffer(arriving, 1, TILE * sizeof(float));
        pipe.InitBuffer(leaving, 1, TILE * sizeof(float));
    }
    __aicore__ inline void Process() {
        for (uint32_t row = first; row < last; ++row) {
            const float factor = left.GetValue(row);
            for (uint32_t at = 0; at < columns; at += TILE) {
                Piece(row, at, columns - at < TILE ? columns - at : TILE, factor);
            }
        }
    }

private:
    __aicore__ inline void Piece(uint32_t row, uint32_t at, uint32_t count, float factor) {
        const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        LocalTensor<float> y = arriving.AllocTensor<float>();
        DataCopyPad(y, right[at], bytes, DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        arriving.EnQue(y);
        y = arriving.DeQue<float>();
        LocalTensor<float> z = leaving.AllocTensor<float>();
        Muls(z, y, factor, static_cast<int32_t>(count));
        leaving.EnQue(z);
        arriving.FreeTensor(y);
        z = leaving.DeQue<float>();
        DataCopyPad(to[static_cast<uint64_t>(row) * columns + at], z, bytes);
        leaving.FreeTensor(z);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> arriving;
    TQue<TPosition::VECOUT, 1> leaving;
    GlobalTensor<float> left, right, to;
    uint32_t first, last, columns;
};

extern "C" __global__ __aicore__ void outer_product(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                    GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    OuterProduct op;
    op.Init(x, y, z, data);
    op.Process();
}
