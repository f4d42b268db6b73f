// D = (A B) * scale per column * per_token_scale per row, A and B in int8, the sums exact in int32.
#include "kernel_operator.h"
#include "part_finish.h"

using namespace AscendC;
using Finish = Dequantise<half, half>;
using Parts = PartProduct<int8_t, half, false, Finish>;

extern "C" __global__ __aicore__ void quant_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR scale,
                                                   GM_ADDR per_token_scale, GM_ADDR d, GM_ADDR workspace,
                                                   GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    Parts::Types::Object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    Finish finish;
    finish.Init(&pipe, scale, per_token_scale);
    Parts parts;
    parts.Init(&pipe, &mm, data, GetUserWorkspace(workspace), d, &finish);
    parts.Run(MatrixProduct{0, data.m, data.n, data.k, a, b, 0});
    mm.End();
}
