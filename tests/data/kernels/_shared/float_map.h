// Element-wise kernels over tensors of one shape and one dtype, tile by tile.
#ifndef FLOAT_MAP_H
#define FLOAT_MAP_H
#include "kernel_operator.h"

constexpr int32_t BUFFER_NUM = 2;

// int32 is computed as it is, everything else in float32.
template <typename T>
struct ComputeType {
    using Type = float;
};
template <>
struct ComputeType<int32_t> {
    using Type = int32_t;
};

// The 32-bit tensors one call of Math works on. Inputs may be overwritten.
template <typename C, int32_t INPUTS, int32_t OUTPUTS, int32_t SCRATCH>
struct Tiles {
    AscendC::LocalTensor<C> x[INPUTS];
    AscendC::LocalTensor<C> y[OUTPUTS];
    AscendC::LocalTensor<C> scratch[SCRATCH + 1];
};

// Math has `static constexpr int32_t SCRATCH` and `operator()(Tiles<C, ...>& tiles, int32_t count)`.
template <typename T, int32_t INPUTS, int32_t OUTPUTS, typename Math>
class FloatMap {
public:
    using C = typename ComputeType<T>::Type;

    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t tileLength, const Math& work) {
        tile = tileLength;
        math = work;
        pipe->InitBuffer(inQueue, BUFFER_NUM, INPUTS * tile * sizeof(T));
        pipe->InitBuffer(outQueue, BUFFER_NUM, OUTPUTS * tile * sizeof(T));
        if constexpr (WIDENS) {
            pipe->InitBuffer(wideBuffer, (INPUTS + OUTPUTS) * tile * sizeof(C));
        }
        if constexpr (Math::SCRATCH > 0) {
            pipe->InitBuffer(scratchBuffer, Math::SCRATCH * tile * sizeof(C));
        }
    }
    // An input without address takes no part: its tile holds nothing.
    __aicore__ inline void SetInput(int32_t index, __gm__ T* address) {
        inputs[index].SetGlobalBuffer(address);
        given[index] = address != nullptr;
    }
    __aicore__ inline void SetOutput(int32_t index, __gm__ T* address) { outputs[index].SetGlobalBuffer(address); }

    // Elements start ... start + length - 1 of the tensors set before.
    __aicore__ inline void Run(uint32_t start, uint32_t length) {
        for (uint32_t done = 0; done < length; done += tile) {
            uint32_t count = length - done < tile ? length - done : tile;
            CopyIn(start + done, count);
            Compute(static_cast<int32_t>(count));
            CopyOut(start + done, count);
        }
    }

private:
    static constexpr bool WIDENS = !AscendC::IsSameType<T, C>::value;

    __aicore__ inline void CopyIn(uint32_t offset, uint32_t count) {
        AscendC::LocalTensor<T> local = inQueue.template AllocTensor<T>();
        AscendC::DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        AscendC::DataCopyPadExtParams<T> pad{false, 0, 0, static_cast<T>(0)};
        for (int32_t i = 0; i < INPUTS; ++i) {
            if (given[i]) {
                AscendC::DataCopyPad(local[i * tile], inputs[i][offset], params, pad);
            }
        }
        inQueue.EnQue(local);
    }
    __aicore__ inline void Compute(int32_t count) {
        AscendC::LocalTensor<T> in = inQueue.template DeQue<T>();
        AscendC::LocalTensor<T> out = outQueue.template AllocTensor<T>();
        Tiles<C, INPUTS, OUTPUTS, Math::SCRATCH> tiles;
        for (int32_t i = 0; i < Math::SCRATCH; ++i) {
            tiles.scratch[i] = scratchBuffer.template Get<C>()[i * tile];
        }
        if constexpr (WIDENS) {
            AscendC::LocalTensor<C> wide = wideBuffer.template Get<C>();
            for (int32_t i = 0; i < INPUTS; ++i) {
                tiles.x[i] = wide[i * tile];
                if (given[i]) {
                    AscendC::Cast(tiles.x[i], in[i * tile], AscendC::RoundMode::CAST_NONE, count);
                }
            }
            for (int32_t i = 0; i < OUTPUTS; ++i) {
                tiles.y[i] = wide[(INPUTS + i) * tile];
            }
            math(tiles, count);
            for (int32_t i = 0; i < OUTPUTS; ++i) {
                AscendC::Cast(out[i * tile], tiles.y[i], AscendC::RoundMode::CAST_RINT, count);
            }
        } else {
            for (int32_t i = 0; i < INPUTS; ++i) {
                tiles.x[i] = in[i * tile];
            }
            for (int32_t i = 0; i < OUTPUTS; ++i) {
                tiles.y[i] = out[i * tile];
            }
            math(tiles, count);
        }
        outQueue.EnQue(out);
        inQueue.FreeTensor(in);
    }
    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count) {
        AscendC::LocalTensor<T> local = outQueue.template DeQue<T>();
        AscendC::DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        for (int32_t i = 0; i < OUTPUTS; ++i) {
            AscendC::DataCopyPad(outputs[i][offset], local[i * tile], params);
        }
        outQueue.FreeTensor(local);
    }

    AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outQueue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratchBuffer;
    AscendC::GlobalTensor<T> inputs[INPUTS];
    AscendC::GlobalTensor<T> outputs[OUTPUTS];
    bool given[INPUTS];
    Math math;
    uint32_t tile;
};

// The only element of a tensor as the number the kernel computes with.
template <typename C, typename S>
__aicore__ inline C ScalarOf(GM_ADDR address) {
    AscendC::GlobalTensor<S> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(address), 1);
    if constexpr (AscendC::IsSameType<S, bfloat16_t>::value) {
        return AscendC::ToFloat(tensor.GetValue(0));
    } else {
        return static_cast<C>(tensor.GetValue(0));
    }
}
#endif
