#include "row_buffer.h"
using namespace AscendC;

constexpr uint32_t FACTOR_TILE = 256;

template <typename T>
class KernelGatedSum {
public:
    __aicore__ inline void Init(const AddSigmoidMulReduceSumDTilingData& tiling, TPipe* pipe) {
        set = tiling;
        rows.Init(pipe, set.tileLength);
        shift.Init(pipe, set.tileLength);
        factors.Init(pipe, FACTOR_TILE);
        result.Init(pipe, set.tileLength);
        pipe->InitBuffer(sumBuffer, set.tileLength * sizeof(float));
        pipe->InitBuffer(gateBuffer, set.tileLength * sizeof(float));
    }
    __aicore__ inline void SetInputs(GM_ADDR x, GM_ADDR added, GM_ADDR scaled, GM_ADDR factor,
                                     GM_ADDR weight) {
        rows.Set(0, x);
        rows.Set(1, weight);
        shift.Set(0, added);
        factors.Set(0, factor);
        scale = ScalarOf<float, T>(scaled);
    }
    __aicore__ inline void Run(GM_ADDR out) {
        result.Set(0, out);
        RowRun run = RowsOfCore(set);
        for (uint32_t index = run.first; index < run.end; ++index) {
            Piece(index / set.pieces, index % set.pieces * set.tileLength);
        }
    }

private:
    // Columns `column` ... of output row `row`.
    __aicore__ inline void Piece(uint32_t row, uint32_t column) {
        uint32_t count = set.width - column < set.tileLength ? set.width - column : set.tileLength;
        Duplicate(sumBuffer.Get<float>(), 0.0f, static_cast<int32_t>(count));
        shift.Load(column, count);
        for (uint32_t done = 0; done < set.length; done += FACTOR_TILE) {
            uint32_t lines = set.length - done < FACTOR_TILE ? set.length - done : FACTOR_TILE;
            uint64_t first = static_cast<uint64_t>(row) * set.length + done;
            factors.Load(first, lines);
            for (uint32_t line = 0; line < lines; ++line) {
                rows.Load((first + line) * set.width + column, count);
                Accumulate(factors.Tile(0).GetValue(line), static_cast<int32_t>(count));
                rows.Release();
            }
            factors.Release();
        }
        shift.Release();
        result.Begin();
        Muls(result.Tile(0), sumBuffer.Get<float>(), 1.0f, static_cast<int32_t>(count));
        result.Store(static_cast<uint64_t>(row) * set.width + column, count);
    }
    // sum += factor * weight / (1 + exp(-(x + shift) * scale))
    __aicore__ inline void Accumulate(float factor, int32_t count) {
        LocalTensor<float> gate = gateBuffer.Get<float>();
        Add(gate, rows.Tile(0), shift.Tile(0), count);
        Muls(gate, gate, -scale, count);
        Exp(gate, gate, count);
        Adds(gate, gate, 1.0f, count);
        Div(gate, rows.Tile(1), gate, count);
        Axpy(sumBuffer.Get<float>(), gate, factor, count);
    }

    TileLoader<T, 2> rows;
    TileLoader<T, 1> shift;
    TileLoader<T, 1> factors;
    TileStorer<T, 1> result;
    TBuf<TPosition::VECCALC> sumBuffer;
    TBuf<TPosition::VECCALC> gateBuffer;
    AddSigmoidMulReduceSumDTilingData set;
    float scale;
};

extern "C" __global__ __aicore__ void add_sigmoid_mul_reduce_sum_d(GM_ADDR x, GM_ADDR added, GM_ADDR scaled,
                                                                   GM_ADDR factor, GM_ADDR weight,
                                                                   GM_ADDR out, GM_ADDR workspace,
                                                                   GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelGatedSum<DTYPE_OUT> op;
    op.Init(tilingData, &pipe);
    op.SetInputs(x, added, scaled, factor, weight);
    op.Run(out);
}
