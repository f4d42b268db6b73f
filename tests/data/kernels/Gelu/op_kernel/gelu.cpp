#include "exact_gelu.h"
#include "flat_kernel.h"

// x/2 (1 + erf(x / sqrt(2)))
struct GeluMath {
    static constexpr int32_t SCRATCH = 2;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        ExactGelu(tile.y[0], tile.x[0], tile.scratch[0], tile.scratch[1], count);
    }
};

extern "C" __global__ __aicore__ void gelu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunFlat<DTYPE_X, 1>({x}, y, tilingData, GeluMath());
}
