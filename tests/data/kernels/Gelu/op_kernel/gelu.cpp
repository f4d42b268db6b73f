#include "flat_kernel.h"

// x/2 (1 + erf(x / sqrt(2)))
struct GeluMath {
    static constexpr int32_t SCRATCH = 2;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        AscendC::Muls(tile.scratch[0], tile.x[0], 0.70710678118654752f, count);
        AscendC::Erf<float, false>(tile.scratch[1], tile.scratch[0], static_cast<uint32_t>(count));
        AscendC::Adds(tile.scratch[1], tile.scratch[1], 1.0f, count);
        AscendC::Mul(tile.y[0], tile.scratch[1], tile.x[0], count);
        AscendC::Muls(tile.y[0], tile.y[0], 0.5f, count);
    }
};

extern "C" __global__ __aicore__ void gelu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunFlat<DTYPE_X, 1>({x}, y, tilingData, GeluMath());
}
