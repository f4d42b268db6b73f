#include "triangle_kernel.h"

extern "C" __global__ __aicore__ void tril(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    TriangleKernel<DTYPE_X, true> op;
    op.Init(&pipe, x, y, tilingData.tileLength);
    op.Run(tilingData);
}
