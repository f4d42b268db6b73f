// Pieces of a matrix: several whole rows, or a part of one row. See piece_host.h for how it is split.
#ifndef PIECE_H
#define PIECE_H
#include "tile_stream.h"

struct Piece {
    uint32_t row;
    uint32_t column;
    uint32_t rows;
    uint32_t columns;
};

struct PieceRun {
    uint32_t first;
    uint32_t end;
};

template <typename Tiling>
__aicore__ inline PieceRun PiecesOfCore(const Tiling& tiling) {
    uint32_t first = AscendC::GetBlockIdx() * tiling.corePieces;
    uint32_t end = first + tiling.corePieces;
    return PieceRun{first, end < tiling.pieces ? end : tiling.pieces};
}

template <typename Tiling>
__aicore__ inline Piece PieceOf(const Tiling& tiling, uint32_t index) {
    uint32_t row = index / tiling.chunks * tiling.pieceRows;
    uint32_t column = index % tiling.chunks * tiling.columns;
    uint32_t rows = tiling.rows - row;
    uint32_t columns = tiling.width - column;
    return Piece{row, column, rows < tiling.pieceRows ? rows : tiling.pieceRows,
                 columns < tiling.columns ? columns : tiling.columns};
}
#endif
