#include "flat_kernel.h"

struct Interpolation {
    static constexpr int32_t SCRATCH = 0;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        AscendC::Sub(tile.y[0], tile.x[1], tile.x[0], count);
        AscendC::Mul(tile.y[0], tile.y[0], tile.x[2], count);
        AscendC::Add(tile.y[0], tile.y[0], tile.x[0], count);
    }
};

extern "C" __global__ __aicore__ void lerp(GM_ADDR start, GM_ADDR end, GM_ADDR weight, GM_ADDR y,
                                           GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunFlat<DTYPE_START, 3>({start, end, weight}, y, tilingData, Interpolation());
}
