// Functions behind the documented ones, as CANN 8 has them: kernels in public repositories call them by their
// names, most with raw addresses. Each is the documented function over the same bytes.
#pragma once

#include "twin/api/raw_vector.h"
#include "twin/api/vector_reduce.h"

namespace AscendC {

template <bool truth>
struct BoolInst {
    using Type = BoolInst<truth>;
    static constexpr bool value = truth;
};
using TrueType = BoolInst<true>;
using FalseType = BoolInst<false>;

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
void DataCopyPadGm2UBImpl(T* target, __gm__ T* source, const DataCopyExtParams& params,
                          const DataCopyPadExtParams<P>& padding,
                          const twin::Site& site = twin::Site::here()) {
    const DataCopyPadExtParams<T> same(padding.isPad, padding.leftPadding, padding.rightPadding,
                                       static_cast<T>(padding.paddingValue));
    DataCopyPad(twin::tensor_at(target, twin::kUbBytes / sizeof(T)), twin::global_at(source), params, same,
                site);
}
template <typename T>
void DataCopyPadUB2GMImpl(__gm__ T* target, T* source, const DataCopyExtParams& params,
                          const twin::Site& site = twin::Site::here()) {
    DataCopyPad(twin::global_at(target), twin::tensor_at(source, twin::kUbBytes / sizeof(T)), params, site);
}

/// Tells a debugging build that an address may be used; here every access is checked.
template <typename T>
void OOMCheckAddrRange(__gm__ T*, uint64_t) {}

/// Matrices that Fixpipe writes row by row: their number and the distances from one to the next.
inline void SetNdParaImpl(uint64_t config) {
    SetFixpipeNz2ndFlag(static_cast<uint16_t>(config), static_cast<uint16_t>(config >> 16),
                        static_cast<uint32_t>(config >> 32) & 0xffff);
}

template <typename T, typename U, typename S>
void MmadImpl(const LocalTensor<T>& target, const LocalTensor<U>& left, const LocalTensor<S>& right,
              const MmadParams& params, const twin::Site& site = twin::Site::here()) {
    Mmad(target, left, right, params, site);
}

/// Space for dumps, which the twin does not need.
inline void InitDump(bool, uint32_t) {}
inline void InitDump(bool, GM_ADDR, uint32_t) {}

// Calls of other architectures, which a kernel for several has beside those it makes here.
#define TWIN_ABSENT(NAME)                                                                                    \
    template <typename... Types, typename... Arguments>                                                      \
    void NAME(Arguments&&...) {                                                                              \
        twin::report(twin::rules::vector_limit, #NAME, twin::after_last_call(),                              \
                     {"region proposals do not exist on this architecture (Atlas A2): sort with Sort32 and " \
                      "MrgSort",                                                                             \
                      "", ""});                                                                              \
    }
TWIN_ABSENT(ProposalConcat)
TWIN_ABSENT(ProposalExtract)
TWIN_ABSENT(RpSort16)
TWIN_ABSENT(MrgSort4)
#undef TWIN_ABSENT

// Flags that SyncAll uses by itself.
constexpr uint16_t SYNC_AIC_FLAG = 11, SYNC_AIV_FLAG = 12, SYNC_AIC_AIV_FLAG = 13;

}  // namespace AscendC

inline void set_ffts_base_addr(uint64_t) {}

/// Tells the build that results are to be the same in every run; here they are.
#define ENABLE_DETERMINISTIC()

/// Copies parameters by the scalar unit; `bytes` is a multiple of 8.
inline void copy_data_align64(uint8_t* target, const uint8_t* source, size_t bytes) {
    twin::count_moved(bytes);
    std::memcpy(target, source, bytes);
}
