// C_i = alpha[i] A_i B_i + beta[i] C_i; the parts of all groups are dealt out to the vector cores in turn.
#include "kernel_operator.h"
#include "part_finish.h"

using namespace AscendC;
using Finish = ScaleAndAdd<half>;
using Parts = PartProduct<half, half, false, Finish>;

extern "C" __global__ __aicore__ void group_gemm(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR alpha, GM_ADDR beta,
                                                 GM_ADDR c_out, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    Parts::Types::Object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    Finish finish;
    finish.Init(&pipe, c);
    Parts parts;
    parts.Init(&pipe, &mm, data, GetUserWorkspace(workspace), c_out, &finish);
    uint64_t left = 0, right = 0, out = 0;
    for (uint32_t group = 0; group < data.groups; ++group) {
        const uint64_t m = data.rows[group];
        const uint64_t k = data.depths[group];
        const uint64_t n = data.columns[group];
        finish.Set(ScalarOf<float, float>(alpha, group), ScalarOf<float, float>(beta, group));
        parts.Run(MatrixProduct{group, data.rows[group], data.columns[group], data.depths[group],
                                a + left * sizeof(half), b + right * sizeof(half), out});
        left += m * k;
        right += k * n;
        out += m * n;
    }
    mm.End();
}
