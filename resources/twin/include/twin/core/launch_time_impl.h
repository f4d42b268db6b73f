// What a launch costs before its cores, and what they share: part of the model of time. Part of
// twin/device.h.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "twin/core/scheduler.h"
#include "twin/core/sync.h"

namespace twin {

namespace {

/// Blocks that run at the same time.
uint32_t groups_at_once(const LaunchState& state) {
    return state.task.cubes > 0 ? state.soc.cube_cores : state.soc.vector_cores;
}

/// Bytes of the tensors of a launch, each once, and of the workspace its kernel asked for.
size_t footprint(const Launch& launch) {
    std::map<const uint8_t*, size_t> by_address;
    for (const GmArgument& argument : launch.arguments) {
        size_t& bytes = by_address[argument.data];
        bytes = std::max(bytes, argument.data == nullptr ? 0 : argument.bytes);
    }
    size_t total = launch.workspace_bytes - std::min(launch.workspace_bytes, launch.system_workspace_bytes);
    for (const auto& [address, bytes] : by_address) total += bytes;
    return total;
}

/// Share of the tensors that launches before this one left in L2. A launch goes through its tensors from
/// their beginning, so that of data larger than L2 what comes next is what was thrown out last.
double resident_share(const LaunchState& state) {
    if (state.launch.cold) return 0;
    const auto capacity = static_cast<double>(state.soc.l2_bytes);
    const double beyond = static_cast<double>(footprint(state.launch)) / capacity - 1;
    return std::max(0.0, std::min(1.0, 1 - beyond / kL2Overflow));
}

void set_bandwidth(LaunchState& state) {
    const Soc& soc = state.soc;
    const uint32_t per_group = state.task.cores();
    state.active_cores = std::max(1u, std::min(state.launch.block_dim, groups_at_once(state)) * per_group);
    const double hertz = soc.clock_mhz * 1e6;
    const double groups = std::max(1u, std::min(state.launch.block_dim, groups_at_once(state)));
    const double cubes = state.cube_cores_used();
    const double vectors = std::max(1.0, groups * state.task.vectors);
    const double hbm_bytes_per_s = soc.hbm_bytes_per_s * soc.memory_hbm_reached;
    state.resident = resident_share(state);
    state.bus_bytes_per_cycle = std::min(soc.memory_core_hbm_bytes_per_s, hbm_bytes_per_s / vectors) / hertz;
    state.vector_l2_per_cycle =
        std::min(soc.memory_core_l2_bytes_per_s, soc.l2_bytes_per_s / vectors) / hertz;
    state.cube_rates.hbm = kL2ReadBytesPerCycle;
    state.cube_rates.l2_read = std::min(kL2ReadBytesPerCycle, soc.l2_bytes_per_s / cubes / hertz);
    state.cube_rates.l2_write = kL2WriteBytesPerCycle;
    state.cube_rates.clock_mhz = soc.clock_mhz;
    state.cube_rates.copy_latency = soc.memory_copy_latency_ns * 1e-3 * soc.clock_mhz;
    state.cube_rates.copy_issue = soc.memory_copy_issue_cycles;
    state.cube_rates.product_start = soc.matrix_start_cycles;
}

const char* busiest_pipe(const CoreTimes& times) {
    const std::pair<double, const char*> pipes[] = {
        {times.scalar, "scalar"}, {times.vector, "vector"}, {times.mte1, "mte1"},      {times.mte2, "mte2"},
        {times.mte3, "mte3"},     {times.cube, "cube"},     {times.fixpipe, "fixpipe"}};
    return std::max_element(std::begin(pipes), std::end(pipes),
                            [](const auto& a, const auto& b) { return a.first < b.first; })
        ->second;
}

/// Until the cores are started, and their end is known.
double launch_cost_us(const LaunchState& state) {
    return state.soc.launch_fixed_us + state.soc.launch_per_core_us * state.active_cores;
}

/// Cycles from the start of the block `slot` to its first instruction: code and tiling come from L2, and at
/// the first launch from HBM, for all cores the same lines. A block that follows on a core finds them.
double entry_cycles(const LaunchState& state, size_t slot = 0) {
    double of_core = state.soc.launch_entry_per_core_us;
    if (state.launch.cold && slot < state.active_cores) of_core += state.soc.launch_first_per_core_us;
    const double us = state.soc.launch_entry_us + of_core * (state.active_cores - 1);
    return us * state.soc.clock_mhz;
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
    const Soc& soc = launch.soc;
    const double hbm_bytes_per_s = soc.hbm_bytes_per_s * soc.memory_hbm_reached;
    const double share = hbm_bytes_per_s / (soc.clock_mhz * 1e6 * launch.cube_readers);
    launch.cube_rates.hbm = std::min(kL2ReadBytesPerCycle, share);
}

}  // namespace twin
