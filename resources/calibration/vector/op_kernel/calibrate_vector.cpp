// Micro kernels of `sage host calibrate`: each does one thing so often that its cost can be told.
#include "kernel_operator.h"
using namespace AscendC;

// In the order of KINDS in op_host.
enum Kind : uint32_t {
    EMPTY,
    COPY,
    SMALL_COPIES,
    ROUND_TRIPS,
    ABS,
    CHAIN,
    ADD,
    MUL,
    DIV,
    EXP,
    CAST,
    REDUCE,
    SCALAR_LOCAL,
    SCALAR_CACHED,
    SCALAR_GLOBAL
};
constexpr uint32_t TILE_BYTES = 32768;
constexpr uint32_t SMALL_BYTES = 32;
constexpr uint32_t LINE_BYTES = 64;
constexpr uint32_t REPEAT_BYTES = 256;

template <typename T>
class CalibrateVectorKernel {
public:
    __aicore__ inline CalibrateVectorKernel(GM_ADDR x, GM_ADDR y, const CalibrateVectorTilingData& tiling)
        : length(tiling.length), coreLength(tiling.coreLength), kind(tiling.kind), repeats(tiling.repeats) {
        xGm.SetGlobalBuffer((__gm__ T*)x, length);
        yGm.SetGlobalBuffer((__gm__ T*)y, length);
    }

    __aicore__ inline void Process() {
        if (kind == COPY) {
            Copy();
            return;
        }
        if (GetBlockIdx() != 0) {
            return;
        }
        pipe.InitBuffer(source, TILE_BYTES);
        pipe.InitBuffer(result, TILE_BYTES);
        pipe.InitBuffer(scratch, 2 * TILE_BYTES);
        x = source.Get<T>();
        y = result.Get<T>();
        if (kind == ROUND_TRIPS) {
            RoundTrips();
        } else if (kind == SMALL_COPIES) {
            SmallCopies();
        } else {
            DataCopy(x, xGm, length);
            Wait<HardEvent::MTE2_V>();
            Work();
        }
    }

private:
    template <HardEvent event>
    __aicore__ inline void Wait() {
        const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
        SetFlag<event>(id);
        WaitFlag<event>(id);
    }

    __aicore__ inline void Copy() {
        const uint32_t start = GetBlockIdx() * coreLength;
        const uint32_t left = length > start ? length - start : 0;
        const uint32_t mine = left < coreLength ? left : coreLength;
        const uint32_t tile = TILE_BYTES / sizeof(T);
        pipe.InitBuffer(queue, 2, TILE_BYTES);
        for (uint32_t done = 0; done < mine; done += tile) {
            const uint32_t count = mine - done < tile ? mine - done : tile;
            LocalTensor<T> local = queue.template AllocTensor<T>();
            DataCopy(local, xGm[start + done], count);
            queue.EnQue(local);
            local = queue.template DeQue<T>();
            DataCopy(yGm[start + done], local, count);
            queue.FreeTensor(local);
        }
    }

    __aicore__ inline void RoundTrips() {
        for (uint32_t i = 0; i < repeats; ++i) {
            DataCopy(x, xGm, length);
            Wait<HardEvent::MTE2_MTE3>();
            DataCopy(yGm, x, length);
            Wait<HardEvent::MTE3_MTE2>();
        }
    }

    __aicore__ inline void SmallCopies() {
        const uint32_t count = SMALL_BYTES / sizeof(T);
        for (uint32_t done = 0; done < length; done += count) {
            DataCopy(x[done], xGm[done], count);
        }
        Wait<HardEvent::MTE2_MTE3>();
        DataCopy(yGm, x, length);
    }

    __aicore__ inline void Work() {
        if (kind == SCALAR_LOCAL || kind == SCALAR_CACHED || kind == SCALAR_GLOBAL) {
            Scalar();
            return;
        }
        Vector();
        Wait<HardEvent::V_MTE3>();
        DataCopy(yGm, y, length);
    }

    __aicore__ inline void Vector() {
        if (kind == CAST) {
            Casts();
            return;
        }
        if (kind == EMPTY || kind == CHAIN || kind == REDUCE) {
            Abs(y, x, length);
            PipeBarrier<PIPE_V>();
        }
        for (uint32_t i = 0; i < repeats; ++i) {
            switch (kind) {
                case ABS:
                    Abs(y, x, length);
                    break;
                case CHAIN:
                    Abs(y, y, length);
                    PipeBarrier<PIPE_V>();
                    break;
                case ADD:
                    Add(y, x, x, length);
                    break;
                case MUL:
                    Mul(y, x, x, length);
                    break;
                case DIV:
                    Div(y, x, x, length);
                    break;
                case EXP:
                    Exp(y, x, length);
                    break;
                case REDUCE:
                    BlockReduceMax(y, x, length * sizeof(T) / REPEAT_BYTES, REPEAT_BYTES / sizeof(T), 1, 1, 8);
                    break;
                default:
                    break;
            }
        }
    }

    __aicore__ inline void Casts() {
        if constexpr (sizeof(T) == sizeof(float)) {
            LocalTensor<half> narrow = scratch.Get<half>();
            for (uint32_t i = 0; i < repeats; ++i) {
                Cast(narrow, x, RoundMode::CAST_RINT, length);
            }
            PipeBarrier<PIPE_V>();
            Cast(y, narrow, RoundMode::CAST_NONE, length);
        } else {
            LocalTensor<float> wide = scratch.Get<float>();
            for (uint32_t i = 0; i < repeats; ++i) {
                Cast(wide, x, RoundMode::CAST_NONE, length);
            }
            PipeBarrier<PIPE_V>();
            Cast(y, wide, RoundMode::CAST_RINT, length);
        }
    }

    __aicore__ inline void Scalar() {
        Abs(y, x, length);
        Wait<HardEvent::V_S>();
        if (kind == SCALAR_LOCAL) {
            for (uint32_t i = 0; i < length; ++i) {
                y.SetValue(i, x.GetValue(i));
            }
        } else {
            const uint32_t perLine = LINE_BYTES / sizeof(T);
            const uint32_t reads = kind == SCALAR_GLOBAL ? 1 : perLine;
            for (uint32_t line = 0; line < length / perLine; ++line) {
                y.SetValue(line, LargestOf(line * perLine, reads));
            }
        }
        Wait<HardEvent::S_MTE3>();
        DataCopy(yGm, y, length);
    }

    /// Reads `count` elements of one cache line; only the first read misses.
    __aicore__ inline T LargestOf(uint32_t first, uint32_t count) {
        T largest = xGm.GetValue(first);
        for (uint32_t i = 1; i < count; ++i) {
            const T value = xGm.GetValue(first + i);
            largest = largest < value ? value : largest;
        }
        return largest;
    }

    TPipe pipe;
    TBuf<TPosition::VECCALC> source, result, scratch;
    TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 2> queue;
    GlobalTensor<T> xGm, yGm;
    LocalTensor<T> x, y;
    uint32_t length, coreLength, kind, repeats;
};

extern "C" __global__ __aicore__ void calibrate_vector(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    CalibrateVectorKernel<DTYPE_X> kernel(x, y, data);
    kernel.Process();
}
