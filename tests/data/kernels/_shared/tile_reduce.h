// Sums and maxima of tiles, for rows that are read tile by tile because they may be longer than UB.
#ifndef TILE_REDUCE_H
#define TILE_REDUCE_H
#include "row_buffer.h"

class TileReduce {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t tileLength) {
        pipe->InitBuffer(workBuffer, (tileLength / 8 + 255) / 256 * 256);
        pipe->InitBuffer(resultBuffer, 256);
    }
    __aicore__ inline float Sum(const AscendC::LocalTensor<float>& values, int32_t count) {
        AscendC::LocalTensor<float> result = resultBuffer.Get<float>();
        AscendC::ReduceSum(result, values, workBuffer.Get<float>(), count);
        return result.GetValue(0);
    }
    __aicore__ inline float Largest(const AscendC::LocalTensor<float>& values, int32_t count) {
        AscendC::LocalTensor<float> result = resultBuffer.Get<float>();
        AscendC::ReduceMax(result, values, workBuffer.Get<float>(), count);
        return result.GetValue(0);
    }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC> workBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> resultBuffer;
};
#endif
