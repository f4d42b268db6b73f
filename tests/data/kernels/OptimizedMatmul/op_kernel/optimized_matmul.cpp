// C = A B; parts are small enough that every vector core has one, and the cube cores with them.
#include "kernel_operator.h"
#include "part_product.h"

using namespace AscendC;
using Parts = PartProduct<half, half>;

extern "C" __global__ __aicore__ void optimized_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace,
                                                       GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    Parts::Types::Object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    Unchanged finish;
    Parts parts;
    parts.Init(&pipe, &mm, data, GetUserWorkspace(workspace), c, &finish);
    parts.Run(MatrixProduct{0, data.m, data.n, data.k, a, b, 0});
    mm.End();
}
