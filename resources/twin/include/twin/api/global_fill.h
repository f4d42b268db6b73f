// InitGlobalMemory and its older names: filling global memory with one value.
#pragma once

#include <algorithm>
#include <vector>

#include "twin/api/data_copy.h"

namespace AscendC {

/// Writes `size` elements through UB; the kernel has to synchronise before it reads them.
template <typename T>
void InitGlobalMemory(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value,
                      const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(gmWorkspaceAddr, size, value, site);
    constexpr uint64_t kChunk = 32768;  // bytes of UB the library uses for it
    const uint64_t bytes = size * sizeof(T);
    // Cores that write the same value to the same place are no race.
    const std::vector<T> values(std::min<uint64_t>(size, kChunk / sizeof(T)), value);
    const bool plain = twin::core().gm.atomic == twin::AtomicMode::none;
    T* target = twin::kept(gmWorkspaceAddr.GetPhyAddr(0));
    for (uint64_t done = 0; done < bytes; done += kChunk) {
        const uint64_t part = bytes - done < kChunk ? bytes - done : kChunk;
        twin::Instruction instruction(twin::Pipe::MTE3, "InitGlobalMemory", site);
        instruction.write_global(twin::target_of(gmWorkspaceAddr) + done, part,
                                 plain ? values.data() : nullptr);
        instruction.issue_transfer(twin::processor().memory_copy_issue_cycles, static_cast<double>(part));
        std::fill_n(target + done / sizeof(T), part / sizeof(T), value);
    }
}
template <typename T>
void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint64_t size, T value = T(0),
                const twin::Site& site = twin::Site::here()) {
    InitGlobalMemory(gmWorkspaceAddr, size, value, site);
}
template <typename T>
void Fill(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value,
          const twin::Site& site = twin::Site::here()) {
    InitGlobalMemory(gmWorkspaceAddr, size, value, site);
}

}  // namespace AscendC
