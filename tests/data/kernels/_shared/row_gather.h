// Copies rows that lie apart in global memory behind one another, piece by piece through UB.
#ifndef ROW_GATHER_H
#define ROW_GATHER_H
#include "kernel_operator.h"

template <typename T>
class RowGather {
public:
    // No row is longer than `longest` elements.
    __aicore__ inline void Init(AscendC::TPipe* pipe, uint32_t longest) {
        pipe->InitBuffer(queue, 2, (longest * sizeof(T) + 31) / 32 * 32);
    }
    __aicore__ inline void Copy(GM_ADDR from, GM_ADDR to, uint32_t elements) {
        AscendC::GlobalTensor<T> source, target;
        source.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(from));
        target.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(to));
        AscendC::DataCopyExtParams params{1, static_cast<uint32_t>(elements * sizeof(T)), 0, 0, 0};
        AscendC::DataCopyPadExtParams<T> pad{false, 0, 0, static_cast<T>(0)};
        AscendC::LocalTensor<T> local = queue.template AllocTensor<T>();
        AscendC::DataCopyPad(local, source, params, pad);
        queue.EnQue(local);
        local = queue.template DeQue<T>();
        AscendC::DataCopyPad(target, local, params);
        queue.FreeTensor(local);
    }

private:
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> queue;
};
#endif
