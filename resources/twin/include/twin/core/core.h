// State of one launch and of one simulated core.
#pragma once

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "twin/core/buffer.h"
#include "twin/core/cube_rates.h"
#include "twin/core/cube_state.h"
#include "twin/core/findings.h"
#include "twin/core/floats.h"
#include "twin/core/global_memory.h"
#include "twin/core/gm_state.h"
#include "twin/core/line_costs.h"
#include "twin/core/local_memory.h"
#include "twin/core/pipes.h"
#include "twin/core/ran_lines.h"
#include "twin/core/raw_reads.h"
#include "twin/core/scalar_work.h"
#include "twin/core/task.h"
#include "twin/core/vector_state.h"

namespace twin {

class Scheduler;
class TraceLog;
class LateReads;
class LateWrites;
struct Core;

/// A barrier over several cores of a launch.
struct CoreBarrier {
    uint32_t arrived = 0;
    uint64_t generation = 0;
    double latest = 0;                        ///< arrival of the slowest core so far, cycles
    double release = 0;                       ///< when the last finished barrier released its cores
    int latest_slot = -1, release_slot = -1;  ///< the core that came last, and what it did before
    uint32_t latest_record = 0, release_record = 0;
    Knowledge arriving;  ///< what the cores that arrived know together
    Knowledge released;  ///< the same of the last finished barrier
};

constexpr int kCrossFlags = 16;  // [guide] flag ids of CrossCoreSetFlag

/// Cross-core flags of one core: signals it may take, and signals it gave that still wait for other cores.
/// Lists, because an empty one takes no memory and most cores signal nobody.
struct CrossFlags {
    std::array<std::list<CoreSignal>, kCrossFlags> ready;
    std::array<std::array<std::list<CoreSignal>, 3>, kCrossFlags> given;  ///< by flag and mode
    std::array<std::list<Event>, kCrossFlags>
        own;                               ///< what this core finished before a signal it waits for itself
    std::array<Site, kCrossFlags> site{};  ///< of the last CrossCoreSetFlag
};

/// Counts the bytes a pipe copies from or to global memory.
void note_copied(CoreWork& work, Pipe pipe, double bytes);

/// Time the cube core of one group spent on products its vector cores asked for, in cycles by pipe.
struct CubeService {
    double free = 0;  ///< when it can take the next one
    double cube = 0, mte1 = 0, mte2 = 0, fixpipe = 0;
    bool reads = false;  ///< it has begun to
    FetchedBytes fetched;
    CoreWork work;
    LineCosts lines;
    std::unique_ptr<TraceLog> trace;
};

/// One interned call site.
struct CallSite {
    const char* call = "";
    Site site{};
};

/// A line of global memory in the data cache of a core, written and not written back.
struct CachedLine {
    int slot = 0;
    CallSite where{};
};

/// Everything the cores of one launch share. Only the core that holds the baton touches it.
struct LaunchState {
    LaunchState(const Launch& launch_, const Soc& soc_, Entry entry_, Task task_, TaskSource source);

    const Launch launch;
    const Entry entry;
    Findings findings;
    RanLines ran;
    GlobalMemory gm;
    const Soc soc;                   ///< with the constants the launch brought
    uint32_t active_cores = 1;       ///< cores that share the memory bandwidth
    double bus_bytes_per_cycle = 1;  ///< of one vector core to HBM, reads and writes together
    double vector_l2_per_cycle = 1;  ///< the same to L2
    double resident = 0;             ///< share of the tensors that lies in L2 before the launch
    CubeRates cube_rates;            ///< of one cube core
    uint32_t cube_readers = 0;       ///< cube cores that have begun to read global memory
    double hbm_moved = 0;            ///< bytes that L2 lacked, of all cores
    Task task;
    TaskSource task_source;
    bool told = false;     ///< a kernel in a process of its own got an answer
    bool restart = false;  ///< the kernel turned out to be of `wanted` type: run it again
    Task wanted;
    TaskSource wanted_source = TaskSource::assumed;
    bool used_matrix = false;   ///< some core ran a matrix instruction
    bool used_signals = false;  ///< some core waited for another one, or told it something
    bool unordered = false;     ///< the scalar unit read what another core writes, and nothing orders the two
    std::atomic<bool> stop{false};  ///< set by the watchdog or by a deadlock; cores unwind at their next call
    CoreBarrier barrier;            ///< over all cores
    CoreBarrier vector_barrier;     ///< over the vector cores of a mixed kernel
    std::unordered_map<const uint8_t*, CoreBarrier> group_barriers;
    std::map<std::pair<const uint8_t*, uint64_t>, std::list<CoreSignal>> memory_flags;  ///< IBSet, by place
    std::unordered_set<const uint8_t*> used_flags;          ///< in global memory, see require_cleared
    std::unordered_map<uint64_t, CachedLine> cached_lines;  ///< by address / 64
    std::vector<CrossFlags> cross;                          ///< by slot
    std::vector<CubeService> services;                      ///< by group
    Scheduler* scheduler = nullptr;
    LateReads* late_reads = nullptr;  ///< of a launch with a schedule

    /// Cube cores that have a block.
    uint32_t cube_cores_used() const { return std::max(1u, std::min(launch.block_dim, soc.cube_cores)); }

    /// Bytes of the range that come from or go to HBM; the lines are in L2 from now on.
    double l2_lacks(const uint8_t* address, size_t bytes) {
        if (resident >= 1) return 0;
        return static_cast<double>(gm.bring_into_l2(address, bytes)) * (1 - resident);
    }

    /// A log for one core; null unless the launch is traced.
    std::unique_ptr<TraceLog> new_trace() const;
};

/// Time of one pipe, in cycles since the start of the core.
struct PipeTime {
    double free = 0;   ///< when the pipe can take its next instruction
    double ready = 0;  ///< before this, flags hold the pipe back
    double done = 0;   ///< when its last result is visible
    double busy = 0;
};

/// One hardware flag: raised `count` times, carrying the event of the last raise.
struct Flag {
    int count = 0;
    Event event{};
    Site site{};
};

/// Call that a core made last; written by the core, read by the watchdog.
struct LastCallSlot {
    std::atomic<const char*> call{""};
    std::atomic<const char*> file{""};
    std::atomic<int> line{0};
};

/// An element of on-chip memory that the kernel has a reference to. It gets a copy, so that the reference
/// leads nowhere else; what it stores is brought back at the next call.
struct LentElement {
    static constexpr size_t kMostBytes = 16;
    LocalMemory* memory = nullptr;
    uint64_t offset = 0, bytes = 0;
    alignas(16) uint8_t copy[kMostBytes] = {};
    uint8_t known[kMostBytes] = {};
};

/// What the instructions of a pipe from number `first` on come after.
struct HeldSince {
    uint64_t first = 0;
    Clock clock{};
};

/// A range of on-chip memory that an instruction under way writes.
struct OpenWrite {
    LocalMemory* memory = nullptr;
    uint64_t offset = 0, bytes = 0;
};

/// One simulated core: a vector core, or a cube core.
struct Core {
    Core(LaunchState& launch_, int slot_);

    LaunchState& launch;
    int slot;           ///< position among all cores of the launch
    int group = 0;      ///< AI core it belongs to
    int block = 0;      ///< GetBlockIdx()
    int sub_block = 0;  ///< number among the vector cores of its AI core
    CoreType type = CoreType::vector;
    Knowledge known;

    std::array<PipeTime, kPipes> time{};
    std::array<Clock, kPipes> order;  ///< per pipe: instructions of each pipe known to be finished
    std::array<std::deque<HeldSince>, kPipes> held;  ///< the last times a pipe learnt of others, oldest first
    std::array<uint64_t, kPipes> issued{};           ///< instructions each pipe has been given
    std::array<std::array<std::array<Flag, kEventIds>, kPipes>, kPipes> flags{};

    std::array<LocalMemory, kLocalMemories> memories;
    std::deque<Buffer> buffers;
    std::array<uint64_t, kLocalMemories> allocated{};  ///< bytes InitBuffer handed out, per memory
    void* tpipe = nullptr;                             ///< the kernel's AscendC::TPipe
    std::array<uint32_t, 64> event_ids{};  ///< ids AllocEventID handed out, one bit each, by HardEvent
    std::array<std::array<int, kPipes>, kPipes> queue_events{};  ///< ids that buffers in queues hold

    // What only instructions read and change, on pages of its own: a kernel on the wire may not touch it.
    static constexpr size_t kStatePage = 4096;
    alignas(kStatePage) CubeState cube;
    VectorState vector;
    GmState gm;

    alignas(kStatePage) std::vector<CallSite> sites;
    std::unordered_map<uint64_t, uint32_t> site_numbers;
    std::vector<OpenWrite> open_writes;  ///< in watched memories
    std::array<LentElement, 64> lent{};  ///< the last ones, in turn
    size_t lent_count = 0;               ///< how many were lent
    uint64_t lent_known = 0;             ///< those of which the kernel knows what they lead to, one bit each
    uint64_t passes_seen = 0;            ///< loop passes of this thread that are charged, or were free
    uint64_t passes_free = kFreePasses;
    uint64_t calls = 0;            ///< API calls made, those at one moment once
    double counted_at = -1;        ///< cycle of the last one
    uint64_t references_used = 0;  ///< references to elements lent, or read again behind an instruction
    uint32_t queues_made = 0;      ///< of a kernel on the wire

    std::unique_ptr<TraceLog> trace;   ///< null unless the launch is traced
    std::unique_ptr<LateWrites> late;  ///< null unless the launch has a schedule
    std::string printed;
    LastCallSlot last_call;
    std::string cut;  ///< a value that a field of a parameter structure cut, used and not yet reported
    bool failed = false;
    std::jmp_buf* way_out = nullptr;  ///< where stop_core() leads

    LocalMemory& memory(MemoryKind kind) {
        LocalMemory& found = memories[static_cast<int>(kind)];
        found.open(kind);
        return found;
    }
    PipeTime& pipe(Pipe which) { return time[static_cast<int>(which)]; }
    double now() const { return time[0].done; }
    const char* last_name() const { return last_call.call.load(std::memory_order_relaxed); }
    Site last_site() const {
        return Site{last_call.file.load(std::memory_order_relaxed),
                    last_call.line.load(std::memory_order_relaxed)};
    }

    CoreWork work;  ///< what it moved and computed so far
    LineCosts lines;

    /// Makes a pipe busy: the only place that does, so that a trace holds what the report sums up.
    void spend(Pipe which, const PipeWork& spent);
    /// The scalar unit stands still until `end`, after record `after` (of core `from` when that is not
    /// negative).
    void pause(double end, uint32_t after = 0, int from = -1);
};

/// The core whose kernel runs on this thread; nullptr outside a kernel.
inline thread_local Core* current_core = nullptr;

/// The current core. Calling an API outside a launch is a mistake of the caller, not of a kernel.
inline Core& core() { return *current_core; }

/// Numbers of the processor the current core belongs to.
inline const Soc& processor() { return core().launch.soc; }

/// Adds a finding at the severity of its rule. An error unwinds the kernel of this core.
void report(const Rule& rule, const char* call, const Site& site, const FindingText& text);
/// Reports a value that was cut on its way to this call, if there is one.
void report_cut(const char* call, const Site& site);

/// Adds a finding at `severity`; unwinds on an error.
void report_as(const Rule& rule, Severity severity, const char* call, const Site& site,
               const FindingText& text);

/// The bytes of global memory behind an address of the kernel.
template <typename T>
T* kept(T* address) {
    return reinterpret_cast<T*>(core().launch.gm.kept(reinterpret_cast<const uint8_t*>(address)));
}

/// Charges the core with what it read through pointers since its last API call.
void charge_raw_reads(Core& core);

/// Charges the loops the core went through since its last API call.
void charge_loops(Core& core);

/// The address the kernel gets of a place in on-chip memory: what it does there is charged from now on.
uint8_t* lend_address(MemoryKind kind, uint8_t* own);

/// An address of on-chip memory as kernels hold it.
inline uint8_t* bytes_at(const void* address) { return static_cast<uint8_t*>(const_cast<void*>(address)); }

/// The kernel gets a reference to an element whose access is charged already: where its copy is.
void* lend_element(MemoryKind kind, void* element, uint64_t bytes);

/// Brings what the kernel stored through references into memory, before an instruction.
void take_lent(Core& core);

/// Brings what an instruction changed into the copies behind references.
void renew_lent(Core& core);

/// The cube core behind `reads` begins to read global memory: it shares the memory with the others that do.
void join_readers(Core& core, bool& reads);

/// Notes `call` for the watchdog and unwinds when the launch is being stopped.
void enter(const char* call, const Site& site);

/// Site of a call through a pointer: nothing says where it is, but the call before it had a line.
inline Site after_last_call() {
    if (local_addresses_only) return Site{nullptr, 0};  // only the simulator knows
    const LastCallSlot& last = core().last_call;
    const int line = last.line.load(std::memory_order_relaxed);
    return Site{last.file.load(std::memory_order_relaxed), line > 0 ? -line : line};
}

}  // namespace twin
