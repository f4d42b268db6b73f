#include "rotation.h"
using namespace AscendC;

// A row of work is one head; the angles stay while the token does.
template <typename T>
class KernelRotaryPosEmbPartial {
public:
    __aicore__ inline void Init(const RotaryPosEmbPartialTilingData& tiling, TPipe* pipe) {
        set = tiling;
        rotation.Init(pipe, set.width, set.interleaved != 0);
        input.Init(pipe, set.tileLength);
        angles.Init(pipe, set.tileLength);
        result.Init(pipe, set.tileLength);
        pipe->InitBuffer(restQueue, BUFFER_NUM,
                         set.copyHeads * TileLoader<T, 1>::Padded(set.headWidth) * sizeof(T));
    }
    __aicore__ inline void SetTensors(GM_ADDR x, GM_ADDR cosine, GM_ADDR sine, GM_ADDR y) {
        input.Set(0, x);
        angles.Set(0, cosine);
        angles.Set(1, sine);
        result.Set(0, y);
        xGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
    }
    __aicore__ inline void Run() {
        RowRun run = RowsOfCore(set);
        CopyRest(run, 0, set.begin);
        CopyRest(run, set.begin + set.width, set.headWidth);
        uint32_t index = run.first;
        while (index < run.end) {
            uint32_t token = index / set.heads;
            uint32_t end = (token + 1) * set.heads < run.end ? (token + 1) * set.heads : run.end;
            angles.Load(static_cast<uint64_t>(token) * set.width, set.width);
            rotation.Sign(angles.Tile(1));
            for (; index < end; ++index) {
                RotateHead(static_cast<uint64_t>(index) * set.headWidth + set.begin);
            }
            angles.Release();
        }
    }

private:
    // Columns [from, to) of all heads of this core, bit by bit.
    __aicore__ inline void CopyRest(const RowRun& run, uint32_t from, uint32_t to) {
        if (from >= to) {
            return;
        }
        for (uint32_t head = run.first; head < run.end; head += set.copyHeads) {
            uint32_t some = run.end - head < set.copyHeads ? run.end - head : set.copyHeads;
            uint64_t offset = static_cast<uint64_t>(head) * set.headWidth + from;
            uint32_t bytes = static_cast<uint32_t>((to - from) * sizeof(T));
            uint32_t gap = static_cast<uint32_t>(set.headWidth * sizeof(T)) - bytes;
            LocalTensor<T> rest = restQueue.template AllocTensor<T>();
            DataCopyPad(rest, xGm[offset], DataCopyExtParams{static_cast<uint16_t>(some), bytes, gap, 0, 0},
                        DataCopyPadExtParams<T>{false, 0, 0, static_cast<T>(0)});
            restQueue.EnQue(rest);
            rest = restQueue.template DeQue<T>();
            DataCopyPad(yGm[offset], rest, DataCopyExtParams{static_cast<uint16_t>(some), bytes, 0, gap, 0});
            restQueue.FreeTensor(rest);
        }
    }
    __aicore__ inline void RotateHead(uint64_t start) {
        input.Load(start, set.width);
        result.Begin();
        rotation.Apply(result.Tile(0), input.Tile(0), angles.Tile(0), angles.Tile(1));
        result.Store(start, set.width);
        input.Release();
    }

    Rotation rotation;
    TileLoader<T, 1> input;
    TileLoader<T, 2> angles;
    TileStorer<T, 1> result;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, BUFFER_NUM> restQueue;
    GlobalTensor<T> xGm;
    GlobalTensor<T> yGm;
    RotaryPosEmbPartialTilingData set;
};

extern "C" __global__ __aicore__ void rotary_pos_emb_partial(GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y,
                                                             GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelRotaryPosEmbPartial<DTYPE_X> op;
    op.Init(tilingData, &pipe);
    op.SetTensors(x, cos, sin, y);
    op.Run();
}
