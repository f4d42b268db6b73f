// Answers yes or no for every element: y = 1 where |x| compares so with a bound, else 0.
#ifndef FLAG_KERNEL_H
#define FLAG_KERNEL_H
#include "flat_kernel.h"

// MODE and the bound decide; a comparison with NaN says no.
template <typename T, AscendC::CMPMODE MODE>
class MagnitudeFlags {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR x, GM_ADDR y, uint32_t tileLength,
                                float limit) {
        tile = tileLength;
        bound = limit;
        loader.Init(pipe, tile);
        loader.Set(0, x);
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(y));
        pipe->InitBuffer(outQueue, BUFFER_NUM, tile);
        pipe->InitBuffer(magnitudeBuffer, tile * sizeof(float));
        pipe->InitBuffer(maskBuffer, tile / 8);
        pipe->InitBuffer(oneBuffer, tile * sizeof(half));
        pipe->InitBuffer(chosenBuffer, tile * sizeof(half));
        AscendC::Duplicate(oneBuffer.Get<half>(), static_cast<half>(1.0f), static_cast<int32_t>(tile));
        // Compare works on whole repeats: what lies behind the last element must be a number.
        AscendC::Duplicate(magnitudeBuffer.Get<float>(), 0.0f, static_cast<int32_t>(tile));
    }
    __aicore__ inline void Run(const CoreRun& run) {
        for (uint32_t done = 0; done < run.length; done += tile) {
            uint32_t count = run.length - done < tile ? run.length - done : tile;
            loader.Load(run.start + done, count);
            Compute(count);
            loader.Release();
            AscendC::LocalTensor<uint8_t> ready = outQueue.DeQue<uint8_t>();
            AscendC::DataCopyPad(yGm[run.start + done], ready, AscendC::DataCopyExtParams{1, count, 0, 0, 0});
            outQueue.FreeTensor(ready);
        }
    }

private:
    __aicore__ inline void Compute(uint32_t count) {
        constexpr uint32_t lanes = 64;
        AscendC::LocalTensor<float> magnitude = magnitudeBuffer.Get<float>();
        AscendC::LocalTensor<uint8_t> mask = maskBuffer.Get<uint8_t>();
        AscendC::LocalTensor<half> chosen = chosenBuffer.Get<half>();
        AscendC::LocalTensor<uint8_t> flags = outQueue.AllocTensor<uint8_t>();
        AscendC::Abs(magnitude, loader.Tile(0), static_cast<int32_t>(count));
        AscendC::CompareScalar(mask, magnitude, bound, MODE, (count + lanes - 1) / lanes * lanes);
        AscendC::Select(chosen, mask, oneBuffer.Get<half>(), static_cast<half>(0.0f),
                        AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
        AscendC::Cast(flags, chosen, AscendC::RoundMode::CAST_RINT, count);
        outQueue.EnQue(flags);
    }

    TileLoader<T, 1> loader;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outQueue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> magnitudeBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> maskBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> oneBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> chosenBuffer;
    AscendC::GlobalTensor<uint8_t> yGm;
    uint32_t tile;
    float bound;
};
#endif
