// Functions behind the documented ones, as CANN 8 has them: kernels in public repositories call them by their
// names, most with raw addresses. Each is the documented function over the same bytes.
#pragma once

#include "twin/api/raw_vector.h"
#include "twin/api/vector_reduce.h"

namespace AscendC {

/// Sets a flag between the cube core and both its vector cores; WaitEvent waits for it.
template <pipe_t pipe>
void NotifyEvent(uint16_t flag, const twin::Site& site = twin::Site::here()) {
    CrossCoreSetFlag<2, pipe>(flag, site);
}

inline int64_t GetSubBlockIdxImpl() { return GetSubBlockIdx(); }

template <typename T, bool isSetMask = true>
void DuplicateIntrinsicsImpl(T* target, T value, uint8_t repeats, uint16_t block, uint8_t repeat,
                             const twin::Site& site = twin::Site::here()) {
    Duplicate<T, false>(twin::tensor_at(target, twin::kUbBytes / sizeof(T)), value, MASK_PLACEHOLDER, repeats,
                        block, repeat, site);
}

#define TWIN_BLOCK_REDUCE_BEHIND(NAME)                                                        \
    template <typename T>                                                                     \
    void NAME##IntrinsicsImpl(T* target, T* source, int32_t repeats, int32_t target_repeat,   \
                              int32_t source_block, int32_t source_repeat,                    \
                              const twin::Site& site = twin::Site::here()) {                  \
        constexpr uint32_t kAll = twin::kUbBytes / sizeof(T);                                 \
        NAME<T, false>(twin::tensor_at(target, kAll), twin::tensor_at(source, kAll), repeats, \
                       MASK_PLACEHOLDER, target_repeat, source_block, source_repeat, site);   \
    }
TWIN_BLOCK_REDUCE_BEHIND(BlockReduceSum)
TWIN_BLOCK_REDUCE_BEHIND(BlockReduceMax)
TWIN_BLOCK_REDUCE_BEHIND(BlockReduceMin)
#undef TWIN_BLOCK_REDUCE_BEHIND

/// The padding may be of another type, as its value is not used then.
template <typename T, typename P>
void DataCopyPadGm2UBImpl(T* target, T* source, const DataCopyExtParams& params,
                          const DataCopyPadExtParams<P>& padding,
                          const twin::Site& site = twin::Site::here()) {
    const DataCopyPadExtParams<T> same(padding.isPad, padding.leftPadding, padding.rightPadding,
                                       static_cast<T>(padding.paddingValue));
    DataCopyPad(twin::tensor_at(target, twin::kUbBytes / sizeof(T)), twin::global_at(source), params, same,
                site);
}
template <typename T>
void DataCopyPadUB2GMImpl(T* target, T* source, const DataCopyExtParams& params,
                          const twin::Site& site = twin::Site::here()) {
    DataCopyPad(twin::global_at(target), twin::tensor_at(source, twin::kUbBytes / sizeof(T)), params, site);
}

/// Tells a debugging build that an address may be used; here every access is checked.
template <typename T>
void OOMCheckAddrRange(T*, uint64_t) {}

}  // namespace AscendC

/// Copies parameters by the scalar unit; `bytes` is a multiple of 8.
inline void copy_data_align64(uint8_t* target, const uint8_t* source, size_t bytes) {
    twin::count_moved(bytes);
    std::memcpy(target, source, bytes);
}
