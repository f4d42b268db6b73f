// c[t] = a[t] b[t]; the parts of all matrices are dealt out to the vector cores in turn.
#include "kernel_operator.h"
#include "part_product.h"

using namespace AscendC;
using Parts = PartProduct<half, half>;

extern "C" __global__ __aicore__ void batched_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace,
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
    const uint64_t left = static_cast<uint64_t>(data.m) * data.k * sizeof(half);
    const uint64_t right = static_cast<uint64_t>(data.k) * data.n * sizeof(half);
    const uint64_t size = static_cast<uint64_t>(data.m) * data.n;
    for (uint32_t batch = 0; batch < data.groups; ++batch) {
        parts.Run(
            MatrixProduct{batch, data.m, data.n, data.k, a + batch * left, b + batch * right, batch * size});
    }
    mm.End();
}
