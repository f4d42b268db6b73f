#include "foreach_kernel.h"
#include "cosine.h"

extern "C" __global__ __aicore__ void foreach_cos(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunForeachUnary<DTYPE_X>(x, y, tilingData, Cosine());
}
