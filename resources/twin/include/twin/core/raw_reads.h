// Reads that make no API call: through the kernel's own pointers into global memory, or into on-chip memory
// after GetPhyAddr.
//
// The kernel's process has addresses of both, behind which nothing lies. The first touch of a page faults
// there, and the kernel's end of the wire asks for the page (twin/core/wire_impl.h), which is charged as if
// the scalar unit had read all of it: the most it can have done. A page of an input stays open while the
// core runs, one that instructions write until the end of the next call. What makes no such access pays
// nothing, and how often a page faults does not depend on the machine's load, so latencies stay reproducible.
#pragma once

#include <cstddef>
#include <cstdint>

namespace twin {

struct Launch;
class LocalMemory;

/// Cycles of raw reads that the running core still has to be charged with; one core runs at a time.
inline volatile double raw_read_cycles = 0;

/// Whether the kernel touched pages of on-chip memory that are open since.
inline volatile bool local_pages_open = false;

/// Closes these pages of the core on this thread.
void close_local_pages();

/// Watches the addresses that only the kernel of this launch uses.
void guard_global(const Launch& launch);

/// Another core runs: pages of global memory that the last one was charged with are closed to it.
void close_global_pages();

/// Bytes of global and on-chip memory that were charged as read through pointers.
uint64_t raw_read_bytes();

/// The kernel touches the page of global memory or of on-chip memory that
/// begins here.
void charge_global_page(const uint8_t* page);
void charge_local_page(LocalMemory& memory, size_t offset);

/// It stored there, `bytes` bytes in a row.
void charge_global_store(size_t bytes);

}  // namespace twin
