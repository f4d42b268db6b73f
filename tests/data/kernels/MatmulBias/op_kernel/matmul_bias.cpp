// D = A B + bias, asked for by the vector cores, each of which has one part of D.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

using Operand = MatmulType<TPosition::GM, CubeFormat::ND, half>;

extern "C" __global__ __aicore__ void matmul_bias(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR d,
                                                  GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    matmul::Matmul<Operand, Operand, Operand, Operand> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    if (GetBlockIdx() >= data.cores) {
        mm.End();
        return;
    }
    const TCubeTiling& t = data.cube;
    const int32_t rows = (t.M + t.singleCoreM - 1) / t.singleCoreM;
    const int32_t m = static_cast<int32_t>(GetBlockIdx()) % rows * t.singleCoreM;
    const int32_t n = static_cast<int32_t>(GetBlockIdx()) / rows * t.singleCoreN;
    GlobalTensor<half> left, right, row, out;
    left.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a) + static_cast<int64_t>(m) * t.Ka);
    right.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b) + n);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(d) + static_cast<int64_t>(m) * t.N + n);
    row.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(bias) + n);
    mm.SetTail(t.M - m < t.singleCoreM ? t.M - m : t.singleCoreM,
               t.N - n < t.singleCoreN ? t.N - n : t.singleCoreN);
    mm.SetTensorA(left);
    mm.SetTensorB(right);
    mm.SetBias(row);
    mm.IterateAll(out);
    mm.End();
}
