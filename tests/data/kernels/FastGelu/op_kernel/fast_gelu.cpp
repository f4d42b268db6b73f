#include "flat_kernel.h"

// x exp(1.702 min(x, 0)) / (1 + exp(-1.702 |x|)): no exponential overflows.
struct FastGeluMath {
    static constexpr int32_t SCRATCH = 2;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        auto& gate = tile.scratch[0];
        auto& below = tile.scratch[1];
        AscendC::Abs(gate, tile.x[0], count);
        AscendC::Muls(gate, gate, -1.702f, count);
        AscendC::Exp(gate, gate, count);
        AscendC::Adds(gate, gate, 1.0f, count);
        AscendC::Mins(below, tile.x[0], 0.0f, count);
        AscendC::Muls(below, below, 1.702f, count);
        AscendC::Exp(below, below, count);
        AscendC::Mul(below, below, tile.x[0], count);
        AscendC::Div(tile.y[0], below, gate, count);
    }
};

extern "C" __global__ __aicore__ void fast_gelu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunFlat<DTYPE_X, 1>({x}, y, tilingData, FastGeluMath());
}
