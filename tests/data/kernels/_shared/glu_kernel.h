// Gated units: y = math(a, b) for the halves a and b of x, which is [outer, 2, inner].
#ifndef GLU_KERNEL_H
#define GLU_KERNEL_H
#include "float_map.h"
#include "piece.h"

template <typename T, int32_t OUTPUTS, typename Math>
class GatedUnit {
public:
    template <typename Tiling>
    __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR x, const Tiling& tiling, const Math& work) {
        math = work;
        tile = tiling.tileLength;
        halves.Init(pipe, tile);
        halves.Set(0, x);
        halves.Set(1, x + tiling.width * sizeof(T));
        results.Init(pipe, tile);
        pipe->InitBuffer(scratchBuffer, Math::SCRATCH * tile * sizeof(float));
    }
    __aicore__ inline void SetOutput(int32_t index, GM_ADDR y) { results.Set(index, y); }

    template <typename Tiling>
    __aicore__ inline void Run(const Tiling& tiling) {
        PieceRun run = PiecesOfCore(tiling);
        for (uint32_t index = run.first; index < run.end; ++index) {
            Piece piece = PieceOf(tiling, index);
            uint64_t width = tiling.width;
            halves.CopyRows(2 * piece.row * width + piece.column, piece.rows, piece.columns,
                            2 * tiling.width);
            int32_t count = static_cast<int32_t>(piece.rows * TileLoader<T, 2>::Padded(piece.columns));
            halves.Take(count);
            results.Begin();
            Compute(count);
            results.StoreRows(piece.row * width + piece.column, piece.rows, piece.columns, tiling.width);
            halves.Release();
        }
    }

private:
    __aicore__ inline void Compute(int32_t count) {
        Tiles<float, 2, OUTPUTS, Math::SCRATCH> tiles;
        tiles.x[0] = halves.Tile(0);
        tiles.x[1] = halves.Tile(1);
        for (int32_t i = 0; i < OUTPUTS; ++i) {
            tiles.y[i] = results.Tile(i);
        }
        for (int32_t i = 0; i < Math::SCRATCH; ++i) {
            tiles.scratch[i] = scratchBuffer.Get<float>()[i * tile];
        }
        math(tiles, count);
    }

    TileLoader<T, 2> halves;
    TileStorer<T, OUTPUTS> results;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratchBuffer;
    Math math;
    uint32_t tile;
};
#endif
