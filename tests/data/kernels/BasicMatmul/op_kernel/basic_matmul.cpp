// C = A B on the cube cores, each of which computes one part of C with the Matmul object.
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"

using namespace AscendC;

using Operand = MatmulType<TPosition::GM, CubeFormat::ND, half>;

extern "C" __global__ __aicore__ void basic_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace,
                                                   GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA(data, tiling);
    if (GetBlockIdx() >= data.cores) {
        return;
    }
    TPipe pipe;
    matmul::Matmul<Operand, Operand, Operand> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    const TCubeTiling& t = data.cube;
    const int32_t rows = (t.M + t.singleCoreM - 1) / t.singleCoreM;
    const int32_t m = static_cast<int32_t>(GetBlockIdx()) % rows * t.singleCoreM;
    const int32_t n = static_cast<int32_t>(GetBlockIdx()) / rows * t.singleCoreN;
    GlobalTensor<half> left, right, out;
    left.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a) + static_cast<int64_t>(m) * t.Ka);
    right.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b) + n);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c) + static_cast<int64_t>(m) * t.N + n);
    mm.SetTail(t.M - m < t.singleCoreM ? t.M - m : t.singleCoreM,
               t.N - n < t.singleCoreN ? t.N - n : t.singleCoreN);
    mm.SetTensorA(left);
    mm.SetTensorB(right);
    mm.IterateAll(out);
    mm.End();
}
