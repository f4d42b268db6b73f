#pragma once
#include "kern_fwk.h"

namespace AscendC {
struct DataCopyExtParams {
    uint16_t blockCount;
    uint32_t blockLen;
    uint32_t srcStride;
    uint32_t dstStride;
    uint32_t rsv;
};
template <class T>
struct DataCopyPadExtParams {
    bool isPad;
    uint8_t leftPadding;
    uint8_t rightPadding;
    T paddingValue;
};

template <class T>
class LocalTensor {
public:
    T* GetPhyAddr() const;
    T* GetPhyAddr(uint32_t offset) const;
    LocalTensor operator[](uint32_t offset) const;
};
template <class T>
class GlobalTensor {
public:
    void SetGlobalBuffer(__gm__ T* buffer, uint64_t count);
    __gm__ T* GetPhyAddr() const;
    GlobalTensor operator[](uint64_t offset) const;
};

enum class TPosition { VECIN, VECOUT };
using QuePosition = TPosition;
template <TPosition position, int32_t depth>
class TQue {
public:
    template <class T>
    LocalTensor<T> AllocTensor();
    template <class T>
    LocalTensor<T> DeQue();
    template <class T>
    bool EnQue(const LocalTensor<T>& tensor);
    template <class T>
    void FreeTensor(LocalTensor<T>& tensor);
};
class TPipe {
public:
    template <class Queue>
    bool InitBuffer(Queue& queue, uint8_t count, uint32_t bytes);
};
}  // namespace AscendC
