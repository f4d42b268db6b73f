#include "exact_gelu.h"
#include "glu_kernel.h"

struct GeGluMath {
    static constexpr int32_t SCRATCH = 2;
    bool useTanh;
    bool activateLeft;
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        auto& gate = tile.x[activateLeft ? 0 : 1];
        auto& gelu = tile.y[1];
        if (useTanh) {
            TanhGelu(gelu, gate, tile.scratch[0], count);
        } else {
            ExactGelu(gelu, gate, tile.scratch[0], tile.scratch[1], count);
        }
        AscendC::Mul(tile.y[0], gelu, tile.x[activateLeft ? 1 : 0], count);
    }

private:
    // x/2 (1 + tanh(z)) = x / (1 + exp(-2 z)) with z = sqrt(2/pi) (x + 0.044715 x^3)
    template <typename Local>
    __aicore__ inline void TanhGelu(Local& y, const Local& x, Local& power, int32_t count) {
        AscendC::Mul(power, x, x, count);
        AscendC::Muls(power, power, 0.044715f, count);
        AscendC::Adds(power, power, 1.0f, count);
        AscendC::Mul(power, power, x, count);
        AscendC::Muls(power, power, -1.5957691216057308f, count);
        AscendC::Exp(power, power, count);
        AscendC::Adds(power, power, 1.0f, count);
        AscendC::Div(y, x, power, count);
    }
};

extern "C" __global__ __aicore__ void ge_glu_v2(GM_ADDR x, GM_ADDR y, GM_ADDR gelu, GM_ADDR workspace,
                                                GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    GatedUnit<DTYPE_X, 2, GeGluMath> op;
    op.Init(&pipe, x, tilingData, GeGluMath{tilingData.useTanh != 0, tilingData.activateLeft != 0});
    op.SetOutput(0, y);
    op.SetOutput(1, gelu);
    op.Run(tilingData);
}
