// Split of a matrix into pieces that fill a tile: several whole rows, or a part of one row.
#ifndef PIECE_HOST_H
#define PIECE_HOST_H
#include "host_common.h"

namespace optiling {
constexpr uint32_t MOST_PIECE_ROWS = 4095;  // limit of blockCount in DataCopyPad

// Fills rows, width, columns, pieceRows, chunks, pieces, corePieces and tileLength of any tiling data that
// has them and sets the number of cores. Rows of a piece are padded to 32 bytes; an element takes `bytes`
// bytes.
template <typename Data>
ge::graphStatus SplitPieces(gert::TilingContext* context, Data& tiling, uint64_t rows, uint64_t width,
                            uint32_t bytes, uint32_t tile) {
    uint32_t cores = VectorCores(context);
    uint32_t columns = width < tile ? static_cast<uint32_t>(width) : tile;
    uint32_t padded = RoundUp(columns == 0 ? 1 : columns, BLOCK_BYTES / bytes);
    uint32_t pieceRows = padded < tile ? tile / padded : 1;
    uint32_t fair = CeilOf(rows, cores);
    pieceRows = pieceRows < fair ? pieceRows : fair;
    pieceRows = pieceRows < MOST_PIECE_ROWS ? pieceRows : MOST_PIECE_ROWS;
    pieceRows = pieceRows == 0 ? 1 : pieceRows;
    uint32_t chunks = columns == 0 ? 0 : CeilOf(width, columns);
    uint32_t pieces = CeilOf(rows, pieceRows) * chunks;
    uint32_t share = CeilOf(pieces, cores);
    share = share == 0 ? 1 : share;
    tiling.set_rows(static_cast<uint32_t>(rows));
    tiling.set_width(static_cast<uint32_t>(width));
    tiling.set_columns(columns);
    tiling.set_pieceRows(pieceRows);
    tiling.set_chunks(chunks);
    tiling.set_pieces(pieces);
    tiling.set_corePieces(share);
    tiling.set_tileLength(tile);
    return Finish(context, tiling, CeilOf(pieces, share));
}
}  // namespace optiling
#endif
