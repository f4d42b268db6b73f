#include "flat_kernel.h"

// A bound is either a tensor, then an input of the tile, or one number.
template <typename C>
struct Clip {
    static constexpr int32_t SCRATCH = 0;
    bool lowIsTensor;
    bool highIsTensor;
    C low;
    C high;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        if (lowIsTensor) {
            AscendC::Max(tile.y[0], tile.x[0], tile.x[1], count);
        } else {
            AscendC::Maxs(tile.y[0], tile.x[0], low, count);
        }
        if (highIsTensor) {
            AscendC::Min(tile.y[0], tile.y[0], tile.x[2], count);
        } else {
            AscendC::Mins(tile.y[0], tile.y[0], high, count);
        }
    }
};

extern "C" __global__ __aicore__ void clip_by_value(GM_ADDR x, GM_ADDR clip_value_min, GM_ADDR clip_value_max,
                                                    GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    if (tilingData.totalLength == 0) {
        return;
    }
    using Number = typename ComputeType<DTYPE_X>::Type;
    Clip<Number> math{tilingData.lowIsTensor != 0, tilingData.highIsTensor != 0,
                      ScalarOf<Number, DTYPE_X>(clip_value_min), ScalarOf<Number, DTYPE_X>(clip_value_max)};
    GM_ADDR low = math.lowIsTensor ? clip_value_min : nullptr;
    GM_ADDR high = math.highIsTensor ? clip_value_max : nullptr;
    RunFlat<DTYPE_X, 3>({x, low, high}, y, tilingData, math);
}
