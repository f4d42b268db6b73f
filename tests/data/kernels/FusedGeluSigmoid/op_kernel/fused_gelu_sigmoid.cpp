#include "exact_gelu.h"
#include "flat_kernel.h"

struct GeluTimesSigmoid {
    static constexpr int32_t SCRATCH = 2;
    bool useTanh;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        if (useTanh) {
            TanhGelu(tile, count);
        } else {
            ExactGelu(tile.y[0], tile.x[0], tile.scratch[0], tile.scratch[1], count);
        }
        auto& gate = tile.x[1];
        AscendC::Muls(gate, gate, -1.0f, count);
        AscendC::Exp(gate, gate, count);
        AscendC::Adds(gate, gate, 1.0f, count);
        AscendC::Div(tile.y[0], tile.y[0], gate, count);
    }

private:
    // x/2 (1 + tanh(z)) = x / (1 + exp(-2 z)) with z = sqrt(2/pi) (x + 0.044715 x^3)
    template <typename Tile>
    __aicore__ inline void TanhGelu(Tile& tile, int32_t count) {
        auto& power = tile.scratch[0];
        AscendC::Mul(power, tile.x[0], tile.x[0], count);
        AscendC::Muls(power, power, 0.044715f, count);
        AscendC::Adds(power, power, 1.0f, count);
        AscendC::Mul(power, power, tile.x[0], count);
        AscendC::Muls(power, power, -1.5957691216057308f, count);
        AscendC::Exp(power, power, count);
        AscendC::Adds(power, power, 1.0f, count);
        AscendC::Div(tile.y[0], tile.x[0], power, count);
    }
};

extern "C" __global__ __aicore__ void fused_gelu_sigmoid(GM_ADDR x, GM_ADDR gate, GM_ADDR y,
                                                         GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    RunFlat<DTYPE_X, 2>({x, gate}, y, tilingData, GeluTimesSigmoid{tilingData.useTanh != 0});
}
