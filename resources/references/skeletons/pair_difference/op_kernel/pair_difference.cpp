#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 2048;  // pairs, a multiple of 64: whole repeats of float

extern "C" __global__ __aicore__ void pair_difference(GM_ADDR x, GM_ADDR difference, GM_ADDR falls, GM_ADDR workspace,
                                                      GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    const uint32_t begin = GetBlockIdx() * data.perCore;
    const uint32_t length = begin >= data.pairs ? 0 : data.pairs - begin < data.perCore ? data.pairs - begin : data.perCore;
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 2> outDifference, outFalls;
    TBuf<TPosition::VECCALC> firstBuffer, secondBuffer, bitBuffer, halfBuffer;
    pipe.InitBuffer(in, 2, 2 * TILE * sizeof(float));
    pipe.InitBuffer(outDifference, 2, TILE * sizeof(float));
    pipe.InitBuffer(outFalls, 2, TILE);
    pipe.InitBuffer(firstBuffer, TILE * sizeof(float));
    pipe.InitBuffer(secondBuffer, TILE * sizeof(float));
    pipe.InitBuffer(bitBuffer, TILE / 8);
    pipe.InitBuffer(halfBuffer, 2 * TILE * sizeof(half));
    LocalTensor<float> first = firstBuffer.Get<float>(), second = secondBuffer.Get<float>();
    LocalTensor<uint8_t> bits = bitBuffer.Get<uint8_t>();
    LocalTensor<half> ones = halfBuffer.Get<half>(), chosen = ones[TILE];
    GlobalTensor<float> xGm, differenceGm;
    GlobalTensor<uint8_t> fallsGm;
    xGm.SetGlobalBuffer((__gm__ float*)x + 2 * begin, 2 * length);
    differenceGm.SetGlobalBuffer((__gm__ float*)difference + begin, length);
    fallsGm.SetGlobalBuffer((__gm__ uint8_t*)falls + begin, length);
    for (uint32_t offset = 0; offset < length; offset += TILE) {
        const uint32_t count = length - offset < TILE ? length - offset : TILE;
        const uint32_t whole = (count + 127) / 128 * 128;  // whole repeats of half and of float
        LocalTensor<float> both = in.AllocTensor<float>();
        if (count < whole) {
            Duplicate(both, 0.0f, 2 * whole);  // what is compared behind the tail is defined
            event_t filled = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE2));
            SetFlag<HardEvent::V_MTE2>(filled);
            WaitFlag<HardEvent::V_MTE2>(filled);
        }
        DataCopyPad(both, xGm[2 * offset], DataCopyExtParams{1, static_cast<uint32_t>(2 * count * sizeof(float)), 0, 0, 0},
                    DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        in.EnQue(both);
        both = in.DeQue<float>();
        uint64_t kept = 0;
        GatherMask(first, both, 1, true, 2 * whole, GatherMaskParams{1, 1, 8, 0}, kept);
        GatherMask(second, both, 2, true, 2 * whole, GatherMaskParams{1, 1, 8, 0}, kept);
        SetMaskNorm();  // GatherMask counts; the following calls are back in the usual mode
        ResetMask();
        in.FreeTensor(both);
        LocalTensor<float> result = outDifference.AllocTensor<float>();
        Sub(result, first, second, count);
        outDifference.EnQue(result);
        Compare(bits, first, second, CMPMODE::GT, whole);
        Duplicate(ones, static_cast<half>(1.0f), whole);
        Select(chosen, bits, ones, static_cast<half>(0.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE, whole);
        LocalTensor<uint8_t> bytes = outFalls.AllocTensor<uint8_t>();
        Cast(bytes, chosen, RoundMode::CAST_RINT, count);
        outFalls.EnQue(bytes);
        result = outDifference.DeQue<float>();
        DataCopyPad(differenceGm[offset], result,
                    DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
        outDifference.FreeTensor(result);
        bytes = outFalls.DeQue<uint8_t>();
        DataCopyPad(fallsGm[offset], bytes, DataCopyExtParams{1, count, 0, 0, 0});
        outFalls.FreeTensor(bytes);
    }
}
