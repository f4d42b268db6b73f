#include "foreach_kernel.h"

// exp(min(x, 0)) / (1 + exp(-|x|)): no exponential overflows, and small results keep their precision.
struct Logistic {
    static constexpr int32_t SCRATCH = 1;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        AscendC::Abs(tile.scratch[0], tile.x[0], count);
        AscendC::Muls(tile.scratch[0], tile.scratch[0], -1.0f, count);
        AscendC::Exp(tile.scratch[0], tile.scratch[0], count);
        AscendC::Adds(tile.scratch[0], tile.scratch[0], 1.0f, count);
        AscendC::Mins(tile.y[0], tile.x[0], 0.0f, count);
        AscendC::Exp(tile.y[0], tile.y[0], count);
        AscendC::Div(tile.y[0], tile.y[0], tile.scratch[0], count);
    }
};

extern "C" __global__ __aicore__ void foreach_sigmoid(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                      GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunForeachUnary<DTYPE_X>(x, y, tilingData, Logistic());
}
