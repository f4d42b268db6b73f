// What scalar units wrote to global memory and still have in their data caches. Part of twin/device.h.
//
// SetValue writes into a line of 64 bytes of the core's own cache ([guide], SetValue): until
// DataCacheCleanAndInvalid nobody else sees it, and two cores that write into one line overwrite each other,
// wherever in the line they write.
#pragma once

#include "twin/core/instruction.h"
#include "twin/wire/calls.h"

namespace twin {

namespace {

/// Calls `visit(line)` for the number of every line of the range.
template <class Visit>
void visit_lines(const uint8_t* address, uint64_t bytes, Visit visit) {
    const uint64_t first = reinterpret_cast<uintptr_t>(address) / kScalarLineBytes;
    const uint64_t last = (reinterpret_cast<uintptr_t>(address) + bytes - 1) / kScalarLineBytes;
    for (uint64_t line = first; line <= last; ++line) visit(line);
}

std::string of_cache(const Core& here, const GmRegion& region, const uint8_t* address,
                     const CachedLine& line) {
    return format("byte %zu of '%s', in a line of 64 bytes that %s has written by %s (%s)",
                  static_cast<size_t>(address - region.begin), region.name.c_str(),
                  slot_name(here.launch, line.slot).c_str(), line.where.call, line.where.site.text().c_str());
}

}  // namespace

void write_cached(const void* element, uint64_t bytes, const CallSite& now) {
    Core& here = core();
    const auto* address = static_cast<const uint8_t*>(element);
    const GmHit hit = here.launch.gm.find(address, bytes);
    if (here.launch.cross.size() == 1 || here.launch.launch.fast || hit.region == nullptr) return;
    const GmRegion& region = *hit.region;
    visit_lines(address, bytes, [&](uint64_t number) {
        const CachedLine mine{here.slot, now};
        const auto [found, is_new] = here.launch.cached_lines.emplace(number, mine);
        if (is_new || found->second.slot == here.slot) return;
        report(rules::data_cache, now.call, now.site,
               {format("%s writes %s: the line of one core overwrites that of the other; let cores be 64 "
                       "bytes apart, or "
                       "copy with DataCopyPad",
                       core_name(here).c_str(), of_cache(here, region, address, found->second).c_str()),
                region.name, ""});
        found->second = mine;
    });
}

void read_uncached(const GmRegion& region, const uint8_t* address, uint64_t bytes, const CallSite& now,
                   Pipe pipe) {
    Core& here = core();
    if (here.launch.cached_lines.empty()) return;
    visit_lines(address, bytes, [&](uint64_t number) {
        const auto found = here.launch.cached_lines.find(number);
        if (found == here.launch.cached_lines.end()) return;
        // The scalar unit alone reads through the cache of its core.
        if (found->second.slot == here.slot && pipe == Pipe::S) return;
        report(rules::data_cache, now.call, now.site,
               {format("%s reads %s and not written back: DataCacheCleanAndInvalid is missing",
                       core_name(here).c_str(), of_cache(here, region, address, found->second).c_str()),
                region.name, ""});
    });
}

void clean_cache(const uint8_t* address, bool whole) {
    TWIN_FORWARD(clean_cache, address, whole)
    Core& here = core();
    here.gm.cached_line = nullptr;
    auto& lines = here.launch.cached_lines;
    const auto at = lines.find(reinterpret_cast<uintptr_t>(address) / kScalarLineBytes);
    if (!whole && at != lines.end() && at->second.slot == here.slot) lines.erase(at);
    for (auto line = lines.begin(); whole && line != lines.end();) {
        line = line->second.slot == here.slot ? lines.erase(line) : std::next(line);
    }
}

}  // namespace twin
