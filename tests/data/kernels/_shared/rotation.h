// Rotary position embedding of one head: y = x cos + turn(x) sin, with the quarter turn of every pair of
// columns.
#ifndef ROTATION_H
#define ROTATION_H
#include "row_buffer.h"

class Rotation {
public:
    // `interleaved`: pairs are neighbours, else a column and the one half a head further.
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t headWidth, bool interleaved) {
        width = headWidth;
        uint32_t padded = (width + 7) / 8 * 8;
        pipe->InitBuffer(turnBuffer, padded * sizeof(uint32_t));
        pipe->InitBuffer(signBuffer, padded * sizeof(float));
        pipe->InitBuffer(turnedBuffer, padded * sizeof(float));
        AscendC::LocalTensor<uint32_t> turn = turnBuffer.Get<uint32_t>();
        AscendC::LocalTensor<float> sign = signBuffer.Get<float>();
        uint32_t distance = interleaved ? 1 : width / 2;
        for (uint32_t column = 0; column < width; ++column) {
            bool first = interleaved ? column % 2 == 0 : column < distance;
            turn.SetValue(column, (first ? column + distance : column - distance) * sizeof(float));
            sign.SetValue(column, first ? -1.0f : 1.0f);
        }
    }
    // The sign of the partner goes into the sines, once for all heads of a token.
    __aicore__ inline void Sign(const AscendC::LocalTensor<float>& sine) {
        AscendC::Mul(sine, sine, signBuffer.Get<float>(), static_cast<int32_t>(width));
    }
    __aicore__ inline void Apply(const AscendC::LocalTensor<float>& y, const AscendC::LocalTensor<float>& x,
                                 const AscendC::LocalTensor<float>& cosine,
                                 const AscendC::LocalTensor<float>& signedSine) {
        int32_t count = static_cast<int32_t>(width);
        AscendC::LocalTensor<float> turned = turnedBuffer.Get<float>();
        AscendC::Gather(turned, x, turnBuffer.Get<uint32_t>(), 0, width);
        AscendC::Mul(turned, turned, signedSine, count);
        AscendC::Mul(y, x, cosine, count);
        AscendC::Add(y, y, turned, count);
    }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC> turnBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> signBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> turnedBuffer;
    uint32_t width;
};
#endif
