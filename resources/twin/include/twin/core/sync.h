// Synchronisation inside a core (flags, pipe barriers) and between cores (SyncAll, cross-core flags),
// untemplated.
#pragma once

#include "twin/core/instruction.h"
#include "twin/core/scheduler.h"

namespace twin {

/// SetFlag: `to` may go on once everything `from` was given so far is done.
void raise_flag(Pipe from, Pipe to, int id, const char* call, const Site& site);

/// WaitFlag: `to` waits for the flag. A flag nobody raised can never come, because a core issues in order:
/// error.
void await_flag(Pipe from, Pipe to, int id, const char* call, const Site& site);

/// PipeBarrier of one pipe: its next instruction starts after its last one is done.
void pipe_barrier_of(Pipe pipe, const char* call, const Site& site);

/// PipeBarrier<PIPE_ALL>: every pipe waits for every pipe.
void barrier_all_pipes(Core& core);

/// SyncAll over all cores of the launch, or over its vector cores only.
void sync_all(bool vector_only, const char* call, const Site& site);

/// Barrier over `members` cores that meet at a place in global memory (soft synchronisation with used cores).
void sync_group(const uint8_t* place, uint32_t members, const char* call, const Site& site);

/// Counting flag `number` at a place in global memory: raise adds one signal, await takes one. Processes of
/// one kernel know the place by addresses of their own.
void raise_memory_flag(const uint8_t* place, uint64_t number, const char* call, const Site& site);
void await_memory_flag(const uint8_t* place, uint64_t number, const char* call, const Site& site);

/// A flag of a barrier lies in a tensor of the launch and is 0 before its first use; hazard otherwise.
void require_cleared(const uint8_t* flag, const char* call, const Site& site);

/// Number of the flag for the turn of `member` in an order; no number of IBSet is equal.
constexpr uint64_t turn_of(uint64_t member) { return 1ull << 63 | member; }

template <class T>
const uint8_t* place_of_flags(const T* tensor) {
    return reinterpret_cast<const uint8_t*>(tensor);
}

/// CrossCoreSetFlag and CrossCoreWaitFlag. Mode 0: all cores of one type. Mode 1: the vector cores of an AI
/// core. Mode 2: the cube core and all vector cores of an AI core, in either direction.
void cross_core_set(uint8_t mode, pipe_t pipe, uint16_t flag, const char* call, const Site& site);
void cross_core_wait(uint16_t flag, const char* call, const Site& site);

/// Declares what the kernel runs on, by the value of KernelMetaType; stops the core when the launch has to
/// start again for it.
void declare_task(int kernel_type, TaskSource source, const Site& site);
constexpr int kVectorType = 2, kCubeType = 3;  ///< one core type each, with cross-core flags

/// The same where the simulator knows it from a call.
void settle_task(const Task& task, TaskSource source, const char* call, const Site& site);

/// The type of this core, for a kernel that asks: an undeclared kernel that does is mixed, unless it then
/// runs no matrix instruction.
CoreType asked_type(const Site& site);

/// A signal to other cores when `finished` and what the scalar unit has waited for is done, and taking one.
CoreSignal signal_of(Core& core, double time, const Clock& finished);
void take_signal(Core& core, const CoreSignal& signal);

/// "core 3" in kernels of one core type, "cube core 3" or "vector core 3" in mixed ones.
std::string core_name(const Core& core);

/// Notes a scalar read of global memory and lets other cores run when the kernel polls an
/// address, alone or among others.
void note_poll(const uint8_t* address);

}  // namespace twin
