// Rows are sorted by expert; the rows of an expert times its matrix.
#include "kernel_operator.h"
#include "expert_product.h"

using namespace AscendC;
using Finish = Unchanged;
using Parts = PartProduct<half, half, false, Finish>;

extern "C" __global__ __aicore__ void grouped_matmul_slice_m(GM_ADDR a, GM_ADDR b, GM_ADDR groupList,
                                                             GM_ADDR c, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    Parts::Types::Object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    Finish finish;
    Parts parts;
    parts.Init(&pipe, &mm, data, GetUserWorkspace(workspace), c, &finish);
    RunExperts<half>(parts, finish, ExpertLayer{a, b, groupList, data.groups, data.n, data.k});
    mm.End();
}
