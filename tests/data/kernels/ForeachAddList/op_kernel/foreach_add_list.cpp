#include "foreach_kernel.h"

template <typename C>
struct ScaledSum {
    static constexpr int32_t SCRATCH = 0;
    C alpha;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        AscendC::Muls(tile.y[0], tile.x[1], alpha, count);
        AscendC::Add(tile.y[0], tile.y[0], tile.x[0], count);
    }
};

extern "C" __global__ __aicore__ void foreach_add_list(GM_ADDR x1, GM_ADDR x2, GM_ADDR alpha, GM_ADDR y,
                                                       GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    using Number = typename ComputeType<DTYPE_X1>::Type;
    RunForeachBinary<DTYPE_X1>(x1, x2, y, tilingData,
                               ScaledSum<Number>{ScalarOf<Number, DTYPE_ALPHA>(alpha)});
}
