#include "foreach_kernel.h"

struct TimesFunction {
    static constexpr int32_t SCRATCH = 0;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        AscendC::Mul(tile.y[0], tile.x[0], tile.x[1], count);
    }
};

extern "C" __global__ __aicore__ void foreach_mul_list(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace,
                                                       GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunForeachBinary<DTYPE_X1>(x1, x2, y, tilingData, TimesFunction());
}
