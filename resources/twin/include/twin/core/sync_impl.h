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

/// Time at which everything the core was given is finished.
double all_done(const Core& core) {
    double latest = 0;
    for (const PipeTime& pipe : core.time) latest = std::max(latest, std::max(pipe.done, pipe.free));
    return latest;
}

/// `after` is a record of core `from`, see Core::pause().
void start_all_at(Core& core, double time, uint32_t after = 0, int from = -1) {
    core.pause(time, after, from);
    for (PipeTime& pipe : core.time) {
        pipe.ready = std::max(pipe.ready, time);
        pipe.free = std::max(pipe.free, time);
        pipe.done = std::max(pipe.done, time);
    }
}

void join_knowledge(Knowledge& target, const Knowledge& source) {
    if (target.periods.size() < source.periods.size()) target.periods.resize(source.periods.size(), 0);
    for (size_t slot = 0; slot < source.periods.size(); ++slot)
        target[slot] = std::max(target[slot], source[slot]);
    if (target.finished.size() < source.finished.size()) target.finished.resize(source.finished.size());
    for (size_t slot = 0; slot < source.finished.size(); ++slot)
        join(target.finished[slot], source.finished[slot]);
}

void meet(CoreBarrier& barrier, uint32_t members, const Wait& described) {
    Core& here = core();
    barrier_all_pipes(here);
    const CoreSignal mine = signal_of(here, all_done(here), issued_by(here));
    if (mine.time >= barrier.latest) barrier.latest_slot = mine.slot, barrier.latest_record = mine.record;
    barrier.latest = std::max(barrier.latest, mine.time);
    join_knowledge(barrier.arriving, mine.known);
    const uint64_t generation = barrier.generation;
    if (++barrier.arrived == members) {
        barrier.release = barrier.latest + kSyncAllCycles;
        barrier.release_slot = barrier.latest_slot, barrier.release_record = barrier.latest_record;
        barrier.released = std::move(barrier.arriving);
        barrier.arriving = {};
        barrier.arrived = 0;
        barrier.latest = 0;
        ++barrier.generation;
    }
    Wait wait = described;
    wait.ready = [&barrier, generation] { return barrier.generation != generation; };
    wait_until(wait);
    join_knowledge(here.known, barrier.released);
    start_all_at(here, barrier.release, barrier.release_record, barrier.release_slot);
}

/// Slots of the cores that one signal of `from` concerns together with it, by mode of CrossCoreSetFlag.
std::vector<int> cross_partners(const Core& from, CoreType type, bool whole_launch) {
    const Task& task = from.launch.task;
    const int cores = static_cast<int>(task.cores()), cubes = static_cast<int>(task.cubes);
    std::vector<int> slots;
    for (int slot = 0; slot < from.launch.scheduler->blocks(); ++slot) {
        const bool cube = slot % cores < cubes;
        const bool near = whole_launch || slot / cores == from.group;
        if (near && cube == (type == CoreType::cube)) slots.push_back(slot);
    }
    return slots;
}

/// Cores that already returned, for the message of a barrier nobody will complete.
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
    TWIN_FORWARD(raise_flag, from, to, id, call, site)
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
    TWIN_FORWARD(await_flag, from, to, id, call, site)
    enter(call, site);
    require_event_id(id, call, site);
    Core& here = core();
    charge_scalar(here, kFlagCycles);
    Flag& flag = here.flags[static_cast<int>(from)][static_cast<int>(to)][static_cast<size_t>(id)];
    if (flag.count == 0) {
        report(rules::deadlock, call, site,
               {format("%s waits for flag %s, which no SetFlag raises before it: the core would hang",
                       core_name(here).c_str(), pair_text(from, to, id).c_str()),
                "", ""});
    }
    --flag.count;
    await_event(here, to, flag.event);
}

void pipe_barrier_of(Pipe pipe, const char* call, const Site& site) {
    TWIN_FORWARD(pipe_barrier_of, pipe, call, site)
    enter(call, site);
    Core& here = core();
    PipeTime& unit = here.pipe(pipe);
    charge_scalar(here, kFlagCycles);
    if (here.late) here.late->settle(pipe);
    unit.ready = std::max(unit.ready, unit.done);
    here.order[static_cast<size_t>(pipe)][static_cast<size_t>(pipe)] = here.issued[static_cast<size_t>(pipe)];
}

void barrier_all_pipes(Core& core) {
    if (wire::kernel_end != nullptr) {
        if (wire::kernel_end->depth == 0) wire::call(wire::number_of<&wire::barrier_of_core>);
        return;
    }
    const Clock everything = issued_by(core);
    double latest = 0;
    Pipe slowest = Pipe::S;
    for (int pipe = 0; pipe < kPipes; ++pipe) {
        const double end = std::max(core.time[pipe].done, core.time[pipe].free);
        if (end > latest) slowest = static_cast<Pipe>(pipe);
        latest = std::max(latest, end);
    }
    if (core.late) core.late->settle(everything);
    if (core.trace) core.pause(latest, core.trace->last(slowest));
    for (int pipe = 0; pipe < kPipes; ++pipe) {
        core.order[pipe] = everything;
        core.time[pipe].ready = std::max(core.time[pipe].ready, latest);
    }
    core.pipe(Pipe::S).done = std::max(core.pipe(Pipe::S).done, latest);
    charge_scalar(core, kFlagCycles);
}

std::string core_name(const Core& core) {
    if (!core.launch.task.mixed()) return format("core %d", core.block);
    return format("%s core %d", core.type == CoreType::cube ? "cube" : "vector", core.block);
}

CoreSignal signal_of(Core& core, double time, const Clock& finished) {
    core.launch.used_signals = true;
    postpone_unfinished(core, finished);
    if (core.late) {
        Clock& own = core.known.finished[static_cast<size_t>(core.slot)];
        join(own, core.order[static_cast<int>(Pipe::S)]);
        join(own, finished);
    }
    CoreSignal signal{time, core.known, core.slot, core.trace ? core.trace->last(Pipe::S) : 0};
    ++core.known[static_cast<size_t>(core.slot)];
    return signal;
}

void take_signal(Core& core, const CoreSignal& signal) {
    join_knowledge(core.known, signal.known);
    start_all_at(core, signal.time, signal.record, signal.slot);
}

void sync_all(bool vector_only, const char* call, const Site& site) {
    TWIN_FORWARD(sync_all, vector_only, call, site)
    enter(call, site);
    Core& here = core();
    const LaunchState& launch = here.launch;
    const bool everybody = !vector_only || !launch.task.mixed();
    if (!everybody && here.type == CoreType::cube) return;  // not its barrier
    const uint32_t groups = launch.launch.block_dim;
    const uint32_t most = launch.task.cubes > 0 ? launch.soc.cube_cores : launch.soc.vector_cores;
    if (groups > most) {
        const char* kind = launch.task.cubes > 0 ? "cube" : "vector";
        report(
            rules::block_dim, call, site,
            {format("%u blocks on %u %s cores: blocks beyond the cores start only when others end, so this "
                    "barrier never completes",
                    groups, most, kind),
             "", format("%u %s cores of %s", most, kind, launch.soc.name)});
    }
    Wait wait;
    wait.call = call;
    wait.site = site;
    wait.what = [&here] { return core_name(here) + " waits for " + returned_blocks(here); };
    CoreBarrier& barrier = everybody ? here.launch.barrier : here.launch.vector_barrier;
    meet(barrier, groups * (everybody ? launch.task.cores() : launch.task.vectors), wait);
}

void sync_group(const uint8_t* place, uint32_t members, const char* call, const Site& site) {
    TWIN_FORWARD(sync_group, place, members, call, site)
    enter(call, site);
    Core& here = core();
    Wait wait;
    wait.call = call;
    wait.site = site;
    wait.what = [&here, members] {
        return format("%s waits for a barrier of %u cores: ", core_name(here).c_str(), members) +
               returned_blocks(here);
    };
    meet(here.launch.group_barriers[place], members, wait);
}

void require_cleared(const uint8_t* flag, const char* call, const Site& site) {
    TWIN_FORWARD(require_cleared, flag, call, site)
    enter(call, site);
    Core& here = core();
    if (!here.launch.used_flags.insert(flag).second) return;
    const GmHit hit = here.launch.gm.find(flag, kBlockBytes);
    uint32_t word = 1;
    if (hit.region != nullptr) std::memcpy(&word, kept(flag), sizeof word);
    if (word == 0) return;
    const std::string place =
        hit.region == nullptr
            ? std::string("a flag of the workspace lies outside of it")
            : format("the flag at byte %zu of '%s' is not 0 before it is first used",
                     static_cast<size_t>(flag - hit.region->begin), hit.region->name.c_str());
    report_as(rules::cross_flag, Severity::hazard, call, site,
              {place + ": the workspace of a barrier has a flag for each core, which has to be 0", "", ""});
}

void raise_memory_flag(const uint8_t* place, uint64_t number, const char* call, const Site& site) {
    TWIN_FORWARD(raise_memory_flag, place, number, call, site)
    enter(call, site);
    Core& here = core();
    charge_scalar(here, kFlagCycles);
    if (here.late) here.late->settle_all();
    // A store, and the polls that see it: what SyncAll is made of.
    const double seen = all_done(here) + kSyncAllCycles;
    here.launch.memory_flags[{place, number}].push_back(signal_of(here, seen, issued_by(here)));
}

void await_memory_flag(const uint8_t* place, uint64_t number, const char* call, const Site& site) {
    TWIN_FORWARD(await_memory_flag, place, number, call, site)
    Core& here = core();
    charge_scalar(here, kFlagCycles);
    std::list<CoreSignal>& raised = here.launch.memory_flags[{place, number}];
    Wait wait;
    wait.call = call;
    wait.site = site;
    wait.ready = [&raised] { return !raised.empty(); };
    wait.what = [&here, call] {
        return format("%s waits in %s for a flag nobody raises", core_name(here).c_str(), call);
    };
    wait_until(wait);
    take_signal(here, raised.front());
    raised.pop_front();
}

void note_poll(const uint8_t* address) {
    constexpr uint32_t kPollsBeforeYield = 64;
    Core& here = core();
    Poll& poll = here.gm.polls[(reinterpret_cast<uintptr_t>(address) / kBlockBytes) % here.gm.polls.size()];
    if (poll.address != address) {
        poll = {address, 0};
        return;
    }
    if (++poll.reads < kPollsBeforeYield) return;
    poll.reads = 0;
    yield_core();
}

}  // namespace twin
