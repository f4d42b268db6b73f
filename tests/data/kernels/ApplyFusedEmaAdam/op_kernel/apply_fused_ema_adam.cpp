#include "flat_kernel.h"
#include "scalar_power.h"

struct EmaAdamStep {
    static constexpr int32_t SCRATCH = 2;
    ApplyFusedEmaAdamTilingData set;
    float firstCorrection;   // 1 / (1 - beta1^step)
    float secondCorrection;  // 1 / (1 - beta2^step)

    // x: grad, var, m, v, s; y: var, m, v, s.
    template <typename Tile>
    __aicore__ inline void operator()(Tile& tile, int32_t count) {
        auto& grad = tile.x[0];
        auto& update = tile.scratch[0];
        auto& root = tile.scratch[1];
        if (set.decoupled == 0) {
            AscendC::Axpy(grad, tile.x[1], set.weightDecay, count);
        }
        AscendC::Muls(tile.y[1], tile.x[2], set.beta1, count);
        AscendC::Axpy(tile.y[1], grad, 1.0f - set.beta1, count);
        AscendC::Mul(root, grad, grad, count);
        AscendC::Muls(tile.y[2], tile.x[3], set.beta2, count);
        AscendC::Axpy(tile.y[2], root, 1.0f - set.beta2, count);
        AscendC::Muls(root, tile.y[2], secondCorrection, count);
        AscendC::Sqrt(root, root, count);
        AscendC::Adds(root, root, set.eps, count);
        AscendC::Muls(update, tile.y[1], firstCorrection, count);
        AscendC::Div(update, update, root, count);
        if (set.decoupled != 0) {
            AscendC::Axpy(update, tile.x[1], set.weightDecay, count);
        }
        AscendC::Muls(update, update, -set.lr, count);
        AscendC::Add(tile.y[0], tile.x[1], update, count);
        AscendC::Muls(tile.y[3], tile.x[4], set.emaDecay, count);
        AscendC::Axpy(tile.y[3], tile.y[0], 1.0f - set.emaDecay, count);
    }
};

extern "C" __global__ __aicore__ void apply_fused_ema_adam(GM_ADDR grad, GM_ADDR var, GM_ADDR m, GM_ADDR v,
                                                           GM_ADDR s, GM_ADDR step, GM_ADDR var_out,
                                                           GM_ADDR m_out, GM_ADDR v_out, GM_ADDR s_out,
                                                           GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    if (tilingData.totalLength == 0) {
        return;
    }
    EmaAdamStep math;
    math.set = tilingData;
    math.firstCorrection = 1.0f;
    math.secondCorrection = 1.0f;
    if (tilingData.biasCorrection != 0) {
        int32_t count = static_cast<int32_t>(ScalarOf<int64_t, DTYPE_STEP>(step));
        math.firstCorrection = 1.0f / (1.0f - ScalarPower(tilingData.beta1, count));
        math.secondCorrection = 1.0f / (1.0f - ScalarPower(tilingData.beta2, count));
    }
    AscendC::TPipe pipe;
    FloatMap<DTYPE_VAR, 5, 4, EmaAdamStep> map;
    map.Init(&pipe, tilingData.tileLength, math);
    GM_ADDR inputs[5] = {grad, var, m, v, s};
    GM_ADDR outputs[4] = {var_out, m_out, v_out, s_out};
    for (int32_t i = 0; i < 5; ++i) {
        map.SetInput(i, inputs[i]);
    }
    for (int32_t i = 0; i < 4; ++i) {
        map.SetOutput(i, outputs[i]);
    }
    CoreRun run = RunOfCore(tilingData);
    map.Run(run.start, run.length);
}
