#include "rotation.h"
using namespace AscendC;

// A row of work is one head; the angles stay while the token does.
template <typename T>
class KernelRmsNormRope {
public:
    __aicore__ inline void Init(const RmsNormRopeTilingData& tiling, TPipe* pipe) {
        set = tiling;
        row.Init(pipe, set.width, set.tileLength);
        rotation.Init(pipe, set.width, set.interleaved != 0);
        input.Init(pipe, set.tileLength);
        weights.Init(pipe, set.tileLength);
        angles.Init(pipe, set.tileLength);
        result.Init(pipe, set.tileLength);
    }
    __aicore__ inline void SetTensors(GM_ADDR x, GM_ADDR gamma, GM_ADDR y) {
        input.Set(0, x);
        weights.Set(0, gamma);
        result.Set(0, y);
    }
    __aicore__ inline void SetAngles(GM_ADDR cosine, GM_ADDR sine) {
        angles.Set(0, cosine);
        angles.Set(1, sine);
    }
    __aicore__ inline void Run() {
        RowRun run = RowsOfCore(set);
        if (run.first >= run.end) {
            return;
        }
        weights.Load(0, set.width);
        uint32_t index = run.first;
        while (index < run.end) {
            uint32_t token = index / set.heads;
            uint32_t end = (token + 1) * set.heads < run.end ? (token + 1) * set.heads : run.end;
            angles.Load(static_cast<uint64_t>(token) * set.width, set.width);
            rotation.Sign(angles.Tile(1));
            for (; index < end; ++index) {
                NormaliseHead(static_cast<uint64_t>(index) * set.width);
            }
            angles.Release();
        }
        weights.Release();
    }

private:
    __aicore__ inline void NormaliseHead(uint64_t start) {
        int32_t count = static_cast<int32_t>(set.width);
        input.Load(start, set.width);
        Muls(row.From(0), input.Tile(0), 1.0f, count);
        input.Release();
        row.Normalise(set.epsilon);
        Mul(row.From(0), row.From(0), weights.Tile(0), count);
        result.Begin();
        rotation.Apply(result.Tile(0), row.From(0), angles.Tile(0), angles.Tile(1));
        result.Store(start, set.width);
    }

    RowBuffer row;
    Rotation rotation;
    TileLoader<T, 1> input;
    TileLoader<T, 1> weights;
    TileLoader<T, 2> angles;
    TileStorer<T, 1> result;
    RmsNormRopeTilingData set;
};

extern "C" __global__ __aicore__ void rms_norm_rope(GM_ADDR x, GM_ADDR gamma, GM_ADDR cos, GM_ADDR sin,
                                                    GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelRmsNormRope<DTYPE_X> op;
    op.Init(tilingData, &pipe);
    op.SetTensors(x, gamma, y);
    op.SetAngles(cos, sin);
    op.Run();
}
