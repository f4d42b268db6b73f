#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

using Left = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using RightTransposed = MatmulType<TPosition::GM, CubeFormat::ND, half, true>;
using Right = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Result = MatmulType<TPosition::GM, CubeFormat::ND, float>;
constexpr uint32_t WIDEST = 4096;  // columns of a block that are taken at once

extern "C" __global__ __aicore__ void larger_product(GM_ADDR a, GM_ADDR b1, GM_ADDR b2, GM_ADDR y, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    Matmul<Left, RightTransposed, Result> first;
    Matmul<Left, Right, Result> second;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), first, &data.first, second, &data.second);
    // From here on only vector cores run.
    if (GetBlockIdx() >= data.cores) {
        first.End();
        second.End();
        return;
    }
    const TCubeTiling& t = data.first;
    const int32_t blockRows = (t.M + t.singleCoreM - 1) / t.singleCoreM;
    const int32_t m = static_cast<int32_t>(GetBlockIdx()) % blockRows * t.singleCoreM;
    const int32_t n = static_cast<int32_t>(GetBlockIdx()) / blockRows * t.singleCoreN;
    const int32_t rows = t.M - m < t.singleCoreM ? t.M - m : t.singleCoreM;
    const int32_t columns = t.N - n < t.singleCoreN ? t.N - n : t.singleCoreN;
    GlobalTensor<half> left, right1, right2;
    GlobalTensor<float> product1, product2, out;
    left.SetGlobalBuffer((__gm__ half*)a + int64_t(m) * t.Ka);
    right1.SetGlobalBuffer((__gm__ half*)b1 + int64_t(n) * t.Ka);  // row n of [N, K]
    right2.SetGlobalBuffer((__gm__ half*)b2 + n);                  // column n of [K, N]
    __gm__ float* user = (__gm__ float*)GetUserWorkspace(workspace);
    const int64_t place = int64_t(m) * t.N + n;
    product1.SetGlobalBuffer(user + place);
    product2.SetGlobalBuffer(user + int64_t(t.M) * t.N + place);
    out.SetGlobalBuffer((__gm__ float*)y + place);
    first.SetTail(rows, columns);
    first.SetTensorA(left);
    first.SetTensorB(right1, true);
    first.IterateAll(product1);
    first.End();
    second.SetTail(rows, columns);
    second.SetTensorA(left);
    second.SetTensorB(right2);
    second.IterateAll(product2);
    second.End();

    TQue<TPosition::VECIN, 2> in1, in2;
    TQue<TPosition::VECOUT, 2> queue;
    pipe.InitBuffer(in1, 2, WIDEST * sizeof(float));
    pipe.InitBuffer(in2, 2, WIDEST * sizeof(float));
    pipe.InitBuffer(queue, 2, WIDEST * sizeof(float));
    const DataCopyPadExtParams<float> none{false, 0, 0, 0.0f};
    for (int32_t row = 0; row < rows; ++row) {
        for (int32_t column = 0; column < columns; column += WIDEST) {
            const int32_t left = columns - column;
            const uint32_t count = left < static_cast<int32_t>(WIDEST) ? static_cast<uint32_t>(left) : WIDEST;
            const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
            const int64_t at = int64_t(row) * t.N + column;
            LocalTensor<float> x1 = in1.AllocTensor<float>(), x2 = in2.AllocTensor<float>();
            DataCopyPad(x1, product1[at], copy, none);
            DataCopyPad(x2, product2[at], copy, none);
            in1.EnQue(x1);
            in2.EnQue(x2);
            x1 = in1.DeQue<float>();
            x2 = in2.DeQue<float>();
            LocalTensor<float> most = queue.AllocTensor<float>();
            Max(most, x1, x2, count);
            in1.FreeTensor(x1);
            in2.FreeTensor(x2);
            queue.EnQue(most);
            most = queue.DeQue<float>();
            DataCopyPad(out[at], most, copy);
            queue.FreeTensor(most);
        }
    }
}
