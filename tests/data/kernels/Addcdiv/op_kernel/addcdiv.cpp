#include "flat_kernel.h"

struct ScaledQuotient {
    static constexpr int32_t SCRATCH = 0;
    float value;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        AscendC::Div(tile.y[0], tile.x[1], tile.x[2], count);
        AscendC::Muls(tile.y[0], tile.y[0], value, count);
        AscendC::Add(tile.y[0], tile.y[0], tile.x[0], count);
    }
};

extern "C" __global__ __aicore__ void addcdiv(GM_ADDR input_data, GM_ADDR x1, GM_ADDR x2, GM_ADDR value,
                                              GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    ScaledQuotient math{ScalarOf<float, DTYPE_VALUE>(value)};
    RunFlat<DTYPE_INPUT_DATA, 3>({input_data, x1, x2}, y, tilingData, math);
}
