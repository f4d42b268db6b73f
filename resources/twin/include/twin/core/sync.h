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

/// SyncAll over all cores of the launch.
void sync_all(const char* call, const Site& site);

/// Barrier over `members` cores that meet under `key` (soft synchronisation with used cores).
void sync_group(uint64_t key, uint32_t members, const char* call, const Site& site);

/// Counting flag between cores: raise adds one event, await takes one.
void raise_cross_flag(uint64_t key, Pipe pipe, const char* call, const Site& site);
void await_cross_flag(uint64_t key, Pipe pipe, const char* call, const Site& site);

/// Notes a scalar read of global memory and lets other cores run when the kernel polls one address.
void note_poll(const uint8_t* address);

}  // namespace twin
