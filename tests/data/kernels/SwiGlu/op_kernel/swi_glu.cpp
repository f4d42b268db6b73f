#include "glu_kernel.h"

// a / (1 + exp(-a)) b
struct SwiGluMath {
    static constexpr int32_t SCRATCH = 1;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        auto& gate = tile.scratch[0];
        AscendC::Muls(gate, tile.x[0], -1.0f, count);
        AscendC::Exp(gate, gate, count);
        AscendC::Adds(gate, gate, 1.0f, count);
        AscendC::Div(gate, tile.x[0], gate, count);
        AscendC::Mul(tile.y[0], gate, tile.x[1], count);
    }
};

extern "C" __global__ __aicore__ void swi_glu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    GatedUnit<DTYPE_X, 1, SwiGluMath> op;
    op.Init(&pipe, x, tilingData, SwiGluMath());
    op.SetOutput(0, y);
    op.Run(tilingData);
}
