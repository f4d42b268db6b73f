#include "flat_kernel.h"

struct SquareRoot {
    static constexpr int32_t SCRATCH = 0;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        AscendC::Sqrt(tile.y[0], tile.x[0], count);
    }
};

extern "C" __global__ __aicore__ void sqrt(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunFlat<DTYPE_X, 1>({x}, y, tilingData, SquareRoot());
}
