#include "foreach_kernel.h"

template <typename C>
struct AddScalar {
    static constexpr int32_t SCRATCH = 0;
    C scalar;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        AscendC::Adds(tile.y[0], tile.x[0], scalar, count);
    }
};

extern "C" __global__ __aicore__ void foreach_add_scalar(GM_ADDR x, GM_ADDR scalar, GM_ADDR y,
                                                         GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    using Number = typename ComputeType<DTYPE_X>::Type;
    RunForeachUnary<DTYPE_X>(x, y, tilingData, AddScalar<Number>{ScalarOf<Number, DTYPE_SCALAR>(scalar)});
}
