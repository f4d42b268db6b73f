#include "foreach_kernel.h"

// A true division: the reciprocal of a small divisor overflows where the quotient does not.
template <typename C>
struct DivScalar {
    static constexpr int32_t SCRATCH = 1;
    C scalar;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        AscendC::Duplicate(tile.scratch[0], scalar, count);
        AscendC::Div(tile.y[0], tile.x[0], tile.scratch[0], count);
    }
};

extern "C" __global__ __aicore__ void foreach_div_scalar(GM_ADDR x, GM_ADDR scalar, GM_ADDR y,
                                                         GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    using Number = typename ComputeType<DTYPE_X>::Type;
    RunForeachUnary<DTYPE_X>(x, y, tilingData, DivScalar<Number>{ScalarOf<Number, DTYPE_SCALAR>(scalar)});
}
