// Between the two products of an expert layer: every row is gated, scaled for its expert and quantised.
#ifndef GATED_QUANT_H
#define GATED_QUANT_H
#include "byte_row.h"
#include "row_buffer.h"

// Rows lie group after group; `ends` holds where the rows of each group end.
class RowEnds {
public:
    __aicore__ inline void Init(GM_ADDR ends, uint32_t groups) {
        last = groups - 1;
        numbers.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(ends), groups);
    }
    // Group of `row`; rows must be asked for in order.
    __aicore__ inline uint32_t Of(uint32_t row) {
        while (group < last && row >= static_cast<uint32_t>(numbers.GetValue(group))) {
            ++group;
        }
        return group;
    }

private:
    AscendC::GlobalTensor<int64_t> numbers;
    uint32_t group = 0;
    uint32_t last = 0;
};

// q = round(s / scale) with s = silu(x[:width]) * x[width:] * smooth and scale = max |s| / 127, for rows of 2
// * width numbers in float32. Zeros give zeros and scale 0.
class GatedQuant {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t rowWidth, GM_ADDR x, GM_ADDR smooth,
                                GM_ADDR ends, uint32_t groupCount) {
        width = rowWidth;
        row.Init(pipe, width, TILE);
        halves.Init(pipe, TILE);
        halves.Set(0, x);
        halves.Set(1, x + static_cast<uint64_t>(width) * sizeof(float));
        smoothing.Init(pipe, TILE);
        smoothing.Set(0, smooth);
        groups.Init(ends, groupCount);
    }
    __aicore__ inline void Run(AscendC::TPipe* pipe, uint32_t rows, uint32_t cores, GM_ADDR q,
                               GM_ADDR scales) {
        const uint32_t share = (rows + cores - 1) / cores;
        const uint32_t first = AscendC::GetBlockIdx() * share;
        const uint32_t end = first + share < rows ? first + share : rows;
        bytes.Init(pipe, q, TILE);
        numbers.Init(pipe, first);
        numbers.Set(0, scales);
        for (uint32_t index = first; index < end; ++index) {
            RunRow(index);
        }
        numbers.Flush();
    }

private:
    static constexpr uint32_t TILE = 1024;

    __aicore__ inline void RunRow(uint32_t index) {
        const uint32_t group = groups.Of(index);
        for (uint32_t done = 0; done < width; done += TILE) {
            Gate(index, group, done, CountFrom(done));
        }
        const float largest = row.LargestMagnitude();
        numbers.Put(0, largest / 127.0f);
        numbers.Next();
        const float inverse = largest > 0.0f ? 127.0f / largest : 0.0f;
        for (uint32_t done = 0; done < width; done += TILE) {
            const uint32_t count = CountFrom(done);
            AscendC::Muls(row.From(done), row.From(done), inverse, static_cast<int32_t>(count));
            bytes.Store(row.From(done), static_cast<uint64_t>(index) * width + done, count);
        }
    }
    __aicore__ inline void Gate(uint32_t index, uint32_t group, uint32_t done, uint32_t count) {
        const int32_t length = static_cast<int32_t>(count);
        AscendC::LocalTensor<float> result = row.From(done);
        halves.Load(static_cast<uint64_t>(index) * 2 * width + done, count);
        smoothing.Load(static_cast<uint64_t>(group) * width + done, count);
        AscendC::Muls(result, halves.Tile(0), -1.0f, length);
        AscendC::Exp(result, result, length);
        AscendC::Adds(result, result, 1.0f, length);
        AscendC::Div(result, halves.Tile(0), result, length);
        AscendC::Mul(result, result, halves.Tile(1), length);
        if (smoothing.Has(0)) {
            AscendC::Mul(result, result, smoothing.Tile(0), length);
        }
        halves.Release();
        smoothing.Release();
    }
    __aicore__ inline uint32_t CountFrom(uint32_t done) const {
        return width - done < TILE ? width - done : TILE;
    }

    RowBuffer row;
    RowNumbers<1> numbers;
    RowEnds groups;
    ByteStorer bytes;
    TileLoader<float, 2> halves;
    TileLoader<float, 1, 1> smoothing;
    uint32_t width;
};
#endif
