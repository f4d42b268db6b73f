// One instruction of a core: what it touches (checked), which pipe runs it and how long it takes (modelled).
//
// Use: construct it at the start of an API call, name every range it reads and writes, call issue() once,
// then move the data. All checks happen before data moves, so a fatal finding leaves memory as it was.
#pragma once

#include "twin/core/core.h"

namespace twin {

/// What accesses global memory: a call, and the instruction that makes it.
struct GmUser {
    CallSite where{};
    Pipe pipe = Pipe::S;
    uint64_t sequence = 0;
};

class Instruction {
public:
    Instruction(Pipe pipe, const char* call, const Site& site);
    ~Instruction();
    Instruction(const Instruction&) = delete;
    Instruction& operator=(const Instruction&) = delete;

    /// Checks that the instruction may read `bytes` bytes of on-chip memory at `view` + `offset`.
    void read(const View& view, uint64_t offset, uint64_t bytes);

    /// The same without asking whether the bytes were ever written: copies that carry rows nobody uses.
    void read_any(const View& view, uint64_t offset, uint64_t bytes);

    /// First byte of the range that nobody wrote, counted from the start of its memory, or -1. Bytes behind
    /// the tensor or of a buffer that was given back have a finding of their own.
    long first_unwritten(const View& view, uint64_t offset, uint64_t bytes) const;

    /// The call to name for what comes of that byte: the one that made it of unwritten bytes, else this one.
    uint32_t origin(const View& view, long unwritten) const;

    /// A finding for a read of `what`, of which the byte at `unwritten` was never written.
    void report_unwritten(const View& view, const std::string& what, long unwritten) const;

    /// Checks that the instruction may write there, and records the write.
    void write(const View& view, uint64_t offset, uint64_t bytes);

    /// Same as read() and write() for addresses that must be multiples of `alignment` bytes.
    void read_aligned(const View& view, uint64_t offset, uint64_t bytes, uint32_t alignment = 32) {
        require_aligned(view, offset, alignment);
        read(view, offset, bytes);
    }
    void write_aligned(const View& view, uint64_t offset, uint64_t bytes, uint32_t alignment = 32) {
        require_aligned(view, offset, alignment);
        write(view, offset, bytes);
    }

    void require_aligned(const View& view, uint64_t offset, uint32_t alignment) {
        if ((reinterpret_cast<uintptr_t>(view.data) + offset) % alignment != 0)
            misaligned(view, offset, alignment);
    }

    /// Checks a read or write of global memory.
    void read_global(const void* address, uint64_t bytes);
    /// `data` are the bytes to be written, when they are known: equal writes of several cores are no race.
    void write_global(const void* address, uint64_t bytes, const void* data = nullptr);

    /// Has the instruction start when that one of `other` is finished.
    void await(Pipe other, uint64_t sequence) const;

    /// The same of all that this core's pipes store in a range of global memory.
    void await_stores(const uint8_t* begin, uint64_t bytes) const;

    /// Gives the instruction to its pipe. `cycles` occupy the pipe; the result is visible `latency` cycles
    /// later. `bytes` of global memory pass. Returns when it starts.
    double issue(double cycles, double latency, double bytes = 0);

    /// The same for a copy of `bytes` bytes over the core's connection to global memory: `cycles` of
    /// handling, then as long as the bus needs beside the copies of the other direction.
    void issue_transfer(double cycles, double bytes);

    /// A copy of a cube core into L1: `rows` rows of it become fractals, which takes `least` cycles at least.
    void issue_l1_copy(double rows, double bytes, double least = 0);

    /// FixPipe's way out of a cube core: `read` bytes of L0C become `written` bytes of global memory, the
    /// last of them not before `earliest_end`. Returns when it starts.
    double issue_store(double read, double written, double earliest_end);

    /// A finding of this call.
    void fail(const Rule& rule, const FindingText& text) const { report(rule, call_, site_, text); }
    void warn(const Rule& rule, Severity severity, const FindingText& text) const {
        report_as(rule, severity, call_, site_, text);
    }

    Pipe pipe() const { return pipe_; }
    const char* call() const { return call_; }
    const Site& site() const { return site_; }

private:
    /// What instructions wrote is no store of the kernel's own.
    static void settle_writes();
    void charge_raw_stores(MemoryKind kind, uint64_t begin, uint64_t bytes, bool write) const;
    uint64_t next_tag();
    GmUser user() const;
    double start_on_pipe(double& stalled);
    double bus_cycles(double bytes) const;
    double missed_share() const { return touched_ > 0 ? missed_ / touched_ : 0; }
    void misaligned(const View& view, uint64_t offset, uint32_t alignment) const;
    void note_read(const View& view, uint64_t begin, uint64_t bytes);
    void require_global_order(uint64_t earlier, const GmRegion& region, const char* action,
                              const char* earlier_action) const;
    uint64_t checked_offset(const View& view, uint64_t offset, uint64_t bytes, bool write) const;
    bool require_ordered(uint64_t tag, const View& view, uint64_t block, bool write, bool earlier_write);

    Pipe pipe_;
    const char* call_;
    Site site_;
    uint64_t tag_ = 0;
    double touched_ = 0, missed_ = 0;  ///< bytes of global memory it moves where L2 counts, those L2 lacks
    const GmRegion* read_from_ = nullptr;  ///< where they lie
    double partial_ = 0;                   ///< and more bytes of units that only a part is wanted of
    OpenCall open_;
};

/// Notes an access to a region for the races between cores; a finding when nothing orders it after another
/// core's.
void log_gm_read(const GmRegion& region, const uint8_t* address, uint64_t bytes, const GmUser& now);
/// The same for a read that may belong to a poll: what it depends on is tried in other orders of the cores.
void log_gm_poll(const GmRegion& region, const uint8_t* address, uint64_t bytes);
/// A store through a pointer, of bytes some of which are as they were.
void log_gm_store(const uint8_t* address, uint64_t bytes, const uint8_t* data);
void log_gm_write(const GmRegion& region, const uint8_t* address, uint64_t bytes, const GmUser& now,
                  const uint8_t* data);

/// The scalar unit writes into its data cache, somebody reads global memory; findings where caches differ
/// from it.
void write_cached(const void* element, uint64_t bytes, const CallSite& now);
void read_uncached(const GmRegion& region, const uint8_t* address, uint64_t bytes, const CallSite& now,
                   Pipe pipe);
/// The core writes the line of `address`, or its whole data cache, back and forgets it.
void clean_cache(const uint8_t* address, bool whole);

/// Number of the instruction that the vector unit was given last.
inline uint64_t vector_instruction() { return core().issued[static_cast<size_t>(Pipe::V)]; }

/// That one leaves its sum in the accumulator register.
inline void keep_sum(double value) {
    core().vector.sum_value = value;
    core().vector.summed_by = vector_instruction();
}

/// That one leaves a maximum or minimum in the register of those.
inline void keep_extreme(double value, uint64_t index) {
    core().vector.reduce_value = value;
    core().vector.reduce_index = index;
    core().vector.reduced_by = vector_instruction();
}

/// The scalar unit takes the register that this instruction of the vector unit leaves its result in: it waits
/// for that one.
void take_register(uint64_t instruction, const char* call, const Site& site);

/// Name of the buffer behind a view, for findings.
std::string describe(const View& view);

/// Makes `to` wait until everything `from` was given so far is finished.
void order_pipes(Core& core, Pipe from, Pipe to);
/// The same for pipes that follow each other part by part: `to` may start at `time` already.
void order_pipes(Core& core, Pipe from, Pipe to, double time);

/// Whether a pipe of a vector core stands for the cube core that serves it: M for what asynchronous products
/// read, FIX for what they store.
inline bool is_of_library(const Core& core, Pipe pipe) {
    return core.type == CoreType::vector && (pipe == Pipe::M || pipe == Pipe::FIX);
}

/// What the pipes of a core were given. What a Matmul object reads and stores for a vector core without its
/// waiting is no pipe of it: WaitIterateAll orders that.
Clock issued_by(const Core& core);

/// Snapshot of what `from` has finished once its instructions so far are done.
Event event_of(Core& core, Pipe from);

/// What is finished when the instruction with this number of `pipe` is: those before it, and what they waited
/// for.
Clock finished_with(const Core& core, Pipe pipe, uint64_t sequence);

/// Whether what `pipe` is given now starts after that instruction of `other`. The scalar unit issues the
/// instructions of all pipes in their order, so that what it has waited for is finished before any of those
/// it issues later.
bool comes_after(const Core& core, Pipe pipe, Pipe other, uint64_t sequence);

/// Makes `to` wait for `event`.
void await_event(Core& core, Pipe to, const Event& event);

}  // namespace twin
