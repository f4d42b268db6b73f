// C = alpha A B + beta C in float32; with beta = 0 the old C is not read.
#include "kernel_operator.h"
#include "part_finish.h"

using namespace AscendC;
using Parts = PartProduct<float, float, false, ScaleAndAdd<float>>;

extern "C" __global__ __aicore__ void gemm(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR c_out, GM_ADDR workspace,
                                           GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    Parts::Types::Object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    ScaleAndAdd<float> finish;
    finish.Init(&pipe, c);
    finish.Set(data.alpha, data.beta);
    Parts parts;
    parts.Init(&pipe, &mm, data, GetUserWorkspace(workspace), c_out, &finish);
    parts.Run(MatrixProduct{0, data.m, data.n, data.k, a, b, 0});
    mm.End();
}
