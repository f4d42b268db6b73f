// Keeps one triangle of every matrix and puts +0 everywhere else, whatever stood there.
#ifndef TRIANGLE_KERNEL_H
#define TRIANGLE_KERNEL_H
#include "piece.h"

template <typename T, bool LOWER>
class TriangleKernel {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR x, GM_ADDR y, uint32_t tileLength) {
        xGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
        pipe->InitBuffer(inQueue, BUFFER_NUM, tileLength * sizeof(T));
        pipe->InitBuffer(outQueue, BUFFER_NUM, tileLength * sizeof(T));
    }
    template <typename Tiling>
    __aicore__ inline void Run(const Tiling& tiling) {
        PieceRun run = PiecesOfCore(tiling);
        for (uint32_t index = run.first; index < run.end; ++index) {
            Piece piece = PieceOf(tiling, index);
            uint64_t offset = static_cast<uint64_t>(piece.row) * tiling.width + piece.column;
            CopyIn(offset, piece);
            Compute(tiling, piece);
            CopyOut(offset, piece);
        }
    }

private:
    static constexpr uint32_t PER_BLOCK = 32 / sizeof(T);

    __aicore__ inline void CopyIn(uint64_t offset, const Piece& piece) {
        AscendC::LocalTensor<T> local = inQueue.template AllocTensor<T>();
        uint8_t missing = static_cast<uint8_t>(Padded(piece.columns) - piece.columns);
        AscendC::DataCopyPad(local, xGm[offset], Extent(piece),
                             AscendC::DataCopyPadExtParams<T>{true, 0, missing, static_cast<T>(0)});
        inQueue.EnQue(local);
    }
    template <typename Tiling>
    __aicore__ inline void Compute(const Tiling& tiling, const Piece& piece) {
        AscendC::LocalTensor<T> in = inQueue.template DeQue<T>();
        AscendC::LocalTensor<T> out = outQueue.template AllocTensor<T>();
        uint32_t pitch = Padded(piece.columns);
        AscendC::DataCopy(out, in, piece.rows * pitch);
        for (uint32_t row = 0; row < piece.rows; ++row) {
            // The first column of the upper part, as seen from the piece.
            int64_t border = (piece.row + row) % tiling.height + tiling.diagonal + (LOWER ? 1 : 0);
            border -= piece.column;
            border = border < 0 ? 0 : border;
            uint32_t column = border < piece.columns ? static_cast<uint32_t>(border) : piece.columns;
            Clear(out[row * pitch], column, pitch);
        }
        outQueue.EnQue(out);
        inQueue.FreeTensor(in);
    }
    // Clears the elements from `column` on, or those in front of it. Addresses are whole blocks, so the block
    // of the border is done with a mask.
    __aicore__ inline void Clear(const AscendC::LocalTensor<T>& row, uint32_t column, uint32_t pitch) {
        uint32_t block = column / PER_BLOCK * PER_BLOCK;
        uint64_t before = (1ULL << (column - block)) - 1;
        uint64_t lanes = LOWER ? (1ULL << PER_BLOCK) - 1 - before : before;
        uint32_t from = LOWER ? block + PER_BLOCK : 0;
        uint32_t end = LOWER ? pitch : block;
        if (from < end) {
            AscendC::Duplicate(row[from], static_cast<T>(0), static_cast<int32_t>(end - from));
        }
        if (block < pitch && lanes != 0) {
            uint64_t mask[2] = {lanes, 0};
            AscendC::Duplicate(row[block], static_cast<T>(0), mask, 1, 1, 8);
        }
    }
    __aicore__ inline void CopyOut(uint64_t offset, const Piece& piece) {
        AscendC::LocalTensor<T> local = outQueue.template DeQue<T>();
        AscendC::DataCopyPad(yGm[offset], local, Extent(piece));
        outQueue.FreeTensor(local);
    }
    // A piece of several rows holds them whole, so they follow each other without a gap.
    __aicore__ inline AscendC::DataCopyExtParams Extent(const Piece& piece) const {
        return {static_cast<uint16_t>(piece.rows), static_cast<uint32_t>(piece.columns * sizeof(T)), 0, 0, 0};
    }
    __aicore__ static inline uint32_t Padded(uint32_t columns) {
        return (columns + PER_BLOCK - 1) / PER_BLOCK * PER_BLOCK;
    }

    AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outQueue;
    AscendC::GlobalTensor<T> xGm;
    AscendC::GlobalTensor<T> yGm;
};
#endif
