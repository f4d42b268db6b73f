// Reads that make no API call: through the kernel's own pointers into global memory, or into on-chip memory
// after GetPhyAddr.
//
// Both are behind protected pages while the kernel itself runs. Global memory is mapped twice: the simulator
// uses one mapping, the kernel has addresses of the other. On-chip memory that the kernel has an address of
// is closed at the end of every call and opened at the beginning of the next. The first touch of a page
// faults; the page is then opened and charged as if the scalar unit had read all of it, which is the most it
// can have done. What makes no such access pays nothing, and how often a page faults does not depend on the
// machine's load, so latencies stay reproducible.
#pragma once

#include <cstddef>
#include <cstdint>

namespace twin {

struct Launch;
class LocalMemory;

/// Cycles of raw reads that the running core still has to be charged with; one core runs at a time.
inline volatile double raw_read_cycles = 0;

/// Whether some core's on-chip memory is guarded.
inline bool local_guards = false;

/// Opens or closes the guarded memories of the core on this thread.
void open_local_guards();
void close_local_guards();

/// Guards an on-chip memory of the core on this thread from the end of the call under way on.
void guard_local(LocalMemory& memory);

/// Watches the addresses that only the kernel of this launch uses.
void guard_global(const Launch& launch);

/// Another core runs: pages of global memory that the last one was charged with are closed to it.
void close_global_pages();

/// Bytes of global and of guarded on-chip memory that were charged as read through pointers.
uint64_t raw_read_bytes();

/// For the handler of SIGSEGV: opens the page of `address` if it is a guarded one. False for any other
/// address.
bool open_raw_page(const void* address);

}  // namespace twin
