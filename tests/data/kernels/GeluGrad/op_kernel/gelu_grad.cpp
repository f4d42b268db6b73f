#include "flat_kernel.h"

// With s = 1 / (1 + exp(-2 u)) the derivative is s + 2 u'(x) x s (1 - s).
struct GeluGradMath {
    static constexpr int32_t SCRATCH = 3;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        auto& x = tile.x[1];
        auto& square = tile.scratch[0];
        auto& gate = tile.scratch[1];
        auto& slope = tile.scratch[2];
        AscendC::Mul(square, x, x, count);
        AscendC::Muls(gate, square, CUBIC, count);
        AscendC::Adds(gate, gate, 1.0f, count);
        AscendC::Mul(gate, gate, x, count);
        AscendC::Muls(gate, gate, -2.0f * ROOT, count);
        AscendC::Exp(gate, gate, count);
        AscendC::Adds(gate, gate, 1.0f, count);
        AscendC::Duplicate(slope, 1.0f, count);
        AscendC::Div(gate, slope, gate, count);
        AscendC::Muls(slope, gate, -1.0f, count);
        AscendC::Adds(slope, slope, 1.0f, count);
        AscendC::Mul(slope, slope, gate, count);
        AscendC::Mul(slope, slope, x, count);
        AscendC::Muls(square, square, 3.0f * CUBIC, count);
        AscendC::Adds(square, square, 1.0f, count);
        AscendC::Mul(slope, slope, square, count);
        AscendC::Muls(slope, slope, 2.0f * ROOT, count);
        AscendC::Add(gate, gate, slope, count);
        AscendC::Mul(tile.y[0], gate, tile.x[0], count);
    }

private:
    static constexpr float ROOT = 0.79788456080286536f;  // sqrt(2 / pi)
    static constexpr float CUBIC = 0.044715f;
};

extern "C" __global__ __aicore__ void gelu_grad(GM_ADDR dy, GM_ADDR x, GM_ADDR y, GM_ADDR z,
                                                GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunFlat<DTYPE_X, 2>({dy, x}, z, tilingData, GeluGradMath());
}
