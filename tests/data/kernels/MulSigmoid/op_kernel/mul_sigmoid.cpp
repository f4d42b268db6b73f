#include "piece.h"
using namespace AscendC;

template <typename T>
class KernelMulSigmoid {
public:
    __aicore__ inline void Init(const MulSigmoidTilingData& tiling, TPipe* pipe) {
        set = tiling;
        input.Init(pipe, set.tileLength);
        factors.Init(pipe, set.tileLength);
        output.Init(pipe, set.tileLength);
        pipe->InitBuffer(gateBuffer, set.tileLength * sizeof(float));
        pipe->InitBuffer(doubleBuffer, set.tileLength * sizeof(float));
        pipe->InitBuffer(maskBuffer, set.tileLength / 8);
        // Compare works on whole repeats: what lies behind the last element must be a number.
        Duplicate(gateBuffer.Get<float>(), 0.0f, static_cast<int32_t>(set.tileLength));
    }
    __aicore__ inline void SetTensors(GM_ADDR x1, GM_ADDR x2, GM_ADDR out) {
        input.Set(0, x1);
        factors.Set(0, x2);
        output.Set(0, out);
    }
    __aicore__ inline void Run() {
        PieceRun run = PiecesOfCore(set);
        for (uint32_t index = run.first; index < run.end; ++index) {
            Piece piece = PieceOf(set, index);
            uint64_t offset = static_cast<uint64_t>(piece.row) * set.width + piece.column;
            uint32_t pitch = TileLoader<T, 1>::Padded(piece.columns);
            input.CopyRows(offset, piece.rows, piece.columns, set.width);
            factors.CopyRows(piece.column, 1, piece.columns, set.width);
            input.Take(static_cast<int32_t>(piece.rows * pitch));
            factors.Take(static_cast<int32_t>(pitch));
            output.Begin();
            LocalTensor<float> gate = Gate(piece.rows * pitch);
            for (uint32_t row = 0; row < piece.rows; ++row) {
                Mul(output.Tile(0)[row * pitch], gate[row * pitch], factors.Tile(0),
                    static_cast<int32_t>(pitch));
            }
            output.StoreRows(offset, piece.rows, piece.columns, set.width);
            factors.Release();
            input.Release();
        }
    }

private:
    // The sigmoid times the factor, twice that from the threshold on.
    __aicore__ inline LocalTensor<float> Gate(uint32_t elements) {
        constexpr uint32_t lanes = 64;
        int32_t count = static_cast<int32_t>(elements);
        LocalTensor<float> gate = gateBuffer.Get<float>();
        LocalTensor<float> twice = doubleBuffer.Get<float>();
        LocalTensor<uint8_t> mask = maskBuffer.Get<uint8_t>();
        Muls(gate, input.Tile(0), -set.slope, count);
        Exp(gate, gate, count);
        Adds(gate, gate, 1.0f, count);
        Duplicate(twice, 1.0f, count);
        Div(gate, twice, gate, count);
        CompareScalar(mask, gate, set.threshold, CMPMODE::LT, (elements + lanes - 1) / lanes * lanes);
        Muls(gate, gate, set.factor, count);
        Muls(twice, gate, 2.0f, count);
        Select(gate, mask, gate, twice, SELMODE::VSEL_TENSOR_TENSOR_MODE, elements);
        return gate;
    }

    TileLoader<T, 1> input;
    TileLoader<T, 1> factors;
    TileStorer<T, 1> output;
    TBuf<TPosition::VECCALC> gateBuffer;
    TBuf<TPosition::VECCALC> doubleBuffer;
    TBuf<TPosition::VECCALC> maskBuffer;
    MulSigmoidTilingData set;
};

extern "C" __global__ __aicore__ void mul_sigmoid(GM_ADDR x1, GM_ADDR x2, GM_ADDR out, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelMulSigmoid<DTYPE_X1> op;
    op.Init(tilingData, &pipe);
    op.SetTensors(x1, x2, out);
    op.Run();
}
