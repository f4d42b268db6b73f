// Work of the scalar unit that makes no API call: passes of the candidate's own loops, and time nobody
// explains.
//
// Passes are counted exactly, so charging them is deterministic. CPU time is not: it only ever decides that a
// latency is not known, and with a wide margin.
#pragma once

#include <atomic>
#include <cstdint>

#include "twin/core/raw_reads.h"

namespace twin {

/// Loop passes of the candidate's own source on this thread; a core keeps its thread.
inline thread_local uint64_t loop_passes = 0;

/// How many calls of the twin the launch is in; read by the sampler, written by the one core that runs.
inline std::atomic<int> calls_open{0};

/// Counts one pass of a loop; false, so that it can stand in a condition. Constant evaluation costs a device
/// nothing.
constexpr bool loop_pass() {
    if (!__builtin_is_constant_evaluated()) ++loop_passes;
    return false;
}

/// Counts `bytes` moved by a function of the C library: a loop over words of four bytes.
inline void count_moved(uint64_t bytes) { loop_passes += (bytes + 3) / 4; }

/// Marks CPU time as the twin's own while it lives.
class OpenCall {
public:
    OpenCall() { add(1); }
    ~OpenCall() {
        add(-1);
        if (local_pages_open && calls_open.load(std::memory_order_relaxed) == 0) close_local_pages();
    }
    OpenCall(const OpenCall&) = delete;
    OpenCall& operator=(const OpenCall&) = delete;

private:
    static void add(int change) {  // one core runs at a time: no locked instruction is needed
        calls_open.store(calls_open.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
    }
};

/// Puts the count of open calls aside while other cores run, or the kernel itself does.
class CallsAside {
public:
    explicit CallsAside(int meanwhile) : before_(calls_open.exchange(meanwhile, std::memory_order_relaxed)) {}
    ~CallsAside() { calls_open.store(before_, std::memory_order_relaxed); }
    CallsAside(const CallsAside&) = delete;
    CallsAside& operator=(const CallsAside&) = delete;

private:
    int before_;
};

}  // namespace twin
