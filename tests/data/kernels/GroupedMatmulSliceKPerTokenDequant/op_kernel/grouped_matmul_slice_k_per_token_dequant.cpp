// One product for every slice of k; A lies k-major, so that a slice is contiguous. An empty slice gives
// zeros.
#include "kernel_operator.h"
#include "part_finish.h"

using namespace AscendC;
using Finish = Dequantise<bfloat16_t, bfloat16_t>;
using Parts = PartProduct<int8_t, bfloat16_t, true, Finish>;

extern "C" __global__ __aicore__ void grouped_matmul_slice_k_per_token_dequant(
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
    GlobalTensor<int64_t> ends;
    ends.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(groupList));
    const uint64_t size = static_cast<uint64_t>(data.m) * data.n;
    uint64_t first = 0;
    for (uint32_t group = 0; group < data.groups; ++group) {
        const uint64_t end = static_cast<uint64_t>(ends.GetValue(group));
        finish.SetFirstToken(static_cast<uint64_t>(group) * data.m);
        parts.Run(MatrixProduct{group, data.m, data.n, static_cast<uint32_t>(end - first),
                                a + first * data.m * sizeof(int8_t), b + first * data.n * sizeof(int8_t),
                                group * size});
        first = end;
    }
    mm.End();
}
