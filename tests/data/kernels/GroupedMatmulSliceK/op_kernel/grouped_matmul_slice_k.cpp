// One product for every slice of k; A lies k-major, so that a slice is contiguous. An empty slice gives
// zeros.
#include "kernel_operator.h"
#include "part_product.h"

using namespace AscendC;
using Finish = Unchanged;
using Parts = PartProduct<half, half, true, Finish>;

extern "C" __global__ __aicore__ void grouped_matmul_slice_k(GM_ADDR a, GM_ADDR b, GM_ADDR groupList,
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
    GlobalTensor<int64_t> ends;
    ends.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(groupList));
    const uint64_t size = static_cast<uint64_t>(data.m) * data.n;
    uint64_t first = 0;
    for (uint32_t group = 0; group < data.groups; ++group) {
        const uint64_t end = static_cast<uint64_t>(ends.GetValue(group));
        parts.Run(MatrixProduct{group, data.m, data.n, static_cast<uint32_t>(end - first),
                                a + first * data.m * sizeof(half), b + first * data.n * sizeof(half),
                                group * size});
        first = end;
    }
    mm.End();
}
