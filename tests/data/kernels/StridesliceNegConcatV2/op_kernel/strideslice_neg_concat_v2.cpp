#include "piece.h"
using namespace AscendC;

template <typename T>
class KernelStridesliceNegConcatV2 {
public:
    __aicore__ inline void Init(const StridesliceNegConcatV2TilingData& tiling, GM_ADDR x, GM_ADDR y,
                                TPipe* pipe) {
        set = tiling;
        input.Init(pipe, set.tileLength);
        input.Set(0, x);
        output.Init(pipe, set.tileLength);
        output.Set(0, y);
        pipe->InitBuffer(signBuffer, set.tileLength * sizeof(float));
    }
    __aicore__ inline void Run() {
        PieceRun run = PiecesOfCore(set);
        for (uint32_t index = run.first; index < run.end; ++index) {
            Piece piece = PieceOf(set, index);
            uint64_t offset = static_cast<uint64_t>(piece.row) * set.width + piece.column;
            uint32_t pitch = TileLoader<T, 1>::Padded(piece.columns);
            MakeSigns(piece, pitch);
            input.CopyRows(offset, piece.rows, piece.columns, set.width);
            input.Take(static_cast<int32_t>(piece.rows * pitch));
            output.Begin();
            for (uint32_t row = 0; row < piece.rows; ++row) {
                Mul(output.Tile(0)[row * pitch], input.Tile(0)[row * pitch], signBuffer.Get<float>(),
                    static_cast<int32_t>(pitch));
            }
            output.StoreRows(offset, piece.rows, piece.columns, set.width);
            input.Release();
        }
    }

private:
    static constexpr uint32_t PER_BLOCK = 8;

    // 1 in the first half of the row, -1 in the second. Addresses are whole blocks: the border is done with a
    // mask.
    __aicore__ inline void MakeSigns(const Piece& piece, uint32_t pitch) {
        LocalTensor<float> signs = signBuffer.Get<float>();
        uint32_t half = set.width / 2;
        uint32_t border = half > piece.column ? half - piece.column : 0;
        Duplicate(signs, 1.0f, static_cast<int32_t>(pitch));
        if (border >= pitch) {
            return;
        }
        uint32_t block = border / PER_BLOCK * PER_BLOCK;
        uint64_t mask[2] = {(1ULL << PER_BLOCK) - (1ULL << (border - block)), 0};
        Duplicate(signs[block], -1.0f, mask, 1, 1, 8);
        if (block + PER_BLOCK < pitch) {
            Duplicate(signs[block + PER_BLOCK], -1.0f, static_cast<int32_t>(pitch - block - PER_BLOCK));
        }
    }

    TileLoader<T, 1> input;
    TileStorer<T, 1> output;
    TBuf<TPosition::VECCALC> signBuffer;
    StridesliceNegConcatV2TilingData set;
};

extern "C" __global__ __aicore__ void strideslice_neg_concat_v2(GM_ADDR input, GM_ADDR output,
                                                                GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelStridesliceNegConcatV2<DTYPE_INPUT> op;
    op.Init(tilingData, input, output, &pipe);
    op.Run();
}
