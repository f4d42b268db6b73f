#include "cosine.h"
#include "flat_kernel.h"

extern "C" __global__ __aicore__ void cos_math(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunFlat<DTYPE_X, 1>({x}, y, tilingData, Cosine());
}
