#include "flat_kernel.h"
using namespace AscendC;

// bool is one byte, 0 or 1.
template <typename T>
struct Stored {
    using Type = T;
};
template <>
struct Stored<bool> {
    using Type = uint8_t;
};

template <typename T>
__aicore__ constexpr bool IsFloating() {
    return IsSameType<T, float>::value || IsSameType<T, half>::value || IsSameType<T, bfloat16_t>::value;
}
template <typename T>
__aicore__ constexpr bool IsByte() {
    return sizeof(T) == 1;
}

// Conversions go by way of float32 (floating sources), int32 (whole numbers) or int16 (low bits of whole
// numbers).
template <typename S, typename D, bool toBool>
class KernelCast {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t tileLength, TPipe* pipe) {
        tile = tileLength;
        xGm.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(x));
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ D*>(y));
        pipe->InitBuffer(inQueue, BUFFER_NUM, tile * sizeof(S));
        pipe->InitBuffer(outQueue, BUFFER_NUM, tile * sizeof(D));
        pipe->InitBuffer(wideBuffer, 2 * tile * sizeof(int32_t));
        pipe->InitBuffer(narrowBuffer, 2 * tile * sizeof(int16_t));
        pipe->InitBuffer(maskBuffer, tile / 8);
        words = wideBuffer.Get<int32_t>();
        numbers = words[tile].template ReinterpretCast<float>();
        shorts = narrowBuffer.Get<int16_t>();
        halves = shorts[tile].template ReinterpretCast<half>();
        if constexpr (toBool) {
            Duplicate(words, 0, static_cast<int32_t>(2 * tile));
        }
    }
    __aicore__ inline void Run(uint32_t start, uint32_t length) {
        for (uint32_t done = 0; done < length; done += tile) {
            uint32_t count = length - done < tile ? length - done : tile;
            LocalTensor<S> fresh = inQueue.template AllocTensor<S>();
            DataCopyPad(fresh, xGm[start + done], DataCopyExtParams{1, uint32_t(count * sizeof(S)), 0, 0, 0},
                        DataCopyPadExtParams<S>{false, 0, 0, static_cast<S>(0)});
            inQueue.EnQue(fresh);
            LocalTensor<S> in = inQueue.template DeQue<S>();
            LocalTensor<D> out = outQueue.template AllocTensor<D>();
            Convert(out, in, static_cast<int32_t>(count));
            outQueue.EnQue(out);
            inQueue.FreeTensor(in);
            LocalTensor<D> ready = outQueue.template DeQue<D>();
            DataCopyPad(yGm[start + done], ready, DataCopyExtParams{1, uint32_t(count * sizeof(D)), 0, 0, 0});
            outQueue.FreeTensor(ready);
        }
    }

private:
    __aicore__ inline void Convert(LocalTensor<D>& out, LocalTensor<S>& in, int32_t count) {
        if constexpr (toBool) {
            ToBool(out, in, count);
        } else if constexpr (IsSameType<D, half>::value && IsByte<S>()) {
            Cast(out, in, RoundMode::CAST_NONE, count);
        } else if constexpr (IsSameType<D, float>::value) {
            ToFloat(out, in, count);
        } else if constexpr (IsFloating<D>()) {
            ToFloat(numbers, in, count);
            Cast(out, numbers, RoundMode::CAST_RINT, count);
        } else if constexpr (IsSameType<D, int32_t>::value) {
            ToWords(out, in, count);
        } else if constexpr (IsSameType<D, int16_t>::value) {
            ToShorts(out, in, count);
        } else if constexpr (IsByte<D>()) {
            ToShorts(shorts, in, count);
            LowByte(out, count);
        } else {
            ToLongs(out, in, count);
        }
    }
    __aicore__ inline void ToFloat(LocalTensor<float>& target, LocalTensor<S>& in, int32_t count) {
        if constexpr (IsByte<S>()) {
            Cast(halves, in, RoundMode::CAST_NONE, count);
            Cast(target, halves, RoundMode::CAST_NONE, count);
        } else if constexpr (IsSameType<S, int32_t>::value || IsSameType<S, int64_t>::value) {
            Cast(target, in, RoundMode::CAST_RINT, count);
        } else if constexpr (IsSameType<S, float>::value) {
            Muls(target, in, 1.0f, count);
        } else {
            Cast(target, in, RoundMode::CAST_NONE, count);
        }
    }
    // Toward zero from floating numbers, low bits of whole ones.
    __aicore__ inline void ToWords(LocalTensor<int32_t>& target, LocalTensor<S>& in, int32_t count) {
        if constexpr (IsByte<S>()) {
            Cast(halves, in, RoundMode::CAST_NONE, count);
            Cast(target, halves, RoundMode::CAST_TRUNC, count);
        } else if constexpr (IsSameType<S, int64_t>::value) {
            Pick(target, in.template ReinterpretCast<int32_t>(), EVEN, count * 2);
        } else if constexpr (IsSameType<S, int32_t>::value) {
            Adds(target, in, 0, count);
        } else if constexpr (IsSameType<S, int16_t>::value) {
            Cast(numbers, in, RoundMode::CAST_NONE, count);
            Cast(target, numbers, RoundMode::CAST_TRUNC, count);
        } else {
            Cast(target, in, RoundMode::CAST_TRUNC, count);
        }
    }
    __aicore__ inline void ToShorts(LocalTensor<int16_t>& target, LocalTensor<S>& in, int32_t count) {
        if constexpr (IsByte<S>()) {
            Cast(halves, in, RoundMode::CAST_NONE, count);
            Cast(target, halves, RoundMode::CAST_TRUNC, count);
        } else if constexpr (IsSameType<S, int64_t>::value) {
            Pick(target, in.template ReinterpretCast<int16_t>(), EVERY_FOURTH, count * 4);
        } else if constexpr (IsSameType<S, int32_t>::value) {
            Pick(target, in.template ReinterpretCast<int16_t>(), EVEN, count * 2);
        } else if constexpr (IsSameType<S, int16_t>::value) {
            Adds(target, in, static_cast<int16_t>(0), count);
        } else if constexpr (IsSameType<S, bfloat16_t>::value) {
            Cast(numbers, in, RoundMode::CAST_NONE, count);
            Cast(target, numbers, RoundMode::CAST_TRUNC, count);
        } else {
            Cast(target, in, RoundMode::CAST_TRUNC, count);
        }
    }
    __aicore__ inline void ToLongs(LocalTensor<D>& out, LocalTensor<S>& in, int32_t count) {
        if constexpr (IsSameType<S, float>::value) {
            Cast(out, in, RoundMode::CAST_TRUNC, count);
        } else {
            ToWords(words, in, count);
            Cast(out, words, RoundMode::CAST_NONE, count);
        }
    }
    // The low byte of `shorts`, with the sign of int8 or without.
    __aicore__ inline void LowByte(LocalTensor<D>& out, int32_t count) {
        if constexpr (IsSameType<D, int8_t>::value) {
            ShiftLeft(shorts, shorts, static_cast<int16_t>(8), count);
            ShiftRight(shorts, shorts, static_cast<int16_t>(8), count);
        } else {
            LocalTensor<uint16_t> bits = shorts.template ReinterpretCast<uint16_t>();
            ShiftLeft(bits, bits, static_cast<uint16_t>(8), count);
            ShiftRight(bits, bits, static_cast<uint16_t>(8), count);
        }
        Cast(halves, shorts, RoundMode::CAST_NONE, count);
        Cast(out, halves, RoundMode::CAST_RINT, count);
    }
    // Everything but zero is true, NaN included.
    __aicore__ inline void ToBool(LocalTensor<D>& out, LocalTensor<S>& in, int32_t count) {
        LocalTensor<uint8_t> isZero = maskBuffer.Get<uint8_t>();
        uint32_t whole = static_cast<uint32_t>((count + 63) / 64 * 64);
        if constexpr (IsFloating<S>()) {
            ToFloat(numbers, in, count);
            CompareScalar(isZero, numbers, 0.0f, CMPMODE::EQ, whole);
        } else {
            ToWords(words, in, count);
            if constexpr (IsSameType<S, int64_t>::value) {
                LocalTensor<int32_t> high = numbers.template ReinterpretCast<int32_t>();
                Pick(high, in.template ReinterpretCast<int32_t>(), ODD, count * 2);
                LocalTensor<int16_t> low = words.template ReinterpretCast<int16_t>();
                Or(low, low, high.template ReinterpretCast<int16_t>(), count * 2);
            }
            CompareScalar(isZero, words, 0, CMPMODE::EQ, whole);
        }
        Duplicate(halves, static_cast<half>(0.0f), count);
        Select(halves, isZero, halves, static_cast<half>(1.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE,
               static_cast<uint32_t>(count));
        Cast(out, halves, RoundMode::CAST_RINT, count);
    }
    template <typename T>
    __aicore__ inline void Pick(const LocalTensor<T>& target, const LocalTensor<T>& from, uint8_t pattern,
                                int32_t elements) {
        uint64_t kept = 0;
        GatherMask(target, from, pattern, true, static_cast<uint32_t>(elements), GatherMaskParams{1, 1, 8, 0},
                   kept);
    }

    static constexpr uint8_t EVEN = 1;
    static constexpr uint8_t ODD = 2;
    static constexpr uint8_t EVERY_FOURTH = 3;

    TQue<TPosition::VECIN, BUFFER_NUM> inQueue;
    TQue<TPosition::VECOUT, BUFFER_NUM> outQueue;
    TBuf<TPosition::VECCALC> wideBuffer;
    TBuf<TPosition::VECCALC> narrowBuffer;
    TBuf<TPosition::VECCALC> maskBuffer;
    LocalTensor<int32_t> words;
    LocalTensor<float> numbers;
    LocalTensor<int16_t> shorts;
    LocalTensor<half> halves;
    GlobalTensor<S> xGm;
    GlobalTensor<D> yGm;
    uint32_t tile;
};

extern "C" __global__ __aicore__ void cast_math(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    using Source = typename Stored<DTYPE_X>::Type;
    using Target = typename Stored<DTYPE_Y>::Type;
    KernelCast<Source, Target, IsSameType<DTYPE_Y, bool>::value> op;
    op.Init(x, y, tilingData.tileLength, &pipe);
    CoreRun run = RunOfCore(tilingData);
    op.Run(run.start, run.length);
}
