#include "flat_kernel.h"

// factor / (1 + exp(-slope x)) + shift
struct ScaledSigmoid {
    static constexpr int32_t SCRATCH = 1;
    float slope;
    float factor;
    float shift;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        auto& gate = tile.scratch[0];
        AscendC::Muls(gate, tile.x[0], -slope, count);
        AscendC::Exp(gate, gate, count);
        AscendC::Adds(gate, gate, 1.0f, count);
        AscendC::Duplicate(tile.x[0], factor, count);
        AscendC::Div(tile.y[0], tile.x[0], gate, count);
        AscendC::Adds(tile.y[0], tile.y[0], shift, count);
    }
};

extern "C" __global__ __aicore__ void mul_sigmoid_mul_add_custom(GM_ADDR input, GM_ADDR mulscalar1,
                                                                 GM_ADDR mulscalar2, GM_ADDR addscalar3,
                                                                 GM_ADDR outputs, GM_ADDR workspace,
                                                                 GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    ScaledSigmoid math{ScalarOf<float, DTYPE_INPUT>(mulscalar1), ScalarOf<float, DTYPE_INPUT>(mulscalar2),
                       ScalarOf<float, DTYPE_INPUT>(addscalar3)};
    RunFlat<DTYPE_INPUT, 1>({input}, outputs, tilingData, math);
}
