// CrossCoreSetFlag and CrossCoreWaitFlag as counters, and the kernel type. Part of twin/device.h.
#pragma once

#include "twin/core/sync_impl.h"

namespace twin {

namespace {

constexpr size_t kMostPending = 15;  // [guide] a flag counts 0..15

void deliver(LaunchState& launch, int slot, uint16_t flag, const CoreSignal& signal, const char* call,
             const Site& site) {
    std::list<CoreSignal>& ready = launch.cross[static_cast<size_t>(slot)].ready[flag];
    ready.push_back(signal);
    if (ready.size() <= kMostPending) return;
    report(rules::cross_flag, call, site,
           {format("flag %d is set %zu times before anybody waits for it", flag, ready.size()), "",
            format("a flag counts to %zu", kMostPending)});
}

/// Lets the other cores run when one of `receivers` has its flag full: on the device they run all the time,
/// here they have waited for this one to pass on.
void make_room(LaunchState& launch, const std::vector<int>& receivers, uint16_t flag) {
    const auto full = [&](int slot) {
        return launch.cross[static_cast<size_t>(slot)].ready[flag].size() >= kMostPending;
    };
    if (std::any_of(receivers.begin(), receivers.end(), full)) yield_core();
}

/// When all of `senders` have given the flag, takes one signal of each and gives the result to `receivers`.
void collect(LaunchState& launch, const std::vector<int>& senders, const std::vector<int>& receivers,
             uint8_t mode, uint16_t flag, const char* call, const Site& site) {
    for (const int slot : senders) {
        if (launch.cross[static_cast<size_t>(slot)].given[flag][mode].empty()) return;
    }
    CoreSignal all;
    for (const int slot : senders) {
        auto& given = launch.cross[static_cast<size_t>(slot)].given[flag][mode];
        if (given.front().time >= all.time) all.slot = given.front().slot, all.record = given.front().record;
        all.time = std::max(all.time, given.front().time);
        join_knowledge(all.known, given.front().known);
        given.pop_front();
    }
    // All cores meet, which is what SyncAll is made of.
    all.time += mode == 0 ? kSyncAllCycles : kCrossFlagCycles;
    for (const int slot : receivers) deliver(launch, slot, flag, all, call, site);
}

std::string cross_wait_text(const Core& here, uint16_t flag) {
    const LaunchState& launch = here.launch;
    std::string missing;
    for (int mode = 0; mode < 3; ++mode) {
        for (size_t slot = 0; slot < launch.cross.size(); ++slot) {
            if (launch.cross[slot].given[flag][static_cast<size_t>(mode)].empty()) continue;
            missing = format("; mode %d: some cores have set it, others that must set it too have not", mode);
        }
    }
    return format("%s waits in CrossCoreWaitFlag for flag %d, which nobody sets", core_name(here).c_str(),
                  flag) +
           missing;
}

}  // namespace

void cross_core_set(uint8_t mode, pipe_t pipe, uint16_t flag, const char* call, const Site& site) {
    TWIN_FORWARD(cross_core_set, mode, pipe, flag, call, site)
    enter(call, site);
    Core& here = core();
    LaunchState& launch = here.launch;
    if (pipe == PIPE_S || pipe == PIPE_ALL) {
        report(rules::cross_flag, call, site, {"PIPE_S and PIPE_ALL cannot set a cross-core flag", "", ""});
    }
    if (flag >= kCrossFlags) {
        report(rules::event_id, call, site,
               {format("flag id %d is outside 0..%d", flag, kCrossFlags - 1), "", "16 cross-core flags"});
    }
    if (mode > 2 || (mode != 0 && !launch.task.mixed())) {
        report(rules::cross_flag, call, site,
               {format("mode %d needs a kernel of type MIX_AIC_1_1 or MIX_AIC_1_2 (and is 0, 1 or 2)", mode),
                "", ""});
    }
    if (!launch.task.scheduled) {
        report_as(
            rules::cross_flag, Severity::hazard, call, site,
            {"cross-core flags do not work in kernels of type AIV_ONLY or AIC_ONLY: declare MIX_AIV_1_0 or "
             "MIX_AIC_1_0",
             "", ""});
    }
    charge_scalar(here, kFlagCycles);
    CrossFlags& own = launch.cross[static_cast<size_t>(here.slot)];
    own.site[flag] = site;
    const Event finished = event_of(here, pipe_of(pipe));
    if (here.late) here.late->settle(finished.clock);
    const double issued = here.pipe(Pipe::S).done;
    CoreSignal signal = signal_of(here, std::max(finished.time, issued), finished.clock);
    if (here.trace && here.trace->last(pipe_of(pipe)) != 0) signal.record = here.trace->last(pipe_of(pipe));
    if (mode == 2 && here.type == CoreType::cube) {
        const std::vector<int> receivers = cross_partners(here, CoreType::vector, false);
        make_room(launch, receivers, flag);
        for (const int slot : receivers) deliver(launch, slot, flag, signal, call, site);
        return;
    }
    const std::vector<int> senders = cross_partners(here, here.type, mode == 0);
    const std::vector<int> receivers = mode == 2 ? cross_partners(here, CoreType::cube, false) : senders;
    make_room(launch, receivers, flag);
    own.given[flag][mode].push_back(signal);
    if (mode != 2) own.own[flag].push_back(event_of(here, pipe_of(pipe)));
    collect(launch, senders, receivers, mode, flag, call, site);
}

void cross_core_wait(uint16_t flag, const char* call, const Site& site) {
    TWIN_FORWARD(cross_core_wait, flag, call, site)
    enter(call, site);
    Core& here = core();
    if (flag >= kCrossFlags) {
        report(rules::event_id, call, site,
               {format("flag id %d is outside 0..%d", flag, kCrossFlags - 1), "", "16 cross-core flags"});
    }
    charge_scalar(here, kFlagCycles);
    std::list<CoreSignal>& ready = here.launch.cross[static_cast<size_t>(here.slot)].ready[flag];
    Wait wait;
    wait.call = call;
    wait.site = site;
    wait.ready = [&ready] { return !ready.empty(); };
    wait.what = [&here, flag] { return cross_wait_text(here, flag); };
    wait_until(wait);
    take_signal(here, ready.front());
    ready.pop_front();
    std::list<Event>& own = here.launch.cross[static_cast<size_t>(here.slot)].own[flag];
    if (own.empty()) return;
    for (int pipe = 0; pipe < kPipes; ++pipe) await_event(here, static_cast<Pipe>(pipe), own.front());
    own.pop_front();
}

void settle_task(const Task& task, TaskSource source, const char* call, const Site& site) {
    enter(call, site);
    LaunchState& launch = core().launch;
    if (source <= launch.task_source) return;
    if (task == launch.task) {
        launch.task = task;
        launch.task_source = source;
        return;
    }
    launch.restart = true;
    launch.wanted = task;
    launch.wanted_source = source;
    launch.stop.store(true);
    stop_core();
}

CoreType asked_type(const Site& site) {
    TWIN_FORWARD_ASK(CoreType, asked_type, site)
    Core& here = core();
    if (here.launch.task_source == TaskSource::assumed)
        settle_task(kMixedTask, TaskSource::inferred_mixed, "core type", site);
    return here.type;
}

void declare_task(int kernel_type, TaskSource source, const Site& site) {
    TWIN_FORWARD(declare_task, kernel_type, source, site)
    // By value of KernelMetaType: AIV_ONLY, AIC_ONLY, MIX_AIV_1_0, MIX_AIC_1_0, MIX_AIC_1_1, MIX_AIC_1_2.
    constexpr Task tasks[] = {{0, 1, false}, {1, 0, false}, {0, 1, true},
                              {1, 0, true},  {1, 1, true},  {1, 2, true}};
    const auto count = static_cast<int>(sizeof tasks / sizeof tasks[0]);
    const bool is_known = kernel_type >= 0 && kernel_type < count;
    settle_task(is_known ? tasks[kernel_type] : kVectorTask, source, "KERNEL_TASK_TYPE", site);
}

}  // namespace twin
