// Who touched which bytes of global memory last: races between cores. Part of twin/device.h.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "twin/core/sync.h"

namespace twin {

/// One core's access to a range; ordered before another core's when that core knows the period it was made
/// in.
struct GmAccess {
    int slot = -1;
    uint32_t period = 0;
    bool atomic = false;
    CallSite where{};
    int other_slot = -1;  ///< reads: a second core that read the range before
    uint32_t other_period = 0;
    Pipe pipe = Pipe::S;  ///< of a launch with a schedule
    uint64_t sequence = 0;
    double time = 0;  ///< cycle before which it was not made

    bool same_as(const GmAccess& x) const {
        return slot == x.slot && period == x.period && atomic == x.atomic && other_slot == x.other_slot &&
               other_period == x.other_period && where.site.line == x.where.site.line &&
               where.call == x.where.call && pipe == x.pipe && sequence == x.sequence;
    }
};

/// Last accesses of one kind by byte range. Neighbours of one core and call are one entry, so that the map
/// stays as small as the kernel is regular.
class GmRanges {
public:
    /// Calls `seen(access, begin, end)` for every remembered access that overlaps.
    template <class Seen>
    void overlapping(size_t begin, size_t end, Seen seen) const {
        for (auto at = first(begin); at != ranges_.end() && at->first < end; ++at) {
            if (at->second.end > begin)
                seen(at->second.access, std::max(begin, at->first), std::min(end, at->second.end));
        }
    }

    void put(size_t begin, size_t end, const GmAccess& access) {
        if (ranges_.size() > kMost) return;
        erase(begin, end);
        auto next = ranges_.lower_bound(begin);
        if (next != ranges_.begin()) {
            const auto left = std::prev(next);
            if (left->second.end == begin && left->second.access.same_as(access)) {
                left->second.end = end;
                left->second.access.time = std::max(left->second.access.time, access.time);
                return;
            }
        }
        ranges_.emplace_hint(next, begin, Range{end, access});
    }

    /// What core `slot` did in `period` within the range counts as done in the period behind it.
    void postpone(size_t begin, size_t end, int slot, uint32_t period) {
        std::vector<std::pair<size_t, Range>> own;
        overlapping(begin, end, [&](const GmAccess& access, size_t from, size_t to) {
            if (access.slot == slot && access.period == period) own.push_back({from, {to, access}});
        });
        for (auto& [from, range] : own) {
            ++range.access.period;
            put(from, range.end, range.access);
        }
    }

    void erase(size_t begin, size_t end) {
        auto at = ranges_.lower_bound(begin);
        if (at != ranges_.begin()) {
            const auto left = std::prev(at);
            if (left->second.end > begin) {
                const Range old = left->second;
                left->second.end = begin;
                if (old.end > end) ranges_.emplace(end, old);
            }
        }
        while (at != ranges_.end() && at->first < end) {
            const Range old = at->second;
            at = ranges_.erase(at);
            if (old.end > end) {
                ranges_.emplace(end, old);
                return;
            }
        }
    }

private:
    struct Range {
        size_t end;
        GmAccess access;
    };
    static constexpr size_t kMost = 1u << 18;  // an irregular kernel is not followed any further

    std::map<size_t, Range>::const_iterator first(size_t begin) const {
        auto at = ranges_.upper_bound(begin);
        return at == ranges_.begin() ? at : std::prev(at);
    }

    std::map<size_t, Range> ranges_;  // by begin
};

/// Accesses to one region.
struct GmLog {
    GmRanges writes, reads;
    GmRanges polls;  ///< reads by the scalar unit that may be repeated until another core has written
};

namespace {

bool known_to(const Core& core, int slot, uint32_t period) {
    return slot < 0 || slot == core.slot || core.known[static_cast<size_t>(slot)] >= period;
}

std::string slot_name(const LaunchState& launch, int slot) {
    const Task& task = launch.task;
    const int cores = static_cast<int>(task.cores()), index = slot % cores;
    if (!task.mixed()) return format("core %d", slot);
    if (index < static_cast<int>(task.cubes)) return format("cube core %d", slot / cores);
    return format("vector core %d",
                  slot / cores * static_cast<int>(task.vectors) + index - static_cast<int>(task.cubes));
}

void report_gm_race(const Core& here, const GmRegion& region, const CallSite& now, const GmAccess& before,
                    int slot, size_t begin, const char* second, const char* first) {
    report(rules::cross_core_race, now.call, now.site,
           {format("%s %s byte %zu of '%s', which %s %s (%s, %s), and nothing orders the two: SyncAll or a "
                   "cross-core flag is missing",
                   core_name(here).c_str(), second, begin, region.name.c_str(),
                   slot_name(here.launch, slot).c_str(), first, before.where.call,
                   before.where.site.text().c_str()),
            region.name, ""});
}

GmAccess access_of(const Core& here, const GmUser& user, bool atomic) {
    GmAccess access{here.slot, here.known[static_cast<size_t>(here.slot)], atomic, user.where};
    access.time = std::max(here.now(), here.time[static_cast<size_t>(user.pipe)].free);
    if (here.late) access.pipe = user.pipe, access.sequence = user.sequence;
    return access;
}

/// Whether nothing keeps the read `before` from coming after what `user` writes now.
bool may_be_later(const Core& here, const GmUser& user, const GmAccess& before) {
    if (!here.late || here.gm.atomic != AtomicMode::none || before.slot < 0 || before.pipe == Pipe::S)
        return false;
    if (before.slot != here.slot) {
        return here.known.finished[static_cast<size_t>(before.slot)][static_cast<size_t>(before.pipe)] <
               before.sequence;
    }
    return user.pipe != Pipe::S && user.pipe != before.pipe &&
           !comes_after(here, user.pipe, before.pipe, before.sequence);
}

/// Whether nothing orders what a core does now after what another one did `before`, one of the two being its
/// scalar unit.
bool note_unordered(const GmAccess& before) {
    Core& here = core();
    if (known_to(here, before.slot, before.period) && known_to(here, before.other_slot, before.other_period))
        return false;
    here.launch.unordered = true;
    return true;
}

/// Remembers a read of the range, and of two cores that read it both.
void put_read(const Core& here, GmRanges& reads, size_t begin, size_t end, GmAccess mine) {
    reads.overlapping(begin, end, [&](const GmAccess& before, size_t, size_t) {
        if (before.slot == here.slot || known_to(here, before.slot, before.period)) return;
        mine.other_slot = before.slot, mine.other_period = before.period;
    });
    reads.put(begin, end, mine);
}

GmLog& log_of(const GmRegion& region) {
    if (!region.log) region.log = std::make_shared<GmLog>();
    return *region.log;
}

}  // namespace

/// A signal of this core tells nothing of what is not in `finished`: its pipes may be at it still.
void postpone_unfinished(Core& here, const Clock& finished) {
    if (here.launch.launch.fast || here.launch.cross.size() == 1) return;
    std::deque<GmTransfer>& open = here.gm.unsignalled;
    const Clock& issued_after = here.order[static_cast<size_t>(Pipe::S)];
    const auto is_finished = [&](const GmTransfer& transfer) {
        const auto pipe = static_cast<size_t>(AccessTag::pipe(transfer.tag));
        return AccessTag::sequence(transfer.tag) <= std::max(finished[pipe], issued_after[pipe]);
    };
    open.erase(std::remove_if(open.begin(), open.end(), is_finished), open.end());
    const uint32_t period = here.known[static_cast<size_t>(here.slot)];
    for (const GmTransfer& transfer : open) {
        const GmHit hit = here.launch.gm.find(transfer.begin, transfer.bytes);
        if (hit.region == nullptr || !hit.region->log) continue;
        const auto begin = static_cast<size_t>(transfer.begin - hit.region->begin);
        GmRanges& ranges = transfer.is_write ? hit.region->log->writes : hit.region->log->reads;
        ranges.postpone(begin, begin + transfer.bytes, here.slot, period);
    }
}

void log_gm_read(const GmRegion& region, const uint8_t* address, uint64_t bytes, const GmUser& user) {
    Core& here = core();
    if (!region.writable || (here.launch.cross.size() == 1 && !here.late)) return;
    const CallSite& now = user.where;
    GmLog& log = log_of(region);
    const auto begin = static_cast<size_t>(address - region.begin);
    const size_t end = begin + bytes;
    log.writes.overlapping(begin, end, [&](const GmAccess& before, size_t from, size_t) {
        if (known_to(here, before.slot, before.period)) return;
        report_gm_race(here, region, now, before, before.slot, from, "reads", "wrote");
    });
    put_read(here, log.reads, begin, end, access_of(here, user, false));
}

void log_gm_poll(const GmRegion& region, const uint8_t* address, uint64_t bytes) {
    Core& here = core();
    if (!region.writable || here.launch.cross.size() == 1) return;
    GmLog& log = log_of(region);
    const auto begin = static_cast<size_t>(address - region.begin);
    const size_t end = begin + bytes;
    log.writes.overlapping(begin, end, [&](const GmAccess& before, size_t, size_t) {
        if (!note_unordered(before)) return;
        // What is read was written before, whatever the order in which the cores are simulated.
        here.pause(before.time);
        PipeTime& scalar = here.pipe(Pipe::S);
        scalar.done = std::max(scalar.done, before.time);
    });
    put_read(here, log.polls, begin, end, access_of(here, {}, false));
}

void log_gm_store(const uint8_t* address, uint64_t bytes, const uint8_t* data) {
    Core& here = core();
    const GmHit hit = here.launch.gm.find(address, 1);
    if (here.launch.cross.size() == 1 || hit.region == nullptr) return;
    const auto offset = static_cast<size_t>(address - hit.region->begin);
    const auto changes = [&](size_t at) { return hit.region->kept[offset + at] != data[at]; };
    size_t first = 0, end = bytes;
    while (first < end && !changes(first)) ++first;
    while (first < end && !changes(end - 1)) --end;
    GmLog& log = log_of(*hit.region);
    log.polls.overlapping(offset + first, offset + end,
                          [&](const GmAccess& before, size_t, size_t) { note_unordered(before); });
    log.polls.erase(offset + first, offset + end);
    const GmUser user{{"a store through a pointer", after_last_call()}, Pipe::S, 0};
    if (first < end) log.writes.put(offset + first, offset + end, access_of(here, user, false));
}

void log_gm_write(const GmRegion& region, const uint8_t* address, uint64_t bytes, const GmUser& user,
                  const uint8_t* data) {
    Core& here = core();
    const CallSite& now = user.where;
    const auto begin = static_cast<size_t>(address - region.begin);
    if (here.trace) here.trace->wrote(region.name.c_str(), begin, bytes, now.site);
    if (here.launch.cross.size() == 1 && !here.late) return;
    GmLog& log = log_of(region);
    const size_t end = begin + bytes;
    const bool atomic = here.gm.atomic != AtomicMode::none && data == nullptr;
    // Several cores may write the same bytes as long as all write the same: a tail computed twice.
    const auto unchanged = [&](size_t from, size_t to) {
        return data != nullptr && std::memcmp(region.kept + from, data + (from - begin), to - from) == 0;
    };
    log.writes.overlapping(begin, end, [&](const GmAccess& before, size_t from, size_t to) {
        if (known_to(here, before.slot, before.period) || (atomic && before.atomic) || unchanged(from, to))
            return;
        report_gm_race(here, region, now, before, before.slot, from, "writes", "wrote");
    });
    log.reads.overlapping(begin, end, [&](const GmAccess& before, size_t from, size_t to) {
        if (unchanged(from, to)) return;
        if (may_be_later(here, user, before)) {
            const auto kept = reinterpret_cast<uintptr_t>(region.kept + from);
            const InstructionNumber reader{before.slot, static_cast<int>(before.pipe), before.sequence};
            here.late->overwrites(reader, MemoryKind::GM, kept, to - from);
        }
        if (!known_to(here, before.slot, before.period)) {
            report_gm_race(here, region, now, before, before.slot, from, "writes", "read");
        } else if (!known_to(here, before.other_slot, before.other_period)) {
            report_gm_race(here, region, now, before, before.other_slot, from, "writes", "read");
        }
    });
    log.polls.overlapping(begin, end, [&](const GmAccess& before, size_t from, size_t to) {
        if (!unchanged(from, to)) note_unordered(before);
    });
    const uint32_t period = here.known[static_cast<size_t>(here.slot)];
    bool after_plain =
        false;  // an addition right behind this core's own plain write does not hide that write
    log.writes.overlapping(begin, end, [&](const GmAccess& before, size_t, size_t) {
        after_plain = after_plain || (before.slot == here.slot && before.period == period && !before.atomic);
    });
    log.reads.erase(begin, end);
    log.polls.erase(begin, end);
    log.writes.put(begin, end, access_of(here, user, atomic && !after_plain));
}

}  // namespace twin
