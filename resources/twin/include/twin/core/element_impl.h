// Definitions of element.h. Part of twin/device.h.
#pragma once

#include "twin/core/element.h"
#include "twin/core/instruction.h"
#include "twin/core/sync.h"
#include "twin/wire/calls.h"

namespace twin {

namespace {

/// Cycles of one scalar access: a miss fetches a cache line, further accesses to it are cheap.
double scalar_cost(const uint8_t* element) {
    const auto line = reinterpret_cast<uintptr_t>(element) / kScalarLineBytes * kScalarLineBytes;
    const auto* address = reinterpret_cast<const uint8_t*>(line);
    Core& here = core();
    const bool hit = here.gm.cached_line == address;
    here.gm.cached_line = address;
    return hit ? processor().scalar_cached_cycles : processor().scalar_global_cycles;
}

}  // namespace

void read_local(const View& view, uint64_t offset, uint32_t bytes, const Site& site, void* result) {
    if (wire::kernel_end != nullptr)
        return wire::ask_bytes(result, bytes, wire::number_of<&wire::element_read>, view, offset, bytes,
                               site);
    Instruction access(Pipe::S, "LocalTensor::GetValue", site);
    access.read(view, offset, bytes);
    access.issue(processor().scalar_local_cycles, 0);
    std::memcpy(result, view.data + offset, bytes);
}

void write_local(const View& view, uint64_t offset, uint32_t bytes, const Site& site, const void* value) {
    if (wire::kernel_end != nullptr)
        return wire::call(wire::number_of<&wire::element_written>, view, offset, wire::Bytes(value, bytes),
                          site);
    Instruction access(Pipe::S, "LocalTensor::SetValue", site);
    access.write(view, offset, bytes);
    access.issue(processor().scalar_local_cycles, 0);
    std::memcpy(view.data + offset, value, bytes);
}

void* refer_to_local(const View& view, uint64_t offset, uint32_t bytes, const Site& site) {
    if (wire::kernel_end != nullptr) return wire::kernel_end->refer_to(view, offset, bytes, site);
    Instruction access(Pipe::S, "LocalTensor::operator()", site);
    access.write(view, offset, bytes);
    access.issue(processor().scalar_local_cycles, 0);
    return lend_element(view.kind, view.data + offset, bytes);
}

void read_global(const void* element, uint32_t bytes, const Site& site, void* result) {
    const auto* address = static_cast<const uint8_t*>(element);
    if (wire::kernel_end != nullptr)
        return wire::ask_bytes(result, bytes, wire::number_of<&wire::global_element_read>, address, bytes,
                               site);
    Instruction access(Pipe::S, "GlobalTensor::GetValue", site);
    access.read_global(address, bytes);
    access.issue(scalar_cost(address), 0);
    note_poll(address);
    std::memcpy(result, kept(address), bytes);
}

void write_global(const void* element, uint32_t bytes, const Site& site, const void* value) {
    const auto* address = static_cast<const uint8_t*>(element);
    if (wire::kernel_end != nullptr)
        return wire::call(wire::number_of<&wire::global_element_written>, address, wire::Bytes(value, bytes),
                          site);
    Instruction access(Pipe::S, "GlobalTensor::SetValue", site);
    access.write_global(address, bytes, value);
    write_cached(address, bytes, {"GlobalTensor::SetValue", site});
    access.issue(scalar_cost(address), 0);
    std::memcpy(const_cast<uint8_t*>(kept(address)), value, bytes);
}

void refer_to_global(const void* element, uint32_t bytes, const Site& site) {
    const auto* address = static_cast<const uint8_t*>(element);
    if (wire::kernel_end != nullptr)
        return wire::call(wire::number_of<&wire::global_element_referred>, address, bytes, site);
    Instruction access(Pipe::S, "GlobalTensor::operator()", site);
    access.read_global(address, bytes);
    access.issue(scalar_cost(address), 0);
    core().launch.gm.note_written(address, bytes);
}

}  // namespace twin
