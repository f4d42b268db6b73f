#include "flat_kernel.h"
using namespace AscendC;

// What the vector unit compares instead: 8-bit numbers as half, without loss.
template <typename T>
struct Comparable {
    using Type = T;
};
template <>
struct Comparable<int8_t> {
    using Type = half;
};

template <typename T>
class KernelLessEqual {
public:
    using C = typename Comparable<T>::Type;

    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, uint32_t tileLength, TPipe* pipe) {
        tile = tileLength;
        leftGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x1));
        rightGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x2));
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(y));
        pipe->InitBuffer(inQueue, BUFFER_NUM, 2 * tile * sizeof(T));
        pipe->InitBuffer(outQueue, BUFFER_NUM, tile);
        pipe->InitBuffer(maskBuffer, tile / 8);
        pipe->InitBuffer(oneBuffer, tile * sizeof(half));
        pipe->InitBuffer(chosenBuffer, tile * sizeof(half));
        Duplicate(oneBuffer.Get<half>(), static_cast<half>(1.0f), static_cast<int32_t>(tile));
        if constexpr (WIDENS) {
            pipe->InitBuffer(wideBuffer, 2 * tile * sizeof(C));
            Duplicate(wideBuffer.template Get<C>(), static_cast<C>(0.0f), static_cast<int32_t>(2 * tile));
        }
    }
    __aicore__ inline void Run(uint32_t start, uint32_t length) {
        for (uint32_t done = 0; done < length; done += tile) {
            uint32_t count = length - done < tile ? length - done : tile;
            CopyIn(start + done, count);
            Compute(count);
            CopyOut(start + done, count);
        }
    }

private:
    static constexpr bool WIDENS = !IsSameType<T, C>::value;

    __aicore__ inline void CopyIn(uint32_t offset, uint32_t count) {
        LocalTensor<T> local = inQueue.template AllocTensor<T>();
        constexpr uint32_t perBlock = 32 / sizeof(T);
        uint8_t missing = static_cast<uint8_t>((perBlock - count % perBlock) % perBlock);
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{true, 0, missing, static_cast<T>(0)};
        DataCopyPad(local, leftGm[offset], params, pad);
        DataCopyPad(local[tile], rightGm[offset], params, pad);
        inQueue.EnQue(local);
    }
    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> in = inQueue.template DeQue<T>();
        LocalTensor<uint8_t> out = outQueue.AllocTensor<uint8_t>();
        LocalTensor<uint8_t> mask = maskBuffer.Get<uint8_t>();
        constexpr uint32_t lanes = 256 / sizeof(C);
        uint32_t whole = (count + lanes - 1) / lanes * lanes;  // Compare works on whole repeats
        if constexpr (WIDENS) {
            LocalTensor<C> wide = wideBuffer.template Get<C>();
            Cast(wide, in, RoundMode::CAST_NONE, count);
            Cast(wide[tile], in[tile], RoundMode::CAST_NONE, count);
            Order(mask, wide, wide[tile], whole);
        } else {
            constexpr uint32_t perBlock = 32 / sizeof(T);
            uint32_t filled = (count + perBlock - 1) / perBlock * perBlock;
            if (filled < whole) {
                Duplicate(in[filled], static_cast<T>(0), static_cast<int32_t>(whole - filled));
                Duplicate(in[tile + filled], static_cast<T>(0), static_cast<int32_t>(whole - filled));
            }
            Order(mask, in, in[tile], whole);
        }
        LocalTensor<half> chosen = chosenBuffer.Get<half>();
        Select(chosen, mask, oneBuffer.Get<half>(), static_cast<half>(0.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE,
               count);
        Cast(out, chosen, RoundMode::CAST_RINT, count);
        outQueue.EnQue(out);
        inQueue.FreeTensor(in);
    }
    // Integers compare only for equality: a <= b means that b is the larger of the two.
    __aicore__ inline void Order(const LocalTensor<uint8_t>& mask, const LocalTensor<C>& a,
                                 const LocalTensor<C>& b, uint32_t whole) {
        if constexpr (IsSameType<C, int32_t>::value) {
            Max(a, a, b, static_cast<int32_t>(whole));
            Compare(mask, a, b, CMPMODE::EQ, whole);
        } else {
            Compare(mask, a, b, CMPMODE::LE, whole);
        }
    }
    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count) {
        LocalTensor<uint8_t> local = outQueue.DeQue<uint8_t>();
        DataCopyPad(yGm[offset], local, DataCopyExtParams{1, count, 0, 0, 0});
        outQueue.FreeTensor(local);
    }

    TQue<TPosition::VECIN, BUFFER_NUM> inQueue;
    TQue<TPosition::VECOUT, BUFFER_NUM> outQueue;
    TBuf<TPosition::VECCALC> maskBuffer;
    TBuf<TPosition::VECCALC> oneBuffer;
    TBuf<TPosition::VECCALC> chosenBuffer;
    TBuf<TPosition::VECCALC> wideBuffer;
    GlobalTensor<T> leftGm;
    GlobalTensor<T> rightGm;
    GlobalTensor<uint8_t> yGm;
    uint32_t tile;
};

extern "C" __global__ __aicore__ void less_equal(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelLessEqual<DTYPE_X1> op;
    op.Init(x1, x2, y, tilingData.tileLength, &pipe);
    CoreRun run = RunOfCore(tilingData);
    op.Run(run.start, run.length);
}
