// Header name as in CANN: kernel_operator.h does not bring it in, a kernel with tensor lists includes it too.
#pragma once

#include "kernel_operator.h"

namespace AscendC {

/// Shape and address of one tensor of a list.
template <typename T>
class TensorDesc {
public:
    void SetShapeAddr(uint64_t* shape) { shape_ = shape; }
    uint64_t GetDim() { return dims_; }
    uint64_t GetIndex() { return index_; }
    uint64_t GetShape(uint32_t offset) { return shape_ != nullptr ? shape_[offset] : 0; }
    __gm__ T* GetDataPtr() { return data_; }
    GlobalTensor<T> GetDataObj() {
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(data_);
        return tensor;
    }

private:
    friend class ListTensorDesc;
    void Fill(uint64_t dims, uint64_t index, const __gm__ uint64_t* shape, __gm__ T* data) {
        dims_ = dims;
        index_ = index;
        data_ = data;
        for (uint64_t i = 0; shape_ != nullptr && i < dims; ++i) shape_[i] = shape[i];
    }
    uint64_t dims_ = 0, index_ = 0;
    uint64_t* shape_ = nullptr;
    __gm__ T* data_ = nullptr;
};

/// Dynamic input in global memory. Layout: byte offset of the address table; then for every tensor one word
/// holding dimensions (low half) and index (high half), followed by its dimensions; the table holds the
/// addresses.
class ListTensorDesc {
public:
    ListTensorDesc() = default;
    ListTensorDesc(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff) {
        Init(data, length, shapeSize);
    }
    void Init(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff) {
        static_cast<void>(length);
        static_cast<void>(shapeSize);
        words_ = static_cast<__gm__ uint64_t*>(data);
    }
    template <typename T>
    void GetDesc(TensorDesc<T>& desc, uint32_t index) {
        const __gm__ uint64_t* word = words_ + 1;
        for (uint32_t skipped = 0; skipped < index; ++skipped) word += 1 + (*word & 0xffffffffu);
        desc.Fill(*word & 0xffffffffu, *word >> 32, word + 1, GetDataPtr<T>(index));
    }
    template <typename T>
    __gm__ T* GetDataPtr(uint32_t index) {
        return reinterpret_cast<__gm__ T*>(words_[words_[0] / sizeof(uint64_t) + index]);
    }
    uint32_t GetSize() {
        const __gm__ uint64_t* table = words_ + words_[0] / sizeof(uint64_t);
        uint32_t count = 0;
        for (const __gm__ uint64_t* word = words_ + 1; word < table; word += 1 + (*word & 0xffffffffu))
            ++count;
        return count;
    }

private:
    __gm__ uint64_t* words_ = nullptr;
};

}  // namespace AscendC
