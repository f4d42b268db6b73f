// SetFlag, WaitFlag, PipeBarrier, SyncAll and the raw intrinsics behind them.
#pragma once

#include "twin/api/tensor.h"
#include "twin/api/system.h"
#include "twin/core/sync.h"

namespace AscendC {

template <HardEvent event>
void SetFlag(int32_t eventID, const twin::Site& site = twin::Site::here()) {
    constexpr auto pair = twin::pipes_of(event);
    twin::raise_flag(pair.from, pair.to, eventID, "SetFlag", site);
}
template <HardEvent event>
void WaitFlag(int32_t eventID, const twin::Site& site = twin::Site::here()) {
    constexpr auto pair = twin::pipes_of(event);
    twin::await_flag(pair.from, pair.to, eventID, "WaitFlag", site);
}

template <pipe_t pipe>
void PipeBarrier(const twin::Site& site = twin::Site::here()) {
    if constexpr (pipe == PIPE_ALL) {
        twin::enter("PipeBarrier", site);
        twin::barrier_all_pipes(twin::core());
    } else {
        twin::pipe_barrier_of(twin::pipe_of(pipe), "PipeBarrier", site);
    }
}

/// Barrier over all vector cores, or over all cores.
template <bool isAIVOnly = true>
void SyncAll(const twin::Site& site = twin::Site::here()) {
    twin::sync_all(isAIVOnly, "SyncAll", site);
}
/// The same through a workspace in global memory; `usedCores` cores take part, all of them when it is 0.
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
             const int32_t usedCores = 0, const twin::Site& site = twin::Site::here()) {
    static_cast<void>(ubWorkspace);
    const uint8_t* const place = twin::place_of_flags(gmWorkspace.GetPhyAddr());
    if (usedCores == 0) {
        twin::sync_all(isAIVOnly, "SyncAll", site);
    } else {
        twin::sync_group(place, static_cast<uint32_t>(usedCores), "SyncAll", site);
    }
    twin::require_cleared(place + GetBlockIdx() * twin::kBlockBytes, "SyncAll", site);
}

/// Flags in global memory between two blocks.
template <bool isAIVOnly = true>
void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
           int32_t blockIdx, int32_t eventID, const twin::Site& site = twin::Site::here()) {
    static_cast<void>(ubWorkspace);
    const uint8_t* const place = twin::place_of_flags(gmWorkspace.GetPhyAddr());
    twin::barrier_all_pipes(twin::core());
    const int64_t flag = GetBlockNum() * eventID + blockIdx;
    twin::require_cleared(place + flag * twin::kBlockBytes, "IBSet", site);
    twin::raise_memory_flag(place, uint64_t(blockIdx) * 4096 + uint64_t(eventID), "IBSet", site);
}
template <bool isAIVOnly = true>
void IBWait(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
            int32_t blockIdx, int32_t eventID, const twin::Site& site = twin::Site::here()) {
    static_cast<void>(ubWorkspace);
    const uint8_t* const place = twin::place_of_flags(gmWorkspace.GetPhyAddr());
    twin::await_memory_flag(place, uint64_t(blockIdx) * 4096 + uint64_t(eventID), "IBWait", site);
}

/// Flags between cores; see twin::cross_core_set.
template <uint8_t modeId, pipe_t pipe>
void CrossCoreSetFlag(uint16_t flagId, const twin::Site& site = twin::Site::here()) {
    twin::cross_core_set(modeId, pipe, flagId, "CrossCoreSetFlag", site);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flagId, const twin::Site& site = twin::Site::here()) {
    twin::cross_core_wait(flagId, "CrossCoreWaitFlag", site);
}

/// The same wait under its older name.
inline void WaitEvent(uint16_t flagId, const twin::Site& site = twin::Site::here()) {
    twin::cross_core_wait(flagId, "WaitEvent", site);
}
/// Where the device keeps its cross-core flags; here they are where they are.
inline void SetSyncBaseAddr(uint64_t) {}

template <typename T, CacheLine entire = CacheLine::SINGLE_CACHE_LINE, DcciDst where = DcciDst::CACHELINE_ALL>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor, const twin::Site& site = twin::Site::here()) {
    twin::enter("DataCacheCleanAndInvalid", site);
    twin::clean_cache(reinterpret_cast<const uint8_t*>(tensor.GetPhyAddr()),
                      entire == CacheLine::ENTIRE_DATA_CACHE);
}
template <typename T, CacheLine entire, DcciDst where>
void DataCacheCleanAndInvalid(const LocalTensor<T>&) {}
template <typename T>
void DataCachePreload(const GlobalTensor<uint64_t>&, const T) {}
/// Instructions are in the cache already: it has no part in the results and none in the model. Its length has
/// a limit.
inline void ICachePreLoad(const int64_t preFetchLen, const twin::Site& site = twin::Site::here()) {
    const int64_t units = twin::core().type == twin::CoreType::cube ? 16 : 8;  // of 2 KB
    if (preFetchLen >= 0 && preFetchLen < units) return;
    twin::report(twin::rules::vector_limit, "ICachePreLoad", site,
                 {twin::format("%lld units of 2 KB are more than the instruction cache holds",
                               static_cast<long long>(preFetchLen)),
                  "", twin::format("fewer than %lld", static_cast<long long>(units))});
}
template <MemDsbT mode>
void DataSyncBarrier() {}
inline void InitSocState() {
    TWIN_CALL();
    twin::core().gm.atomic = twin::AtomicMode::none;
}

// Mask mode and mask registers.
inline void SetMaskCount() {
    TWIN_CALL();
    twin::core().vector.mask.counter = true;
}
inline void SetMaskNorm() {
    TWIN_CALL();
    twin::core().vector.mask.counter = false;
}
inline void ResetMask() {
    TWIN_CALL();
    twin::core().vector.mask.low = ~0ull;
    twin::core().vector.mask.high = ~0ull;
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
    TWIN_CALL(maskHigh, maskLow);
    twin::core().vector.mask.low = maskLow;
    twin::core().vector.mask.high = maskHigh;
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(int32_t len) {
    TWIN_CALL(len);
    twin::MaskState& mask = twin::core().vector.mask;
    if constexpr (mode == MaskMode::COUNTER) {
        mask.low = static_cast<uint64_t>(len);
        mask.high = 0;
    } else {
        const int32_t lanes = std::max(len, 0);
        mask.low = lanes >= 64 ? ~0ull : (1ull << lanes) - 1;
        mask.high = lanes <= 64 ? 0 : lanes >= 128 ? ~0ull : (1ull << (lanes - 64)) - 1;
    }
}

}  // namespace AscendC

// Raw intrinsics.
inline void set_flag(pipe_t from, pipe_t to, event_t id, const twin::Site& site = twin::Site::here()) {
    twin::raise_flag(twin::pipe_of(from), twin::pipe_of(to), id, "set_flag", site);
}
inline void set_flag(pipe_t from, pipe_t to, int id, const twin::Site& site = twin::Site::here()) {
    set_flag(from, to, static_cast<event_t>(id), site);
}
inline void wait_flag(pipe_t from, pipe_t to, event_t id, const twin::Site& site = twin::Site::here()) {
    twin::await_flag(twin::pipe_of(from), twin::pipe_of(to), id, "wait_flag", site);
}
inline void wait_flag(pipe_t from, pipe_t to, int id, const twin::Site& site = twin::Site::here()) {
    wait_flag(from, to, static_cast<event_t>(id), site);
}
inline void pipe_barrier(pipe_t pipe, const twin::Site& site = twin::Site::here()) {
    if (pipe == PIPE_ALL) {
        twin::enter("pipe_barrier", site);
        twin::barrier_all_pipes(twin::core());
    } else {
        twin::pipe_barrier_of(twin::pipe_of(pipe), "pipe_barrier", site);
    }
}
inline void set_atomic_none() { AscendC::InitSocState(); }
inline void set_mask_count() { AscendC::SetMaskCount(); }
inline void set_mask_norm() { AscendC::SetMaskNorm(); }
inline void set_vector_mask(uint64_t high, uint64_t low) { AscendC::SetVectorMask<uint16_t>(high, low); }
