// run_kernel(): one launch from cores to report. Part of twin/device.h.
#pragma once

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <cmath>
#include <exception>

#include "twin/core/launch_time_impl.h"
#include "twin/core/scheduler_impl.h"
#include "twin/core/sync_impl.h"

namespace twin {

namespace {

/// What one block left behind.
struct BlockResult {
    CoreTimes times;
    std::string printed;
    uint64_t calls = 0;
    uint64_t references_used = 0;
    bool failed = true;
};

/// Everything a launch needs while its threads live; shared so that an abandoned thread keeps it alive.
struct Session {
    Session(const Launch& launch, const Soc& soc, const Entry& entry, Task task, TaskSource source)
        : state(launch, soc, entry, task, source), results(state.cross.size()) {}
    LaunchState state;
    std::vector<BlockResult> results;
    std::shared_ptr<LateReads> late_reads;  ///< of a launch with a schedule, the same when it is made again
    std::shared_ptr<Scheduler> scheduler;
    std::mutex cores_mutex;
    std::vector<std::unique_ptr<Core>> cores;  ///< by slot; freed when the core ends
    int failed_blocks = 0;
};

std::atomic<Core*> running_core{nullptr};

/// Warnings about what a block left open when it returned.
void report_leftovers(Core& core) {
    for (const Buffer& buffer : core.buffers) {
        if (buffer.state != BufferState::allocated && buffer.state != BufferState::enqueued &&
            buffer.state != BufferState::dequeued) {
            continue;
        }
        View view;
        view.buffer = const_cast<Buffer*>(&buffer);
        report(
            rules::queue_leak, "InitBuffer", buffer.site,
            {format("a tensor of this queue is still %s when the kernel returns", state_name(buffer.state)),
             describe(view), ""});
    }
    const CrossFlags& cross = core.launch.cross[static_cast<size_t>(core.slot)];
    for (int flag = 0; flag < kCrossFlags; ++flag) {
        if (cross.own[static_cast<size_t>(flag)].empty()) continue;
        report(rules::flag_unpaired, "CrossCoreSetFlag", cross.site[static_cast<size_t>(flag)],
               {format("cross-core flag %d is set but never waited for", flag), "", ""});
    }
    for (int from = 0; from < kPipes; ++from) {
        for (int to = 0; to < kPipes; ++to) {
            for (int id = 0; id < kEventIds; ++id) {
                const Flag& flag = core.flags[from][to][static_cast<size_t>(id)];
                if (flag.count == 0) continue;
                report(rules::flag_unpaired, "SetFlag", flag.site,
                       {"flag " + pair_text(static_cast<Pipe>(from), static_cast<Pipe>(to), id) +
                            " is raised but never waited for",
                        "", ""});
            }
        }
    }
}

/// Runs `work` on this core; false when the core was stopped in it.
bool ran_to_its_end(Core& core, const std::function<void()>& work) {
    std::jmp_buf way_out;
    core.way_out = &way_out;
    if (setjmp(way_out) != 0) return false;
    work();
    return true;
}

void run_entry(Core& core) {
    core.passes_seen = loop_passes;
    close_global_pages();
    const int calls = calls_open.load(std::memory_order_relaxed);
    const auto work = [&core] {
        {
            const CallsAside kernel(0);
            core.launch.entry();
        }
        charge_loops(core);
        charge_raw_reads(core);
        if (core.late) core.late->settle_all();
        report_leftovers(core);
    };
    try {
        if (!ran_to_its_end(core, work)) {
            core.failed = true;
            calls_open.store(calls, std::memory_order_relaxed);
        }
    } catch (const std::exception& error) {
        core.failed = true;
        const Site site{core.last_call.file.load(), core.last_call.line.load()};
        core.launch.findings.add(
            rules::cpp_exception, Severity::error, core.block, core.last_call.call.load(), site,
            [&] { return FindingText{format("C++ exception: %s", error.what()), "", ""}; });
    }
}

constexpr size_t kLinesTold = 8;  // of a core

/// The most expensive of some lines, with files as the candidate knows them.
std::vector<LineRecord> told(LineCosts& costs, double vector_ops, const Findings& findings) {
    static constexpr const char* kNames[kPipes] = {"scalar", "vector", "cube",   "mte1",
                                                   "mte2",   "mte3",   "fixpipe"};
    std::vector<LineRecord> lines;
    for (const LineCost& line : costs.dearest(kLinesTold, vector_ops)) {
        LineRecord record;
        record.call = line.call;
        if (line.operand != 0) record.call += std::string(", copies of ") + line.operand;
        record.file = findings.relative(line.site.file);
        record.line = line.site.number();
        record.pipe = kNames[static_cast<size_t>(line.pipe)];
        record.calls = line.calls;
        record.cycles = line.cycles;
        record.bytes = line.bytes;
        record.lanes = line.lanes;
        record.idle = line.idle;
        record.held = line.held;
        record.blocked = line.blocked;
        lines.push_back(std::move(record));
    }
    return lines;
}

CoreTimes times_of(Core& core) {
    CoreTimes times;
    times.core = core.block;
    times.cube_core = core.type == CoreType::cube;
    const auto busy = [&](Pipe pipe) { return core.time[static_cast<int>(pipe)].busy; };
    times.scalar = busy(Pipe::S);
    times.vector = busy(Pipe::V);
    times.cube = busy(Pipe::M);
    times.mte1 = busy(Pipe::MTE1);
    times.mte2 = busy(Pipe::MTE2);
    times.mte3 = busy(Pipe::MTE3);
    times.fixpipe = busy(Pipe::FIX);
    times.total = all_done(core);
    times.work = core.work;
    times.lines = told(core.lines, core.work.vector_ops, core.launch.findings);
    const Soc& soc = core.launch.soc;
    const double share =
        soc.hbm_bytes_per_s * soc.memory_hbm_reached / (soc.clock_mhz * 1e6) / core.launch.cube_cores_used();
    times.work.gm_rate =
        times.cube_core ? std::min(core.launch.cube_rates.hbm, share) : core.launch.bus_bytes_per_cycle;
    return times;
}

/// Leaves what a log holds with the launch, for core `slot` of `times`.
void leave_trace(const TraceLog* log, const LaunchState& state, size_t slot, const CoreTimes& times) {
    if (log == nullptr) return;
    TraceChunk chunk;
    const uint32_t cores = state.task.cores();
    const auto place = static_cast<uint32_t>(slot);
    chunk.slot = place;
    chunk.cube = times.cube_core ? 1 : 0;
    const uint32_t seat = place % state.active_cores;  // blocks beyond the cores follow others
    const uint32_t together = cores == 1 && !times.cube_core ? 2 : cores;
    chunk.ai_core = seat / together;
    chunk.unit = times.cube_core ? 0 : seat % together - state.task.cubes;
    chunk.block = static_cast<uint32_t>(times.core);
    chunk.total = times.total;
    log->flush(*reinterpret_cast<TraceHeader*>(state.launch.trace), state.launch.trace_bytes, chunk);
}

/// An empty trace, for a launch that asked for one.
void begin_trace(const LaunchState& state) {
    if (state.launch.trace == nullptr) return;
    TraceHeader header;
    header.used = sizeof header;
    header.clock_mhz = state.soc.clock_mhz;
    header.at_once = state.active_cores;
    std::memcpy(state.launch.trace, &header, sizeof header);
}

void run_core(Session& session, int slot) {
    auto owned = std::make_unique<Core>(session.state, slot);
    Core& core = *owned;
    {
        const std::lock_guard<std::mutex> guard(session.cores_mutex);
        session.cores[static_cast<size_t>(slot)] = std::move(owned);
    }
    current_core = &core;
    running_core.store(&core);
    PipeTime& scalar = core.pipe(Pipe::S);
    scalar.done = scalar.free = entry_cycles(session.state, static_cast<size_t>(slot));
    run_entry(core);
    BlockResult& result = session.results[static_cast<size_t>(slot)];
    result.times = times_of(core);
    result.printed = std::move(core.printed);
    result.calls = core.calls;
    result.references_used = core.references_used;
    result.failed = core.failed;
    leave_trace(core.trace.get(), session.state, static_cast<size_t>(slot), result.times);
    session.failed_blocks += core.failed ? 1 : 0;
    running_core.store(nullptr);
    current_core = nullptr;
    const std::lock_guard<std::mutex> guard(session.cores_mutex);
    session.cores[static_cast<size_t>(slot)].reset();
}

/// A cube core that serves Matmul objects of its vector cores runs no kernel of its own.
void check_services(Session& session) {
    const Task& task = session.state.task;
    for (size_t group = 0; task.mixed() && group < session.state.services.size(); ++group) {
        const CoreTimes& own = session.results[group * task.cores()].times;
        if (session.state.services[group].cube == 0 || own.cube == 0) continue;
        session.state.findings.add(rules::core_type, rules::core_type.severity, static_cast<int>(group),
                                   "Matmul", Site{}, [] {
                                       return FindingText{
                                           "a cube core makes products of its own beside those "
                                           "of its vector cores' Matmul objects: "
                                           "REGIST_MATMUL_OBJ is missing, which ends its kernel",
                                           "", ""};
                                   });
    }
}

/// Adds what the cube cores did for their vector cores.
void add_services(Session& session) {
    const Task& task = session.state.task;
    for (size_t group = 0; task.mixed() && group < session.state.services.size(); ++group) {
        CubeService& service = session.state.services[group];
        CoreTimes& times = session.results[group * task.cores()].times;
        times.cube += service.cube, times.mte1 += service.mte1;
        times.mte2 += service.mte2, times.fixpipe += service.fixpipe;
        times.total = std::max(times.total, service.free);
        times.work.gm_read += service.work.gm_read, times.work.gm_written += service.work.gm_written;
        times.work.cube_ops += service.work.cube_ops;
        for (LineRecord& line : told(service.lines, 0, session.state.findings))
            times.lines.push_back(std::move(line));
        leave_trace(service.trace.get(), session.state, group * task.cores(), times);
    }
}

/// The kernel that CANN launches before, where outputs start with a value that the operator asked for
/// (InitValue with SetNeedAtomic): all vector cores write these bytes.
double clearing_us(const LaunchState& state) {
    const auto bytes = static_cast<double>(state.launch.cleared_bytes);
    if (bytes == 0) return 0;
    const Soc& soc = state.soc;
    const double entry_us = soc.launch_entry_us + soc.launch_entry_per_core_us * (soc.vector_cores - 1);
    const double hbm_us = bytes * (1 - state.resident) / (soc.hbm_bytes_per_s * soc.memory_hbm_reached) * 1e6;
    const double l2_us = bytes * state.resident / soc.l2_bytes_per_s * 1e6;
    return soc.launch_fixed_us + soc.launch_per_core_us * soc.vector_cores + entry_us + hbm_us + l2_us;
}

/// Blocks beyond the physical cores run after the others: block i on the cores of block i modulo their
/// number. What all cores move passes through L2, and what L2 lacked through HBM whatever part of it each
/// core was charged, see FetchedBytes.
void fill_latency(const Session& session, LaunchReport& report) {
    const LaunchState& state = session.state;
    std::vector<double> per_core(state.active_cores, 0.0);
    const CoreTimes* slowest = nullptr;
    double moved = 0;
    for (size_t slot = 0; slot < session.results.size(); ++slot) {
        const CoreTimes& times = session.results[slot].times;
        moved += times.work.gm_read + times.work.gm_written;
        per_core[slot % per_core.size()] += times.total;
        if (slowest == nullptr || times.total > slowest->total) slowest = &times;
    }
    const double cycles = *std::max_element(per_core.begin(), per_core.end());
    const double hbm_us = state.hbm_moved / (state.soc.hbm_bytes_per_s * state.soc.memory_hbm_reached) * 1e6;
    const double l2_us = moved / state.soc.l2_bytes_per_s * 1e6;
    report.clock_mhz = state.soc.clock_mhz;
    report.launch_us = launch_cost_us(state);
    const double entry_us = entry_cycles(state) / state.soc.clock_mhz;  // nothing is moved before
    report.modelled_us = report.launch_us + clearing_us(state) +
                         std::max(cycles / state.soc.clock_mhz, entry_us + std::max(hbm_us, l2_us));
    report.bound = slowest != nullptr ? busiest_pipe(*slowest) : "";
}

/// Which lines of each file made a call.
std::vector<RanFile> ran_files(const LaunchState& state) {
    std::vector<RanFile> files;
    for (const auto& [name, lines] : state.ran.files()) {
        RanFile ran;
        ran.file = state.findings.relative(name);
        for (size_t line = 0; line < lines.size(); ++line)
            if (lines[line]) ran.lines.push_back(static_cast<int>(line));
        files.push_back(std::move(ran));
    }
    return files;
}

/// Finding for a launch that cannot start, or an empty report.
LaunchReport refused(const Launch& launch, const std::string& why) {
    LaunchReport report;
    FindingRecord record;
    record.rule = rules::launch_setup.name;
    record.severity = severity_name(Severity::error);
    record.message = why;
    record.call = launch.kernel;
    record.core = -1;
    record.link = rules::launch_setup.document;
    report.findings.push_back(std::move(record));
    return report;
}

/// A kernel that used up its time, or one that sleeps where nobody in the simulation can wake it.
void report_too_long(Session& session, Watch::Sight sight) {
    const Core* stuck = running_core.load();
    const Launch& launch = session.state.launch;
    const char* call = "";
    Site site;
    int block = -1;
    if (stuck != nullptr) {
        call = stuck->last_call.call.load();
        site = Site{stuck->last_call.file.load(), stuck->last_call.line.load()};
        block = stuck->block;
    }
    const bool asleep = sight == Watch::Sight::asleep;
    session.state.findings.add(
        asleep ? rules::deadlock : rules::time_limit, Severity::error, block, call, site, [&] {
            const std::string limit = format("%g s", launch.time_limit_s);
            const std::string what =
                asleep ? "makes no progress: it has slept for " + limit + " in a wait outside the simulation"
                       : "still runs after " + limit + " of CPU time";
            return FindingText{format("kernel %s, core %d %s; its last call was %s", launch.kernel.c_str(),
                                      block, what.c_str(), call[0] != '\0' ? call : "none"),
                               "", limit};
        });
}

/// Warnings about outputs that keep bytes from before the launch: a block split or a tail that misses
/// something.
void report_gaps(LaunchState& state) {
    for (const GmGap& gap : state.gm.gaps()) {
        const GmRegion& region = *gap.region;
        state.findings.add(
            rules::gm_unwritten, rules::gm_unwritten.severity, -1, region.name.c_str(), Site{}, [&] {
                return FindingText{
                    format("no core writes %zu of the %zu bytes of '%s'; the first one is at byte offset %zu",
                           gap.bytes, region.bytes, region.name.c_str(), gap.first),
                    region.name, format("%zu bytes of '%s'", region.bytes, region.name.c_str())};
            });
    }
}

/// Charges a few stores through raw pointers like SetValue; of more the cost is not known, and no latency is
/// given.
void charge_raw_writes(LaunchState& state, LaunchReport& report) {
    const GmGap raw = state.gm.raw_writes();
    if (raw.bytes <= kMostRawBytes) {
        const double lines = static_cast<double>((raw.bytes + kScalarLineBytes - 1) / kScalarLineBytes);
        report.modelled_us += lines * state.soc.scalar_global_cycles / state.soc.clock_mhz;
        return;
    }
    report.unmodelled = true;
    state.findings.add(rules::raw_write, rules::raw_write.severity, -1, raw.region->name.c_str(), Site{},
                       [&] {
                           return FindingText{format("%zu bytes of global memory, the first in '%s', are "
                                                     "written through raw pointers; the model does "
                                                     "not know what that costs, so there is no latency: use "
                                                     "DataCopy, or SetValue for a few elements",
                                                     raw.bytes, raw.region->name.c_str()),
                                              raw.region->name, ""};
                       });
}

/// Says what was charged for reads through pointers.
void note_raw_reads(LaunchState& state) {
    const uint64_t bytes = raw_read_bytes();
    if (bytes == 0) return;
    state.findings.add(rules::raw_read, rules::raw_read.severity, -1, "", Site{}, [&] {
        return FindingText{
            format("memory is read through raw pointers: the %llu bytes of the pages that are touched are "
                   "charged as if "
                   "the scalar unit read all of them; use DataCopy, or GetValue for a few elements",
                   static_cast<unsigned long long>(bytes)),
            "", ""};
    });
}

/// The CPU seconds that its calls and its modelled scalar work explain; what a kernel used is measured by the
/// judge.
void explain_own_work(const Session& session, LaunchReport& report) {
    double scalar = 0;
    uint64_t calls = 0, references = 0;
    for (const BlockResult& result : session.results) {
        scalar += result.times.scalar;
        calls += result.calls;
        references += result.references_used;
    }
    const double scalar_s = scalar / (session.state.soc.clock_mhz * 1e6);
    report.own_work_s = kOwnWorkS + kOwnWorkPerBlockS * static_cast<double>(session.results.size()) +
                        kOwnWorkPerCallS * static_cast<double>(calls) +
                        kOwnWorkPerReferenceS * static_cast<double>(references) + kOwnWorkShare * scalar_s;
}

/// Whether the kernel turned out to run on other cores than the launch gave it.
bool runs_again(LaunchState& state) {
    if (!state.restart && state.task_source == TaskSource::inferred_mixed && !state.used_matrix) {
        state.restart = true;
        state.wanted = kVectorTask;
        state.wanted_source = TaskSource::settled;
    }
    return state.restart;
}

/// Cores of `task` for every block of the launch, ready to run.
std::shared_ptr<Session> start_session(const Launch& launch, const Entry& entry, const Soc& soc, Task task,
                                       TaskSource source, const std::shared_ptr<LateReads>& late_reads) {
    auto session = std::make_shared<Session>(launch, soc, entry, task, source);
    session->late_reads = late_reads;
    session->state.late_reads = late_reads.get();
    const size_t cores = session->state.cross.size();
    session->cores.resize(cores);
    set_bandwidth(session->state);
    begin_trace(session->state);
    const auto body = [session](int slot) { run_core(*session, slot); };
    session->scheduler =
        std::make_shared<Scheduler>(static_cast<int>(cores), body, session->state.stop, launch.schedule);
    session->state.scheduler = session->scheduler.get();
    session->scheduler->on_deadlock = [raw = session.get()](int slot, const Wait& wait) {
        if (raw->failed_blocks > 0) return;  // the core that failed is the cause and has its own finding
        const int block = raw->cores[static_cast<size_t>(slot)]->block;
        raw->state.findings.add(rules::deadlock, Severity::error, block, wait.call, wait.site,
                                [&] { return FindingText{wait.what(), "", ""}; });
    };
    return session;
}

}  // namespace

LastCall last_call() {
    LastCall found;
    const Core* running = running_core.load();
    if (running == nullptr) return found;
    found.core = running->block;
    found.call = running->last_call.call.load(std::memory_order_relaxed);
    found.file = running->last_call.file.load(std::memory_order_relaxed);
    found.line = Site{"", running->last_call.line.load(std::memory_order_relaxed)}.number();
    return found;
}

/// Does what the simulator at the other end commands. See twin/core/wire_impl.h.
void serve_kernel(const Launch& launch, const Entry& entry);

LaunchReport run_kernel(const Launch& launch, const Entry& entry) {
    if (launch.commands >= 0) {
        serve_kernel(launch, entry);
        return {};
    }
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 1);  // one core runs at a time; more arenas only cost address space
    // Each core has memories of its own, one after the other: the pages of one serve the next.
    constexpr int kMostOfCore = 64 << 20;
    mallopt(M_MMAP_THRESHOLD, kMostOfCore / 2);
    mallopt(M_TRIM_THRESHOLD, kMostOfCore);
#endif
    if (launch.block_dim == 0) return refused(launch, "SetBlockDim(0): a kernel needs at least one block");
    const Soc* shipped = find_soc(launch.soc.c_str());
    if (shipped == nullptr) return refused(launch, "unknown processor '" + launch.soc + "'");
    Soc soc = *shipped;
    for (const auto& [name, value] : launch.constants) {
        double* constant = soc.constant(name);
        if (constant == nullptr) return refused(launch, "unknown constant '" + name + "'");
        *constant = value;
    }
    if (launch.remains != 0) poison_word = poison_of(launch.remains);
    guard_global(launch);
    const auto late_reads = launch.schedule != 0 ? std::make_shared<LateReads>(launch) : nullptr;
    const KnownTask& known = launch.task;
    const Task task{known.cubes, known.vectors, known.scheduled};
    auto session = start_session(launch, entry, soc, task, static_cast<TaskSource>(known.source), late_reads);
    Watch watch(launch.time_limit_s, launch.kernel_is_elsewhere);
    const auto too_long = [&](Watch::Sight sight) { report_too_long(*session, sight); };
    LaunchReport report;
    const auto run = [&] { report.abandoned = !session->scheduler->run(watch, too_long); };
    const auto start_again = [&](Task task, TaskSource source) {
        session->scheduler.reset();
        session = start_session(launch, entry, soc, task, source, late_reads);
        run();
    };
    run();
    while (!report.abandoned && runs_again(session->state)) {
        LaunchState& state = session->state;
        // What the kernel learnt, or left in its workspace, is not there when it starts for the first time.
        const bool is_as_before = state.gm.restore_outputs() || !launch.kernel_is_elsewhere;
        if (state.told || !is_as_before) {
            const Task& wanted = state.wanted;
            report.starts_again = true;
            report.task = {wanted.cubes, wanted.vectors, wanted.scheduled,
                           static_cast<uint32_t>(state.wanted_source)};
            session->scheduler.reset();
            return report;
        }
        if (late_reads) late_reads->forget();
        start_again(session->state.wanted, session->state.wanted_source);
    }
    const bool fine = !report.abandoned && !session->state.findings.has_error();
    if (fine && late_reads && late_reads->begins_again())
        start_again(session->state.task, session->state.task_source);
    check_services(*session);
    report.completed = !report.abandoned && !session->state.findings.has_error();
    if (report.completed && !launch.fast) {
        report_gaps(session->state);
        report.unread = session->state.gm.unread();
    }
    add_services(*session);
    for (BlockResult& result : session->results) {
        report.cores.push_back(result.times);
        report.printed += result.printed;
    }
    fill_latency(*session, report);
    if (report.completed && !launch.fast) charge_raw_writes(session->state, report);
    explain_own_work(*session, report);
    if (report.completed) note_raw_reads(session->state);
    report.together = session->state.task.mixed() || session->state.used_signals;
    report.ran = ran_files(session->state);
    report.unordered = session->state.unordered;
    report.findings = session->state.findings.take();
    if (!report.abandoned) session->scheduler.reset();  // it holds the session: break the circle
    return report;
}

}  // namespace twin
