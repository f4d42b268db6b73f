// Integer products of the rows of every expert, brought back to float32 in workspace, then gated and
// quantised.
#include "kernel_operator.h"
#include "expert_product.h"
#include "gated_quant.h"

using namespace AscendC;
using Finish = Dequantise<float, float>;
using Parts = PartProduct<int8_t, float, false, Finish>;

extern "C" __global__ __aicore__ void grouped_matmul_swiglu_quant_x(
    GM_ADDR x, GM_ADDR weight, GM_ADDR weight_scale, GM_ADDR x_scale, GM_ADDR smooth_scale,
    GM_ADDR group_list, GM_ADDR quant_out, GM_ADDR quant_scale_out, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    Parts::Types::Object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    GM_ADDR tiles = GetUserWorkspace(workspace);
    GM_ADDR products = tiles + static_cast<uint64_t>(data.cores) * data.partM * data.partN * sizeof(float);
    Finish finish;
    finish.Init(&pipe, weight_scale, x_scale);
    Parts parts;
    parts.Init(&pipe, &mm, data, tiles, products, &finish);
    RunExperts<int8_t>(parts, finish, ExpertLayer{x, weight, group_list, data.groups, data.n, data.k});
    SyncAll();
    mm.End();
    GatedQuant gate;
    gate.Init(&pipe, data.n / 2, products, smooth_scale, group_list, data.groups);
    gate.Run(&pipe, data.m, data.cores, quant_out, quant_scale_out);
}
