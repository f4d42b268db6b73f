// Ways to finish a row of sums: scaled and added to what was there, or brought back from integers.
#ifndef PART_FINISH_H
#define PART_FINISH_H
#include "part_product.h"

// alpha * sums + beta * addend, an element of which lies where the result's does. With beta = 0 it is not
// read.
template <typename T>
class ScaleAndAdd {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR address) {
        addend.Init(pipe, TILE);
        addend.Set(0, address);
        pipe->InitBuffer(scaledBuffer, LONGEST * sizeof(float));
    }
    __aicore__ inline void Set(float ofSums, float ofAddend) {
        alpha = ofSums;
        beta = ofAddend;
    }
    __aicore__ inline void BeginPart(const Part&, const MatrixProduct&) {}
    __aicore__ inline void BeginRows(const Part& part, const MatrixProduct& work, uint32_t first,
                                     uint32_t rows) {
        if (beta != 0.0f) {
            uint64_t place = work.out + static_cast<uint64_t>(first) * work.n + part.column;
            addend.CopyRows(place, rows, part.columns, work.n);
            addend.Take(static_cast<int32_t>(rows * addend.Padded(part.columns)));
        }
    }
    __aicore__ inline void Row(const AscendC::LocalTensor<float>& x, const Part& part, uint32_t,
                               uint32_t inTile) {
        int32_t count = static_cast<int32_t>(part.columns);
        AscendC::Muls(x, x, alpha, count);
        if (beta != 0.0f) {
            AscendC::LocalTensor<float> scaled = scaledBuffer.Get<float>();
            AscendC::Muls(scaled, addend.Tile(0)[inTile * addend.Padded(part.columns)], beta, count);
            AscendC::Add(x, x, scaled, count);
        }
    }
    __aicore__ inline void EndRows() {
        if (beta != 0.0f) {
            addend.Release();
        }
    }
    __aicore__ inline void EndPart() {}

private:
    static constexpr uint32_t TILE = 4096;
    static constexpr uint32_t LONGEST = 256;
    TileLoader<T, 1> addend;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scaledBuffer;
    float alpha = 1.0f;
    float beta = 1.0f;
};

// sums * scale[group, column] * token[row].
template <typename Scale, typename Token>
class Dequantise {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR scale, GM_ADDR token) {
        scales.Init(pipe, LONGEST);
        scales.Set(0, scale);
        tokens = token;
    }
    // Element of `token` that belongs to row 0 of the product.
    __aicore__ inline void SetFirstToken(uint64_t element) { firstToken = element; }
    __aicore__ inline void BeginPart(const Part& part, const MatrixProduct& work) {
        scales.Load(static_cast<uint64_t>(part.group) * work.n + part.column, part.columns);
    }
    __aicore__ inline void BeginRows(const Part&, const MatrixProduct&, uint32_t, uint32_t) {}
    __aicore__ inline void Row(const AscendC::LocalTensor<float>& x, const Part& part, uint32_t row,
                               uint32_t) {
        int32_t count = static_cast<int32_t>(part.columns);
        AscendC::Mul(x, x, scales.Tile(0), count);
        AscendC::Muls(x, x, ScalarOf<float, Token>(tokens, firstToken + row), count);
    }
    __aicore__ inline void EndRows() {}
    __aicore__ inline void EndPart() { scales.Release(); }

private:
    static constexpr uint32_t LONGEST = 256;
    TileLoader<Scale, 1, 1> scales;
    GM_ADDR tokens;
    uint64_t firstToken = 0;
};
#endif
