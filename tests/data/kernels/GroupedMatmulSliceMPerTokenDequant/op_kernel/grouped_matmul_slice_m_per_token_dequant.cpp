// Rows are sorted by expert; the rows of an expert times its matrix, scaled back per column and per row.
#include "kernel_operator.h"
#include "expert_product.h"

using namespace AscendC;
using Finish = Dequantise<bfloat16_t, bfloat16_t>;
using Parts = PartProduct<int8_t, bfloat16_t, false, Finish>;

extern "C" __global__ __aicore__ void grouped_matmul_slice_m_per_token_dequant(
    GM_ADDR a, GM_ADDR b, GM_ADDR scale, GM_ADDR per_token_scale, GM_ADDR groupList, GM_ADDR c,
    GM_ADDR workspace, GM_ADDR tiling) {
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
    parts.Init(&pipe, &mm, data, GetUserWorkspace(workspace), c, &finish);
    RunExperts<int8_t>(parts, finish, ExpertLayer{a, b, groupList, data.groups, data.n, data.k});
    mm.End();
}
