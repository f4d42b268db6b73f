#include "flag_kernel.h"

extern "C" __global__ __aicore__ void is_finite(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    constexpr float largestFinite = 3.4028234663852886e38f;
    AscendC::TPipe pipe;
    MagnitudeFlags<DTYPE_X, AscendC::CMPMODE::LE> op;
    op.Init(&pipe, x, y, tilingData.tileLength, largestFinite);
    op.Run(RunOfCore(tilingData));
}
