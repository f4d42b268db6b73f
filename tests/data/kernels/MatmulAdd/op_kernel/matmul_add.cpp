// D = A B + C: the cube cores multiply, the vector cores add before the one rounding.
#include "kernel_operator.h"
#include "part_finish.h"

using namespace AscendC;
using Parts = PartProduct<half, half, false, ScaleAndAdd<half>>;

extern "C" __global__ __aicore__ void matmul_add(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR d,
                                                 GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    Parts::Types::Object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    ScaleAndAdd<half> finish;
    finish.Init(&pipe, c);
    Parts parts;
    parts.Init(&pipe, &mm, data, GetUserWorkspace(workspace), d, &finish);
    parts.Run(MatrixProduct{0, data.m, data.n, data.k, a, b, 0});
    mm.End();
}
