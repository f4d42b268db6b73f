// Guards of memory that a kernel reads through pointers. Part of twin/device.h.
#pragma once

#include <unistd.h>

#include "twin/core/core.h"
#include "twin/core/raw_reads.h"

namespace twin {

namespace {

/// Addresses of one tensor as the kernel knows them.
struct KernelRange {
    uint8_t* begin = nullptr;
    size_t bytes = 0;             ///< of the tensor
    bool changes = false;         ///< instructions write there: each touch is a read of its own
    std::vector<bool> is_open{};  ///< pages that the core which runs was charged with
};

struct OpenPage {
    KernelRange* range = nullptr;
    size_t page = 0;
};

/// All guarded memory of a launch.
struct RawReads {
    size_t page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    std::vector<KernelRange> ranges{};
    std::vector<OpenPage> open{};
    uint64_t bytes = 0;

    static RawReads& of_launch() {
        static RawReads all;
        return all;
    }
};

/// What the scalar unit takes to read `bytes` consecutive bytes of global memory by words.
double global_read_cycles(size_t bytes) {
    const auto lines = static_cast<double>((bytes + kScalarLineBytes - 1) / kScalarLineBytes);
    const auto words = static_cast<double>((bytes + 3) / 4);
    return lines * processor().scalar_global_cycles +
           std::max(words - lines, 0.0) * processor().scalar_cached_cycles;
}

void charge_read(size_t bytes, double cycles) {
    RawReads::of_launch().bytes += bytes;
    raw_read_cycles = raw_read_cycles + cycles;
}

void charge_page(KernelRange& range, size_t page) {
    RawReads& all = RawReads::of_launch();
    const size_t first = page * all.page_bytes, end = std::min(range.bytes, first + all.page_bytes);
    if (end > first) charge_read(end - first, global_read_cycles(end - first));
    if (range.is_open[page]) return;
    all.open.push_back({&range, page});
    range.is_open[page] = true;
}

/// The range that holds an address, or nullptr.
KernelRange* range_of(const uint8_t* at) {
    RawReads& all = RawReads::of_launch();
    for (KernelRange& range : all.ranges) {
        if (at >= range.begin && at < range.begin + range.is_open.size() * all.page_bytes) return &range;
    }
    return nullptr;
}

void charge_local(size_t bytes) {
    const bool of_kernel = calls_open.load(std::memory_order_relaxed) == 0;
    if (of_kernel)
        charge_read(bytes, static_cast<double>(bytes / 4) * current_core->launch.soc.scalar_local_cycles);
}

}  // namespace

void guard_global(const Launch& launch) {
    RawReads& all = RawReads::of_launch();
    all.ranges.clear();
    all.open.clear();
    all.bytes = 0;
    raw_read_cycles = 0;
    const auto add = [&](uint8_t* begin, const uint8_t* kept, size_t bytes, bool changes) {
        if (begin == nullptr || kept == nullptr || begin == kept) return;
        const size_t count = (padded_bytes(bytes) + all.page_bytes - 1) / all.page_bytes;
        all.ranges.push_back({begin, bytes, changes, std::vector<bool>(count)});
    };
    for (const GmArgument& argument : launch.arguments)
        add(argument.data, argument.kept, argument.bytes, !argument.is_input);
    add(launch.workspace, launch.workspace_kept, launch.workspace_bytes, true);
}

void close_global_pages() {
    RawReads& all = RawReads::of_launch();
    for (const OpenPage& one : all.open) one.range->is_open[one.page] = false;
    all.open.clear();
}

uint64_t raw_read_bytes() { return RawReads::of_launch().bytes; }

void close_local_pages() {
    local_pages_open = false;
    if (current_core == nullptr) return;
    for (LocalMemory& memory : current_core->memories) memory.close_pages();
}

void charge_global_page(const uint8_t* page) {
    KernelRange* const range = range_of(page);
    if (range == nullptr) return;  // what is small is not watched
    const auto number = static_cast<size_t>(page - range->begin) / RawReads::of_launch().page_bytes;
    if (range->changes || !range->is_open[number]) charge_page(*range, number);
}

void charge_global_store(size_t bytes) { raw_read_cycles = raw_read_cycles + global_read_cycles(bytes); }

void charge_local_page(LocalMemory& memory, size_t offset) {
    const size_t opened = memory.note_page(offset);
    if (opened == 0) return;
    local_pages_open = true;
    charge_local(opened);
}

}  // namespace twin
