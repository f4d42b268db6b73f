#include "flat_kernel.h"

// x / (1 + exp(-scale x))
struct SwishMath {
    static constexpr int32_t SCRATCH = 1;
    float scale;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        auto& gate = tile.scratch[0];
        AscendC::Muls(gate, tile.x[0], -scale, count);
        AscendC::Exp(gate, gate, count);
        AscendC::Adds(gate, gate, 1.0f, count);
        AscendC::Div(tile.y[0], tile.x[0], gate, count);
    }
};

extern "C" __global__ __aicore__ void swish(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunFlat<DTYPE_X, 1>({x}, y, tilingData, SwishMath{tilingData.scale});
}
