// Element-wise kernels over tensors of one shape and one dtype, tile by tile.
#ifndef FLOAT_MAP_H
#define FLOAT_MAP_H
#include "tile_stream.h"

// The 32-bit tensors one call of Math works on. Inputs may be overwritten.
template <typename C, int32_t INPUTS, int32_t OUTPUTS, int32_t SCRATCH>
struct Tiles {
    AscendC::LocalTensor<C> x[INPUTS];
    AscendC::LocalTensor<C> y[OUTPUTS];
    AscendC::LocalTensor<C> scratch[SCRATCH + 1];
};

// Math has `static constexpr int32_t SCRATCH` and `operator()(Tiles<C, ...>& tiles, int32_t count)`.
template <typename T, int32_t INPUTS, int32_t OUTPUTS, typename Math>
class FloatMap {
public:
    using C = typename ComputeType<T>::Type;

    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t tileLength, const Math& work) {
        tile = tileLength;
        math = work;
        loader.Init(pipe, tile);
        storer.Init(pipe, tile);
        if constexpr (Math::SCRATCH > 0) {
            pipe->InitBuffer(scratchBuffer, Math::SCRATCH * tile * sizeof(C));
        }
    }
    __aicore__ inline void SetInput(int32_t index, GM_ADDR address) { loader.Set(index, address); }
    __aicore__ inline void SetOutput(int32_t index, GM_ADDR address) { storer.Set(index, address); }

    // Elements start ... start + length - 1 of the tensors set before.
    __aicore__ inline void Run(uint32_t start, uint32_t length) {
        for (uint32_t done = 0; done < length; done += tile) {
            uint32_t count = length - done < tile ? length - done : tile;
            loader.Load(start + done, count);
            storer.Begin();
            Compute(static_cast<int32_t>(count));
            storer.Store(start + done, count);
            loader.Release();
        }
    }

private:
    __aicore__ inline void Compute(int32_t count) {
        Tiles<C, INPUTS, OUTPUTS, Math::SCRATCH> tiles;
        for (int32_t i = 0; i < INPUTS; ++i) {
            tiles.x[i] = loader.Tile(i);
        }
        for (int32_t i = 0; i < OUTPUTS; ++i) {
            tiles.y[i] = storer.Tile(i);
        }
        for (int32_t i = 0; i < Math::SCRATCH; ++i) {
            tiles.scratch[i] = scratchBuffer.template Get<C>()[i * tile];
        }
        math(tiles, count);
    }

    TileLoader<T, INPUTS> loader;
    TileStorer<T, OUTPUTS> storer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratchBuffer;
    Math math;
    uint32_t tile;
};
#endif
