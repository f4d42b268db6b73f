// Accesses of the scalar unit to one element of a tensor.
#pragma once

#include "twin/core/core.h"

namespace twin {

constexpr uint32_t kMostElementBytes =
    4096;  ///< of what one access takes; elements are numbers or structures

/// GetValue and SetValue of on-chip memory: `bytes` bytes at `view` + `offset`.
void read_local(const View& view, uint64_t offset, uint32_t bytes, const Site& site, void* result);
void write_local(const View& view, uint64_t offset, uint32_t bytes, const Site& site, const void* value);
/// A reference to them: where the kernel finds them.
void* refer_to_local(const View& view, uint64_t offset, uint32_t bytes, const Site& site);

/// The same in global memory; what is referred to lies at its address.
void read_global(const void* element, uint32_t bytes, const Site& site, void* result);
void write_global(const void* element, uint32_t bytes, const Site& site, const void* value);
void refer_to_global(const void* element, uint32_t bytes, const Site& site);

}  // namespace twin
