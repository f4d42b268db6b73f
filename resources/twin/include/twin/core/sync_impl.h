// Definitions of sync.h. Part of twin/device.h.
#pragma once

#include "twin/core/scheduler_impl.h"
#include "twin/core/sync.h"

namespace twin {

namespace {

void require_event_id(int id, const char* call, const Site& site) {
    if (id >= 0 && id < kEventIds) return;
    report(
        rules::event_id, call, site,
        {format("event id %d is outside 0..%d", id, kEventIds - 1), "", format("%d event ids", kEventIds)});
}

std::string pair_text(Pipe from, Pipe to, int id) {
    return format("%s -> %s, event id %d", pipe_name(from), pipe_name(to), id);
}

void charge_scalar(Core& core, double cycles) {
    PipeTime& scalar = core.pipe(Pipe::S);
    scalar.done += cycles;
    scalar.free = scalar.done;
    scalar.busy += cycles;
}

/// Time at which everything the core was given is finished.
double all_done(const Core& core) {
    double latest = 0;
    for (const PipeTime& pipe : core.time) latest = std::max(latest, std::max(pipe.done, pipe.free));
    return latest;
}

void start_all_at(Core& core, double time) {
    for (PipeTime& pipe : core.time) {
        pipe.ready = std::max(pipe.ready, time);
        pipe.free = std::max(pipe.free, time);
        pipe.done = std::max(pipe.done, time);
    }
}

void meet(CoreBarrier& barrier, uint32_t members, const Wait& described) {
    Core& here = core();
    barrier_all_pipes(here);
    barrier.latest = std::max(barrier.latest, all_done(here));
    const uint64_t generation = barrier.generation;
    if (++barrier.arrived == members) {
        barrier.release = barrier.latest + kSyncAllCycles;
        barrier.arrived = 0;
        barrier.latest = 0;
        ++barrier.generation;
    }
    Wait wait = described;
    wait.ready = [&barrier, generation] { return barrier.generation != generation; };
    wait_until(wait);
    start_all_at(here, barrier.release);
}

/// Blocks that already returned, for the message of a barrier nobody will complete.
std::string returned_blocks(const Core& core) {
    std::string names;
    int listed = 0, total = 0;
    for (int block = 0; block < core.launch.scheduler->blocks(); ++block) {
        if (!core.launch.scheduler->finished(block)) continue;
        ++total;
        if (++listed <= 4) names += (names.empty() ? "" : ", ") + std::to_string(block);
    }
    if (total == 0) return "the other cores";
    return format("core%s %s%s, which already returned", total > 1 ? "s" : "", names.c_str(),
                  total > 4 ? ", ..." : "");
}

}  // namespace

void raise_flag(Pipe from, Pipe to, int id, const char* call, const Site& site) {
    enter(call, site);
    require_event_id(id, call, site);
    Core& here = core();
    charge_scalar(here, kFlagCycles);
    Flag& flag = here.flags[static_cast<int>(from)][static_cast<int>(to)][static_cast<size_t>(id)];
    if (flag.count > 0) {
        report(rules::flag_repeated, call, site,
               {"flag " + pair_text(from, to, id) +
                    format(" is raised again before it was waited for (raised at line %d)", flag.site.line),
                "", ""});
    }
    ++flag.count;
    flag.event = event_of(here, from);
    flag.site = site;
}

void await_flag(Pipe from, Pipe to, int id, const char* call, const Site& site) {
    enter(call, site);
    require_event_id(id, call, site);
    Core& here = core();
    charge_scalar(here, kFlagCycles);
    Flag& flag = here.flags[static_cast<int>(from)][static_cast<int>(to)][static_cast<size_t>(id)];
    if (flag.count == 0) {
        report(rules::deadlock, call, site,
               {format("core %d waits for flag %s, which no SetFlag raises before it: the core would hang",
                       here.block, pair_text(from, to, id).c_str()),
                "", ""});
    }
    --flag.count;
    await_event(here, to, flag.event);
}

void pipe_barrier_of(Pipe pipe, const char* call, const Site& site) {
    enter(call, site);
    Core& here = core();
    PipeTime& unit = here.pipe(pipe);
    charge_scalar(here, kFlagCycles);
    unit.ready = std::max(unit.ready, unit.done);
}

void barrier_all_pipes(Core& core) {
    Clock everything{};
    double latest = 0;
    for (int pipe = 0; pipe < kPipes; ++pipe) {
        everything[pipe] = core.issued[pipe];
        latest = std::max(latest, std::max(core.time[pipe].done, core.time[pipe].free));
    }
    for (int pipe = 0; pipe < kPipes; ++pipe) {
        core.order[pipe] = everything;
        core.time[pipe].ready = std::max(core.time[pipe].ready, latest);
    }
    core.pipe(Pipe::S).done = std::max(core.pipe(Pipe::S).done, latest);
    charge_scalar(core, kFlagCycles);
}

void sync_all(const char* call, const Site& site) {
    enter(call, site);
    Core& here = core();
    const auto blocks = static_cast<uint32_t>(here.launch.scheduler->blocks());
    if (blocks > here.launch.soc->vector_cores) {
        report(
            rules::block_dim, call, site,
            {format(
                 "%u blocks on %u vector cores: blocks beyond the cores start only when others end, so this "
                 "barrier never completes",
                 blocks, here.launch.soc->vector_cores),
             "", format("%u vector cores of %s", here.launch.soc->vector_cores, here.launch.soc->name)});
    }
    Wait wait;
    wait.call = call;
    wait.site = site;
    wait.what = [&here] { return format("core %d waits for ", here.block) + returned_blocks(here); };
    meet(here.launch.barrier, blocks, wait);
}

void sync_group(uint64_t key, uint32_t members, const char* call, const Site& site) {
    enter(call, site);
    Core& here = core();
    Wait wait;
    wait.call = call;
    wait.site = site;
    wait.what = [&here, members] {
        return format("core %d waits for a barrier of %u cores: ", here.block, members) +
               returned_blocks(here);
    };
    meet(here.launch.group_barriers[key], members, wait);
}

void raise_cross_flag(uint64_t key, Pipe pipe, const char* call, const Site& site) {
    enter(call, site);
    Core& here = core();
    charge_scalar(here, kFlagCycles);
    here.launch.cross_flags[key].push_back(event_of(here, pipe));
}

void await_cross_flag(uint64_t key, Pipe pipe, const char* call, const Site& site) {
    Core& here = core();
    charge_scalar(here, kFlagCycles);
    std::deque<Event>& raised = here.launch.cross_flags[key];
    Wait wait;
    wait.call = call;
    wait.site = site;
    wait.ready = [&raised] { return !raised.empty(); };
    wait.what = [&here, call] {
        return format("core %d waits in %s for a flag nobody raises", here.block, call);
    };
    wait_until(wait);
    PipeTime& unit = here.pipe(pipe);
    unit.ready = std::max(unit.ready, raised.front().time);
    if (pipe == Pipe::S) unit.done = std::max(unit.done, raised.front().time);
    raised.pop_front();
}

void note_poll(const uint8_t* address) {
    constexpr uint32_t kPollsBeforeYield = 64;
    Core& here = core();
    if (here.polled != address) {
        here.polled = address;
        here.polls = 0;
        return;
    }
    if (++here.polls < kPollsBeforeYield) return;
    here.polls = 0;
    yield_core();
}

}  // namespace twin
