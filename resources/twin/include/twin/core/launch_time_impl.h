// What a launch costs before its cores, and what they share: part of the model of time. Part of
// twin/device.h.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

#include "twin/core/scheduler.h"
#include "twin/core/sync.h"

namespace twin {

namespace {

/// Blocks that run at the same time.
uint32_t groups_at_once(const LaunchState& state) {
    return state.task.cubes > 0 ? state.soc->cube_cores : state.soc->vector_cores;
}

void set_bandwidth(LaunchState& state) {
    const Soc& soc = *state.soc;
    const uint32_t per_group = state.task.cores();
    state.active_cores = std::max(1u, std::min(state.launch.block_dim, groups_at_once(state)) * per_group);
    const double hertz = soc.clock_mhz * 1e6;
    const double groups = std::max(1u, std::min(state.launch.block_dim, groups_at_once(state)));
    const double cubes = state.cube_cores_used();
    const double vectors = std::max(1.0, groups * state.task.vectors);
    state.bus_bytes_per_cycle = std::min(soc.core_bytes_per_s, soc.hbm_bytes_per_s / vectors) / hertz;
    state.vector_l2_read = std::min(kL2ReadBytesPerCycle, kL2BytesPerS / vectors / hertz);
    state.cube_rates.hbm = kL2ReadBytesPerCycle;
    state.cube_rates.l2_read = std::min(kL2ReadBytesPerCycle, kL2BytesPerS / cubes / hertz);
    state.cube_rates.l2_write = kL2WriteBytesPerCycle;
    state.cube_rates.clock_mhz = soc.clock_mhz;
}

const char* busiest_pipe(const CoreTimes& times) {
    const std::pair<double, const char*> pipes[] = {
        {times.scalar, "scalar"}, {times.vector, "vector"}, {times.mte1, "mte1"},      {times.mte2, "mte2"},
        {times.mte3, "mte3"},     {times.cube, "cube"},     {times.fixpipe, "fixpipe"}};
    return std::max_element(std::begin(pipes), std::end(pipes),
                            [](const auto& a, const auto& b) { return a.first < b.first; })
        ->second;
}

/// A launch costs what the cores it starts cost, of either kind; with all vector cores of the processor (or
/// all of both, in a mixed kernel) it is the most.
double launch_cost_us(const LaunchState& state) {
    const double cores = std::max(groups_at_once(state) * state.task.cores(), state.soc->vector_cores);
    const double share = cores > 1 ? (state.active_cores - 1) / (cores - 1) : 0;
    return kLaunchOneCoreUs + (kLaunchAllCoresUs - kLaunchOneCoreUs) * share;
}

}  // namespace

void join_readers(Core& core, bool& reads) {
    if (reads) return;
    reads = true;
    LaunchState& launch = core.launch;
    // All that read from the start come here before one goes on, so that their number is known. A core that
    // has written would show it to the others; then all are taken for readers.
    if (core.work.gm_written > 0 || launch.launch.schedule != 0) {
        launch.cube_readers = std::max(launch.cube_readers, launch.cube_cores_used());
    } else {
        ++launch.cube_readers;
        yield_core();
    }
    const double share = launch.soc->hbm_bytes_per_s / (launch.soc->clock_mhz * 1e6 * launch.cube_readers);
    launch.cube_rates.hbm = std::min(kL2ReadBytesPerCycle, share);
}

}  // namespace twin
