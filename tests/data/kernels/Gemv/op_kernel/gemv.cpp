#include "tile_reduce.h"
using namespace AscendC;

class KernelGemv {
public:
    __aicore__ inline void Init(const GemvTilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        matrix.Init(pipe, set.tileLength);
        vector.Init(pipe, set.tileLength);
        reduce.Init(pipe, set.tileLength);
        numbers.Init(pipe, run.first);
        pipe->InitBuffer(productBuffer, set.tileLength * sizeof(float));
    }
    __aicore__ inline void SetTensors(GM_ADDR a, GM_ADDR x, GM_ADDR y, GM_ADDR out) {
        matrix.Set(0, a);
        vector.Set(0, x);
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
        numbers.Set(0, out);
    }
    __aicore__ inline void Run() {
        if (run.first >= run.end) {
            return;
        }
        bool stays = set.width <= set.tileLength;  // the vector is read once
        if (stays) {
            vector.Load(0, set.width);
        }
        for (uint32_t row = run.first; row < run.end; ++row) {
            float sum = set.alpha * Product(row, stays);
            // Without beta the values of y do not matter, not even NaN.
            numbers.Put(0, set.beta == 0.0f ? sum : sum + set.beta * yGm.GetValue(row));
            numbers.Next();
        }
        if (stays) {
            vector.Release();
        }
        numbers.Flush();
    }

private:
    __aicore__ inline float Product(uint32_t row, bool stays) {
        float sum = 0.0f;
        for (uint32_t done = 0; done < set.width; done += set.tileLength) {
            uint32_t left = set.width - done;
            uint32_t count = left < set.tileLength ? left : set.tileLength;
            matrix.Load(static_cast<uint64_t>(row) * set.width + done, count);
            if (!stays) {
                vector.Load(done, count);
            }
            Mul(productBuffer.Get<float>(), matrix.Tile(0), vector.Tile(0), static_cast<int32_t>(count));
            matrix.Release();
            if (!stays) {
                vector.Release();
            }
            sum += reduce.Sum(productBuffer.Get<float>(), static_cast<int32_t>(count));
        }
        return sum;
    }

    TileLoader<float, 1> matrix;
    TileLoader<float, 1> vector;
    TileReduce reduce;
    RowNumbers<1> numbers;
    TBuf<TPosition::VECCALC> productBuffer;
    GlobalTensor<float> yGm;
    GemvTilingData set;
    RowRun run;
};

extern "C" __global__ __aicore__ void gemv(GM_ADDR a, GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR workspace,
                                           GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelGemv op;
    op.Init(tilingData, &pipe);
    op.SetTensors(a, x, y, out);
    op.Run();
}
