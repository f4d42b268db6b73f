// The streams of hyper-connections: y[j] = post[j] x + sum over i of comb[i, j] residual[i], for every token.
#ifndef STREAM_MIXER_H
#define STREAM_MIXER_H
#include "tile_reduce.h"

constexpr uint32_t MOST_STREAMS = 8;

template <typename T>
class StreamMixer {
public:
    template <typename Tiling>
    __aicore__ inline void Init(AscendC::TPipe* pipe, const Tiling& tiling) {
        streams = tiling.streams;
        width = tiling.width;
        tile = tiling.tileLength;
        layer.Init(pipe, tile);
        old.Init(pipe, tile);
        fresh.Init(pipe, tile);
        reduce.Init(pipe, tile);
        pipe->InitBuffer(termBuffer, tile * sizeof(float));
    }
    __aicore__ inline void SetStreams(GM_ADDR x, GM_ADDR residual, GM_ADDR y) {
        layer.Set(0, x);
        for (uint32_t i = 0; i < MOST_STREAMS; ++i) {
            old.Set(i, i < streams ? residual + i * width * sizeof(T) : nullptr);
        }
        fresh.Set(0, y);
    }
    __aicore__ inline void SetWeights(GM_ADDR post, GM_ADDR comb) {
        postGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(post));
        combGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(comb));
    }
    // Writes the streams of one token. Returns the sum of their squares, before rounding, when it is asked
    // for.
    __aicore__ inline float Mix(uint32_t token, bool squares) {
        float sum = 0.0f;
        for (uint32_t done = 0; done < width; done += tile) {
            uint32_t count = width - done < tile ? width - done : tile;
            layer.Load(static_cast<uint64_t>(token) * width + done, count);
            old.Load(static_cast<uint64_t>(token) * streams * width + done, count);
            for (uint32_t j = 0; j < streams; ++j) {
                sum += MixTile(token, j, done, count, squares);
            }
            old.Release();
            layer.Release();
        }
        return sum;
    }

private:
    __aicore__ inline float MixTile(uint32_t token, uint32_t j, uint32_t done, uint32_t count, bool squares) {
        int32_t length = static_cast<int32_t>(count);
        float sum = 0.0f;
        fresh.Begin();
        AscendC::LocalTensor<float> y = fresh.Tile(0);
        AscendC::Muls(y, layer.Tile(0), postGm.GetValue(token * streams + j), length);
        for (uint32_t i = 0; i < streams; ++i) {
            AscendC::Axpy(y, old.Tile(i), combGm.GetValue((token * streams + i) * streams + j), length);
        }
        if (squares) {
            AscendC::Mul(termBuffer.Get<float>(), y, y, length);
            sum = reduce.Sum(termBuffer.Get<float>(), length);
        }
        fresh.Store((static_cast<uint64_t>(token) * streams + j) * width + done, count);
        return sum;
    }

    TileLoader<T, 1> layer;
    TileLoader<T, MOST_STREAMS> old;
    TileStorer<T, 1> fresh;
    TileReduce reduce;
    AscendC::TBuf<AscendC::TPosition::VECCALC> termBuffer;
    AscendC::GlobalTensor<float> postGm;
    AscendC::GlobalTensor<float> combGm;
    uint32_t streams;
    uint32_t width;
    uint32_t tile;
};
#endif
