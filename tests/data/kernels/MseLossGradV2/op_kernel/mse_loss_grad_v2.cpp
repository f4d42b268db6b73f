#include "flat_kernel.h"

struct ScaledDifference {
    static constexpr int32_t SCRATCH = 0;
    float factor;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        AscendC::Sub(tile.y[0], tile.x[0], tile.x[1], count);
        AscendC::Muls(tile.y[0], tile.y[0], factor, count);
        AscendC::Mul(tile.y[0], tile.y[0], tile.x[2], count);
    }
};

extern "C" __global__ __aicore__ void mse_loss_grad_v2(GM_ADDR predict, GM_ADDR label, GM_ADDR dout,
                                                       GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunFlat<DTYPE_PREDICT, 3>({predict, label, dout}, y, tilingData, ScaledDifference{tilingData.factor});
}
