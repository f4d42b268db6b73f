// Orders between cores through global memory: block after block, and between two groups of cores.
#pragma once

#include "twin/api/sync.h"

namespace AscendC {

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

/// Starts the round: block 0 goes first.
inline void InitDetermineComputeWorkspace(const GlobalTensor<int32_t>& gmWorkspace,
                                          const LocalTensor<int32_t>&,
                                          const twin::Site& site = twin::Site::here()) {
    if (twin::core().block != 0) return;
    twin::raise_memory_flag(twin::place_of_flags(gmWorkspace.GetPhyAddr()), twin::turn_of(0),
                            "InitDetermineComputeWorkspace", site);
}
/// The flag is read by a copy that the scalar unit waits for, so everything before it is done.
inline void WaitPreBlock(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>&,
                         const twin::Site& site = twin::Site::here()) {
    const auto block = static_cast<uint64_t>(twin::core().block);
    twin::barrier_all_pipes(twin::core());
    twin::await_memory_flag(twin::place_of_flags(gmWorkspace.GetPhyAddr()), twin::turn_of(block),
                            "WaitPreBlock", site);
}
inline void NotifyNextBlock(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>&,
                            const twin::Site& site = twin::Site::here()) {
    const uint64_t next = static_cast<uint64_t>(twin::core().block) + 1;
    const uint64_t blocks = uint64_t(twin::core().launch.launch.block_dim) * twin::core().launch.task.vectors;
    twin::barrier_all_pipes(twin::core());
    twin::raise_memory_flag(twin::place_of_flags(gmWorkspace.GetPhyAddr()), twin::turn_of(next % blocks),
                            "NotifyNextBlock", site);
}

/// The cores that wait go on when all cores that arrive have arrived.
template <PipeMode pipeMode>
class GroupBarrier {
    static_assert(pipeMode == PipeMode::MTE3_MODE, "GroupBarrier: PipeMode::MTE3_MODE only");

public:
    GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn)
        : base_(groupWorkspace), arriving_(arriveSizeIn), waiting_(waitSizeIn) {}
    void Arrive(uint32_t arriveIndex, const twin::Site& site = twin::Site::here()) {
        CheckIndex(arriveIndex, arriving_, "GroupBarrier::Arrive", site);
        twin::barrier_all_pipes(twin::core());
        for (uint32_t waiter = 0; waiter < waiting_; ++waiter) {
            const uint8_t* const place = twin::place_of_flags(base_);
            twin::require_cleared(place + waiter * kMessageBytes, "GroupBarrier::Arrive", site);
            twin::raise_memory_flag(place, twin::turn_of(waiter), "GroupBarrier::Arrive", site);
        }
    }
    void Wait(uint32_t waitIndex, const twin::Site& site = twin::Site::here()) {
        CheckIndex(waitIndex, waiting_, "GroupBarrier::Wait", site);
        for (uint32_t arrived = 0; arrived < arriving_; ++arrived) {
            twin::await_memory_flag(twin::place_of_flags(base_), twin::turn_of(waitIndex),
                                    "GroupBarrier::Wait", site);
        }
    }
    uint64_t GetWorkspaceLen() const { return uint64_t(waiting_) * kMessageBytes; }

private:
    static constexpr uint64_t kMessageBytes = 512;

    static void CheckIndex(uint32_t index, uint32_t members, const char* call, const twin::Site& site) {
        if (index < members) return;
        twin::report(twin::rules::event_id, call, site,
                     {twin::format("member %u of a group of %u", index, members), "", "0 to members - 1"});
    }

    GM_ADDR base_;
    uint32_t arriving_, waiting_;
};

// Early start of the next kernel: this processor accepts the calls and does nothing.
template <bool force = false>
void WaitPreTaskEnd() {}
template <bool force = false>
void SetNextTaskStart() {}

/// Scalar accesses of global memory that go past the data cache.
template <typename T>
T ReadGmByPassDCache(__gm__ T* addr, const twin::Site& site = twin::Site::here()) {
    static_assert(std::is_integral<T>::value, "ReadGmByPassDCache: integers only");
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(addr);
    return tensor.GetValue(0, site);
}
template <typename T>
void WriteGmByPassDCache(__gm__ T* addr, T value, const twin::Site& site = twin::Site::here()) {
    static_assert(std::is_integral<T>::value, "WriteGmByPassDCache: integers only");
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(addr);
    tensor.SetValue(0, value, site);
    twin::clean_cache(reinterpret_cast<const uint8_t*>(addr), false);
}

}  // namespace AscendC
