// Definitions of element.h. Part of twin/device.h.
#pragma once

#include <algorithm>

#include "twin/core/element.h"
#include "twin/core/instruction.h"
#include "twin/core/sync.h"
#include "twin/wire/calls.h"

namespace twin {

namespace {

/// Accesses an element takes: a scalar register holds eight bytes, so a structure is moved in parts.
double accesses(uint64_t bytes) {
    constexpr uint64_t kRegisterBytes = 8;
    return static_cast<double>((bytes + kRegisterBytes - 1) / kRegisterBytes);
}

double local_cost(uint64_t bytes) { return accesses(bytes) * processor().scalar_local_cycles; }

const uint8_t* line_of(const uint8_t* address) {
    return reinterpret_cast<const uint8_t*>(reinterpret_cast<uintptr_t>(address) / kScalarLineBytes *
                                            kScalarLineBytes);
}

/// Cycles of the accesses to an element of global memory: a miss fetches a cache line, further accesses to it
/// are cheap. `cached` is the line used last.
double global_cost(const uint8_t* element, uint64_t bytes, const uint8_t* cached) {
    const uint8_t* const first = line_of(element);
    const auto further = static_cast<size_t>(line_of(element + bytes - 1) - first) / kScalarLineBytes;
    const auto missed = static_cast<double>(further + (cached == first ? 0 : 1));
    return missed * processor().scalar_global_cycles +
           std::max(accesses(bytes) - missed, 0.0) * processor().scalar_cached_cycles;
}

double scalar_cost(const uint8_t* element, uint64_t bytes) {
    const uint8_t*& cached = core().gm.cached_line;
    const double cycles = global_cost(element, bytes, cached);
    cached = line_of(element + bytes - 1);
    return cycles;
}

}  // namespace

void read_local(const View& view, uint64_t offset, uint32_t bytes, const Site& site, void* result) {
    if (wire::kernel_end != nullptr)
        return wire::read_element(view.data + offset, result, bytes, false,
                                  wire::number_of<&wire::element_read>, view, offset, bytes, site);
    Instruction access(Pipe::S, "LocalTensor::GetValue", site);
    access.read(view, offset, bytes);
    access.issue(local_cost(bytes), 0);
    std::memcpy(result, view.data + offset, bytes);
}

void write_local(const View& view, uint64_t offset, uint32_t bytes, const Site& site, const void* value) {
    if (wire::kernel_end != nullptr)
        return wire::write_element(view.data + offset, bytes, wire::number_of<&wire::element_written>, view,
                                   offset, wire::Bytes(value, bytes), site);
    Instruction access(Pipe::S, "LocalTensor::SetValue", site);
    access.write(view, offset, bytes);
    access.issue(local_cost(bytes), 0);
    std::memcpy(view.data + offset, value, bytes);
}

void* refer_to_local(const View& view, uint64_t offset, uint32_t bytes, const Site& site) {
    if (wire::kernel_end != nullptr) return wire::kernel_end->refer_to(view, offset, bytes, site);
    Instruction access(Pipe::S, "LocalTensor::operator()", site);
    access.write(view, offset, bytes);
    access.issue(local_cost(bytes), 0);
    return lend_element(view.kind, view.data + offset, bytes);
}

void read_global(const void* element, uint32_t bytes, const Site& site, void* result) {
    const auto* address = static_cast<const uint8_t*>(element);
    if (wire::kernel_end != nullptr)
        return wire::read_element(address, result, bytes, true, wire::number_of<&wire::global_element_read>,
                                  address, bytes, site);
    Instruction access(Pipe::S, "GlobalTensor::GetValue", site);
    access.read_global(address, bytes);
    access.issue(scalar_cost(address, bytes), 0);
    note_poll(address);
    std::memcpy(result, kept(address), bytes);
}

void write_global(const void* element, uint32_t bytes, const Site& site, const void* value) {
    const auto* address = static_cast<const uint8_t*>(element);
    if (wire::kernel_end != nullptr)
        return wire::write_element(address, bytes, wire::number_of<&wire::global_element_written>, address,
                                   wire::Bytes(value, bytes), site);
    Instruction access(Pipe::S, "GlobalTensor::SetValue", site);
    access.write_global(address, bytes, value);
    write_cached(address, bytes, {"GlobalTensor::SetValue", site});
    access.issue(scalar_cost(address, bytes), 0);
    std::memcpy(const_cast<uint8_t*>(kept(address)), value, bytes);
}

void refer_to_global(const void* element, uint32_t bytes, const Site& site) {
    const auto* address = static_cast<const uint8_t*>(element);
    if (wire::kernel_end != nullptr)
        return wire::call(wire::number_of<&wire::global_element_referred>, address, bytes, site);
    Instruction access(Pipe::S, "GlobalTensor::operator()", site);
    access.read_global(address, bytes);
    access.issue(scalar_cost(address, bytes), 0);
    core().launch.gm.note_written(address, bytes);
}

}  // namespace twin
