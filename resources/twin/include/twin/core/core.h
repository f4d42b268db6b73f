// State of one launch and of one simulated core.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "twin/core/buffer.h"
#include "twin/core/bus.h"
#include "twin/core/findings.h"
#include "twin/core/floats.h"
#include "twin/core/global_memory.h"
#include "twin/core/local_memory.h"
#include "twin/core/pipes.h"

namespace twin {

class Scheduler;
struct Core;

/// A barrier over all cores of a launch.
struct CoreBarrier {
    uint32_t arrived = 0;
    uint64_t generation = 0;
    double latest = 0;   ///< arrival of the slowest core so far, cycles
    double release = 0;  ///< when the last finished barrier released its cores
};

/// Everything the cores of one launch share. Only the core that holds the baton touches it.
struct LaunchState {
    explicit LaunchState(const Launch& launch_, Entry entry_)
        : launch(launch_), entry(std::move(entry_)), findings(launch_.source_root), gm(launch_) {}

    const Launch launch;
    const Entry entry;
    Findings findings;
    GlobalMemory gm;
    const Soc* soc = nullptr;
    uint32_t active_cores = 1;       ///< cores that share the memory bandwidth
    double bus_bytes_per_cycle = 1;  ///< bandwidth of one core to global memory, reads and writes together
    std::atomic<bool> stop{false};  ///< set by the watchdog or by a deadlock; cores unwind at their next call
    CoreBarrier barrier;
    std::unordered_map<uint64_t, CoreBarrier> group_barriers;
    std::unordered_map<uint64_t, std::deque<Event>> cross_flags;
    Scheduler* scheduler = nullptr;
};

/// Time of one pipe, in cycles since the start of the core.
struct PipeTime {
    double free = 0;   ///< when the pipe can take its next instruction
    double ready = 0;  ///< before this, flags hold the pipe back
    double done = 0;   ///< when its last result is visible
    double busy = 0;
};

enum class AtomicMode : uint8_t { none, add, max, min };

/// Vector mask registers and mask mode.
struct MaskState {
    uint64_t low = ~0ull;
    uint64_t high = ~0ull;
    bool counter = false;
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

/// One interned call site.
struct CallSite {
    const char* call = "";
    Site site{};
};

/// One range of global memory written by a pipe of this core and not yet superseded.
struct GmWrite {
    const uint8_t* begin = nullptr;
    const uint8_t* end = nullptr;
    uint64_t tag = 0;
};

/// One simulated AI core (vector core) running one block.
struct Core {
    Core(LaunchState& launch_, int block_) : launch(launch_), block(block_) {
        for (int pipe = 0; pipe < kPipes; ++pipe) order[pipe].fill(0);
    }

    LaunchState& launch;
    int block;
    int sub_block = 0;

    std::array<PipeTime, kPipes> time{};
    std::array<Clock, kPipes> order;        ///< per pipe: instructions of each pipe known to be finished
    std::array<uint64_t, kPipes> issued{};  ///< instructions each pipe has been given
    Bus bus;                                ///< connection to global memory
    std::array<std::array<std::array<Flag, kEventIds>, kPipes>, kPipes> flags{};

    std::array<LocalMemory, kLocalMemories> memories;
    std::deque<Buffer> buffers;
    std::array<uint64_t, kLocalMemories> allocated{};  ///< bytes InitBuffer handed out, per memory
    void* tpipe = nullptr;                             ///< the kernel's AscendC::TPipe
    std::array<uint32_t, 64> event_ids{};  ///< ids AllocEventID handed out, one bit each, by HardEvent

    MaskState mask;
    AtomicMode atomic = AtomicMode::none;
    std::array<uint64_t, 2> compare_mask{};  ///< result register of Compare without destination
    double reduce_value = 0;                 ///< result register of the value reductions
    uint64_t reduce_index = 0;
    uint64_t gather_count = 0;  ///< elements the last GatherMask kept
    float dequant_scale = 1;

    std::vector<CallSite> sites;
    std::unordered_map<uint64_t, uint32_t> site_numbers;
    std::deque<GmWrite> gm_writes;
    const uint8_t* cached_line = nullptr;  ///< GM data-cache line the scalar unit read last
    const uint8_t* polled = nullptr;       ///< address of the last scalar GM read, to recognise polling
    uint32_t polls = 0;
    bool vector_dependent = false;  ///< the next vector instruction uses the result of the last one

    std::string printed;
    LastCallSlot last_call;
    bool failed = false;

    LocalMemory& memory(MemoryKind kind) {
        LocalMemory& found = memories[static_cast<int>(kind)];
        found.open(kind);
        return found;
    }
    PipeTime& pipe(Pipe which) { return time[static_cast<int>(which)]; }
    double now() const { return time[0].done; }
};

/// The core whose kernel runs on this thread; nullptr outside a kernel.
inline thread_local Core* current_core = nullptr;

/// The current core. Calling an API outside a launch is a mistake of the caller, not of a kernel.
inline Core& core() { return *current_core; }

/// Adds a finding at the severity of its rule. An error unwinds the kernel of this core.
void report(const Rule& rule, const char* call, const Site& site, const FindingText& text);

/// Adds a finding at `severity`; unwinds on an error.
void report_as(const Rule& rule, Severity severity, const char* call, const Site& site,
               const FindingText& text);

/// Notes `call` for the watchdog and unwinds when the launch is being stopped.
inline void enter(const char* call, const Site& site) {
    Core& here = core();
    here.last_call.call.store(call, std::memory_order_relaxed);
    here.last_call.file.store(site.file, std::memory_order_relaxed);
    here.last_call.line.store(site.line, std::memory_order_relaxed);
    if (here.launch.stop.load(std::memory_order_relaxed)) throw CoreStopped{};
}

}  // namespace twin
