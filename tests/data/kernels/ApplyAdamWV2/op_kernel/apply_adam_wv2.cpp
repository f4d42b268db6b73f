#include "flat_kernel.h"
#include "scalar_power.h"
using namespace AscendC;

template <typename T, typename G>
class AdamW {
public:
    __aicore__ inline void Init(TPipe* pipe, const ApplyAdamWV2TilingData& tiling, float step) {
        set = tiling;
        int32_t count = static_cast<int32_t>(step) + 1;
        stepSize = set.lr / (1.0f - ScalarPower(set.beta1, count));
        rootScale = 1.0f / sqrt(1.0f - ScalarPower(set.beta2, count));
        states.Init(pipe, set.tileLength);
        gradients.Init(pipe, set.tileLength);
        newStates.Init(pipe, set.tileLength);
        newBound.Init(pipe, set.tileLength);
        pipe->InitBuffer(rootBuffer, set.tileLength * sizeof(float));
    }
    __aicore__ inline void SetInputs(GM_ADDR var, GM_ADDR m, GM_ADDR v, GM_ADDR grad, GM_ADDR bound) {
        states.Set(0, var);
        states.Set(1, m);
        states.Set(2, v);
        gradients.Set(0, grad);
        gradients.Set(1, set.amsgrad != 0 ? bound : nullptr);
    }
    __aicore__ inline void SetOutputs(GM_ADDR var, GM_ADDR m, GM_ADDR v, GM_ADDR bound) {
        newStates.Set(0, var);
        newStates.Set(1, m);
        newStates.Set(2, v);
        newBound.Set(0, bound);
    }
    __aicore__ inline void Run(uint32_t start, uint32_t length) {
        for (uint32_t done = 0; done < length; done += set.tileLength) {
            uint32_t count = length - done < set.tileLength ? length - done : set.tileLength;
            states.Copy(start + done, count);
            gradients.Copy(start + done, count);
            states.Take(static_cast<int32_t>(count));
            gradients.Take(static_cast<int32_t>(count));
            newStates.Begin();
            Moments(static_cast<int32_t>(count));
            if (set.amsgrad != 0) {
                newBound.Begin();
                LocalTensor<float> bound = newBound.Tile(0);
                Max(bound, gradients.Tile(1), newStates.Tile(2), static_cast<int32_t>(count));
                Update(bound, static_cast<int32_t>(count));
                newBound.Store(start + done, count);
            } else {
                Update(newStates.Tile(2), static_cast<int32_t>(count));
            }
            newStates.Store(start + done, count);
            states.Release();
            gradients.Release();
        }
    }

private:
    __aicore__ inline void Moments(int32_t count) {
        LocalTensor<float> grad = gradients.Tile(0);
        LocalTensor<float> square = rootBuffer.Get<float>();
        if (set.maximize != 0) {
            Muls(grad, grad, -1.0f, count);
        }
        Mul(square, grad, grad, count);
        Muls(newStates.Tile(1), states.Tile(1), set.beta1, count);
        Axpy(newStates.Tile(1), grad, 1.0f - set.beta1, count);
        Muls(newStates.Tile(2), states.Tile(2), set.beta2, count);
        Axpy(newStates.Tile(2), square, 1.0f - set.beta2, count);
    }
    __aicore__ inline void Update(const LocalTensor<float>& second, int32_t count) {
        LocalTensor<float> root = rootBuffer.Get<float>();
        LocalTensor<float> var = newStates.Tile(0);
        Sqrt(root, second, count);
        Muls(root, root, rootScale, count);
        Adds(root, root, set.eps, count);
        Div(root, newStates.Tile(1), root, count);
        Muls(var, states.Tile(0), 1.0f - set.lr * set.weightDecay, count);
        Axpy(var, root, -stepSize, count);
    }

    TileLoader<T, 3> states;
    TileLoader<G, 2> gradients;
    TileStorer<T, 3> newStates;
    TileStorer<G, 1> newBound;
    TBuf<TPosition::VECCALC> rootBuffer;
    ApplyAdamWV2TilingData set;
    float stepSize;   // lr / (1 - beta1^t)
    float rootScale;  // 1 / sqrt(1 - beta2^t)
};

extern "C" __global__ __aicore__ void apply_adam_wv2(GM_ADDR var, GM_ADDR m, GM_ADDR v, GM_ADDR grad,
                                                     GM_ADDR step, GM_ADDR max_grad_norm, GM_ADDR var_out,
                                                     GM_ADDR m_out, GM_ADDR v_out, GM_ADDR max_grad_norm_out,
                                                     GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    if (tilingData.totalLength == 0) {
        return;
    }
    TPipe pipe;
    AdamW<DTYPE_VAR, DTYPE_GRAD> op;
    op.Init(&pipe, tilingData, ScalarOf<float, DTYPE_STEP>(step));
    op.SetInputs(var, m, v, grad, max_grad_norm);
    op.SetOutputs(var_out, m_out, v_out, max_grad_norm_out);
    CoreRun run = RunOfCore(tilingData);
    op.Run(run.start, run.length);
}
