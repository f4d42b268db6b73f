// Both layers of quantised experts: product, gate, quantisation, product. One Matmul object serves both
// products.
#include "kernel_operator.h"
#include "expert_product.h"
#include "gated_quant.h"

using namespace AscendC;
using Scale = DTYPE_WEIGHT1_SCALE;
using Finish = Dequantise<Scale, float>;
using FirstParts = PartProduct<int8_t, float, false, Finish>;
using SecondParts = PartProduct<int8_t, Scale, false, Finish>;

extern "C" __global__ __aicore__ void gmm_deq_swiglu_quant_gmm_deq(GM_ADDR x, GM_ADDR weight1,
                                                                   GM_ADDR weight1_scale, GM_ADDR x_scale,
                                                                   GM_ADDR weight2, GM_ADDR weight2_scale,
                                                                   GM_ADDR group_list, GM_ADDR y,
                                                                   GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    FirstParts::Types::Object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    GM_ADDR tiles = GetUserWorkspace(workspace);
    GM_ADDR products = tiles + static_cast<uint64_t>(data.cores) * data.partM * data.partN * sizeof(float);
    GM_ADDR scales = products + static_cast<uint64_t>(data.m) * 2 * data.hidden * sizeof(float);
    GM_ADDR rows = scales + (data.m * sizeof(float) + 31) / 32 * 32;
    {
        Finish finish;
        finish.Init(&pipe, weight1_scale, x_scale);
        FirstParts parts;
        parts.Init(&pipe, &mm, data, tiles, products, &finish);
        RunExperts<int8_t>(parts, finish,
                           ExpertLayer{x, weight1, group_list, data.groups, 2 * data.hidden, data.inner});
    }
    SyncAll();
    pipe.Reset();
    {
        GatedQuant gate;
        gate.Init(&pipe, data.hidden, products, nullptr, group_list, data.groups);
        gate.Run(&pipe, data.m, data.cores, rows, scales);
    }
    SyncAll();
    pipe.Reset();
    Finish finish;
    finish.Init(&pipe, weight2_scale, scales);
    SecondParts parts;
    parts.Init(&pipe, &mm, data, tiles, y, &finish);
    RunExperts<int8_t>(parts, finish,
                       ExpertLayer{rows, weight2, group_list, data.groups, data.outer, data.hidden});
    mm.End();
}
