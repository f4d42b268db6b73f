// One row of a matrix in float32, kept in UB while it is reduced and normalised.
#ifndef ROW_BUFFER_H
#define ROW_BUFFER_H
#include "tile_stream.h"

// The rows of this core.
struct RowRun {
    uint32_t first;
    uint32_t end;
};

template <typename Tiling>
__aicore__ inline RowRun RowsOfCore(const Tiling& tiling) {
    uint32_t first = AscendC::GetBlockIdx() * tiling.coreRows;
    uint32_t end = first + tiling.coreRows;
    return RowRun{first, end < tiling.rows ? end : tiling.rows};
}

class RowBuffer {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t rowWidth, uint32_t tileLength) {
        width = static_cast<int32_t>(rowWidth);
        tile = static_cast<int32_t>(tileLength);
        pipe->InitBuffer(rowBuffer, (rowWidth + 63) / 64 * 256);
        pipe->InitBuffer(squareBuffer, tileLength * sizeof(float));
        pipe->InitBuffer(workBuffer, ((rowWidth + 63) / 64 * 8 + 255) / 256 * 256);
        pipe->InitBuffer(resultBuffer, 256);
    }
    // The row from element `offset` on, a multiple of the tile length.
    __aicore__ inline AscendC::LocalTensor<float> From(uint32_t offset) {
        return rowBuffer.Get<float>()[offset];
    }
    // A tile for what is needed only for a moment.
    __aicore__ inline AscendC::LocalTensor<float> Scratch() { return squareBuffer.Get<float>(); }

    __aicore__ inline float Sum() { return SumOf(From(0), width); }
    __aicore__ inline float SumOf(const AscendC::LocalTensor<float>& values, int32_t count) {
        AscendC::LocalTensor<float> result = resultBuffer.Get<float>();
        AscendC::ReduceSum(result, values, workBuffer.Get<float>(), count);
        return result.GetValue(0);
    }
    __aicore__ inline float Largest() {
        AscendC::LocalTensor<float> result = resultBuffer.Get<float>();
        AscendC::ReduceMax(result, From(0), workBuffer.Get<float>(), width);
        return result.GetValue(0);
    }
    __aicore__ inline float LargestMagnitude() {
        float largest = 0.0f;
        for (int32_t done = 0; done < width; done += tile) {
            int32_t count = width - done < tile ? width - done : tile;
            AscendC::LocalTensor<float> result = resultBuffer.Get<float>();
            AscendC::Abs(Scratch(), From(done), count);
            AscendC::ReduceMax(result, Scratch(), workBuffer.Get<float>(), count);
            float value = result.GetValue(0);
            largest = value > largest ? value : largest;
        }
        return largest;
    }
    __aicore__ inline float SumOfSquares() {
        float sum = 0.0f;
        for (int32_t done = 0; done < width; done += tile) {
            int32_t count = width - done < tile ? width - done : tile;
            AscendC::Mul(Scratch(), From(done), From(done), count);
            sum += SumOf(Scratch(), count);
        }
        return sum;
    }
    // Takes the mean off the row and returns it.
    __aicore__ inline float Centre() {
        float mean = Sum() / static_cast<float>(width);
        Shift(-mean);
        return mean;
    }
    // Divides the row by sqrt(mean square + epsilon) and returns one over it.
    __aicore__ inline float Normalise(float epsilon) {
        float scale = 1.0f / sqrt(SumOfSquares() / static_cast<float>(width) + epsilon);
        AscendC::Muls(From(0), From(0), scale, width);
        return scale;
    }
    __aicore__ inline void Shift(float by) { AscendC::Adds(From(0), From(0), by, width); }
    __aicore__ inline float Logarithm(float value) {
        AscendC::LocalTensor<float> result = resultBuffer.Get<float>();
        result.SetValue(0, value);
        AscendC::Ln(result, result, 1);
        return result.GetValue(0);
    }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC> rowBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> squareBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> workBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> resultBuffer;
    int32_t width;
    int32_t tile;
};

// Numbers of which every row has COUNT; they are written 64 rows at a time.
template <int32_t COUNT, typename T = float>
class RowNumbers {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t firstRow) {
        storer.Init(pipe, GROUP);
        start = firstRow;
    }
    __aicore__ inline void Set(int32_t index, GM_ADDR address) { storer.Set(index, address); }
    __aicore__ inline void Put(int32_t index, float value) {
        if (!open) {
            storer.Begin();
            open = true;
        }
        storer.Tile(index).SetValue(count, value);
    }
    // Call after the last Put of a row.
    __aicore__ inline void Next() {
        if (++count == GROUP) {
            Flush();
        }
    }
    __aicore__ inline void Flush() {
        if (count > 0) {
            storer.Store(start, count);
            start += count;
            count = 0;
            open = false;
        }
    }

private:
    static constexpr uint32_t GROUP = 64;
    TileStorer<T, COUNT> storer;
    uint32_t start;
    uint32_t count = 0;
    bool open = false;
};
#endif
