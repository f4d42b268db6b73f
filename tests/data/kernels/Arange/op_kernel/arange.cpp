#include "flat_kernel.h"
using namespace AscendC;

template <typename T>
class KernelRamp {
public:
    using C = typename ComputeType<T>::Type;

    __aicore__ inline void Run(GM_ADDR start, GM_ADDR step, GM_ADDR out, const ArangeTilingData& tiling) {
        TPipe pipe;
        outGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(out));
        pipe.InitBuffer(outQueue, BUFFER_NUM, tiling.tileLength * sizeof(T));
        pipe.InitBuffer(indexBuffer, tiling.tileLength * sizeof(int32_t));
        pipe.InitBuffer(valueBuffer, tiling.tileLength * sizeof(int32_t));
        CoreRun run = RunOfCore(tiling);
        if constexpr (IsSameType<T, int64_t>::value) {
            longStart = ReadLong(start);
            longStep = ReadLong(step);
        } else {
            firstValue = ScalarOf<C, T>(start);
            distance = ScalarOf<C, T>(step);
        }
        for (uint32_t done = 0; done < run.length; done += tiling.tileLength) {
            uint32_t count = run.length - done < tiling.tileLength ? run.length - done : tiling.tileLength;
            Tile(run.start + done, static_cast<int32_t>(count));
        }
    }

private:
    __aicore__ inline int64_t ReadLong(GM_ADDR address) {
        GlobalTensor<int64_t> tensor;
        tensor.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(address), 1);
        return tensor.GetValue(0);
    }
    __aicore__ inline void Tile(uint32_t first, int32_t count) {
        LocalTensor<T> out = outQueue.template AllocTensor<T>();
        LocalTensor<int32_t> index = indexBuffer.Get<int32_t>();
        if constexpr (IsSameType<T, int64_t>::value) {
            Longs(out, index, longStart + static_cast<int64_t>(first) * longStep, count);
        } else if constexpr (IsSameType<T, int32_t>::value) {
            CreateVecIndex(index, static_cast<int32_t>(first), static_cast<uint32_t>(count));
            Muls(index, index, distance, count);
            Adds(out, index, firstValue, count);
        } else {
            CreateVecIndex(index, static_cast<int32_t>(first), static_cast<uint32_t>(count));
            Floats(out, index, count);
        }
        outQueue.EnQue(out);
        LocalTensor<T> ready = outQueue.template DeQue<T>();
        DataCopyPad(outGm[first], ready, DataCopyExtParams{1, uint32_t(count * sizeof(T)), 0, 0, 0});
        outQueue.FreeTensor(ready);
    }
    __aicore__ inline void Floats(LocalTensor<T>& out, LocalTensor<int32_t>& index, int32_t count) {
        LocalTensor<float> value = valueBuffer.Get<float>();
        Cast(value, index, RoundMode::CAST_RINT, count);
        Muls(value, value, distance, count);
        if constexpr (IsSameType<T, float>::value) {
            Adds(out, value, firstValue, count);
        } else {
            Adds(value, value, firstValue, count);
            Cast(out, value, RoundMode::CAST_RINT, count);
        }
    }
    // The vector unit has no 64-bit sums. While a tile stays on one side of the borders at odd multiples of
    // 2^31, its numbers are a signed low word, widened, plus the same number of times 2^32 in all high words.
    __aicore__ inline void Longs(LocalTensor<T>& out, LocalTensor<int32_t>& index, int64_t base,
                                 int32_t count) {
        int64_t low = static_cast<int32_t>(base);
        int64_t last = low + static_cast<int64_t>(count - 1) * longStep;
        constexpr int64_t border = 2147483647;
        if (last > border || last < -border || longStep > border || longStep < -border) {
            for (int32_t i = 0; i < count; ++i) {
                out.SetValue(i, base + i * longStep);
            }
            return;
        }
        CreateVecIndex(index, 0, static_cast<uint32_t>(count));
        Muls(index, index, static_cast<int32_t>(longStep), count);
        Adds(index, index, static_cast<int32_t>(low), count);
        Cast(out, index, RoundMode::CAST_NONE, static_cast<uint32_t>(count));
        int32_t turns = static_cast<int32_t>((base - low) >> 32);
        LocalTensor<int32_t> words = out.template ReinterpretCast<int32_t>();
        uint64_t odd[2] = {0xaaaaaaaaaaaaaaaaull, 0};
        int32_t whole = count * 2 / 64;
        if (whole > 0) {
            Adds(words, words, turns, odd, static_cast<uint8_t>(whole), UnaryRepeatParams{1, 1, 8, 8});
        }
        int32_t rest = count * 2 - whole * 64;
        if (rest > 0) {
            uint64_t some[2] = {odd[0] & ((1ull << rest) - 1), 0};
            Adds(words[whole * 64], words[whole * 64], turns, some, 1, UnaryRepeatParams{1, 1, 8, 8});
        }
    }

    TQue<TPosition::VECOUT, BUFFER_NUM> outQueue;
    TBuf<TPosition::VECCALC> indexBuffer;
    TBuf<TPosition::VECCALC> valueBuffer;
    GlobalTensor<T> outGm;
    C firstValue;
    C distance;
    int64_t longStart;
    int64_t longStep;
};

extern "C" __global__ __aicore__ void arange(GM_ADDR start, GM_ADDR end, GM_ADDR step, GM_ADDR out,
                                             GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    if (tilingData.totalLength == 0) {
        return;
    }
    KernelRamp<DTYPE_OUT> op;
    op.Run(start, step, out, tilingData);
}
