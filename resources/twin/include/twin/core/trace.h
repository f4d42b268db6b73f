// What every pipe did and when, for a timeline. Kept only for a launch that asks for it: without,
// `Core::trace` is null and one comparison an instruction is all it costs.
//
// The records of a core go, when it ends, as one chunk into memory that the launch was given (Launch::trace):
//
//   TraceHeader
//   TraceChunk, text of its sites ("call\tfile\tline\n" each) up to a multiple of 8 bytes, its TraceRecords;
//   once a core
//
// docs/trace.md says what becomes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "twin/core/pipes.h"
#include "twin/core/site.h"

namespace twin {

enum class TraceKind : uint8_t {
    work,      ///< an instruction, or scalar work of a call; a scalar stretch of one line is one record
    pause,     ///< the scalar unit waits: for a pipe, a barrier or another core
    wait,      ///< the next record of `pipe` comes after record number `link`, because of a flag or queue
    buffer,    ///< InitBuffer: `link` is its number in the core, `bytes` its size, `cycles` its offset
    taken,     ///< AllocTensor: from `start` on its producer may write buffer `link`
    filled,    ///< EnQue
    given,     ///< DeQue
    released,  ///< FreeTensor: at `start` its consumer is done with it
    wrote  ///< bytes of global memory: `start` is the offset in the tensor, whose name stands for the call
};

/// 32 bytes. Times are cycles since the start of the core.
struct TraceRecord {
    double start = 0;
    float cycles = 0;    ///< work, pause: how long
    float stalled = 0;   ///< work: how long the pipe was idle before it, held back by flags
    uint32_t bytes = 0;  ///< work: bytes of a copy; wrote: bytes behind each other
    uint32_t link = 0;   ///< wait: 1 + number of a record of core `extra` - 1, or of this one; 0 for none
    uint32_t site = 0;   ///< number of its call site in the chunk
    TraceKind kind = TraceKind::work;
    uint8_t pipe = 0;
    uint16_t extra =
        0;  ///< wait: 1 + slot of another core, 0 for this one; buffer: memory + 256 x number in its queue
};
static_assert(sizeof(TraceRecord) == 32, "docs/trace.md and the reader rely on it");

struct TraceHeader {
    char magic[8] = {'S', 'A', 'G', 'E', 'T', 'R', 'C', '1'};
    uint64_t used = 0;     ///< bytes in use, this header included
    uint64_t dropped = 0;  ///< records there was no room for
    double clock_mhz = 0;
    uint32_t chunks = 0;
    uint32_t at_once = 0;  ///< cores that run at the same time; slot i waits for slot i - at_once
};
static_assert(sizeof(TraceHeader) == 40, "the reader relies on it");

struct TraceChunk {
    uint32_t slot = 0;
    uint32_t cube = 0;  ///< 1 for a cube core
    uint32_t ai_core = 0,
             unit = 0;        ///< as msprof counts: AI cores, each with a cube core and two vector cores
    uint32_t block = 0;       ///< GetBlockIdx()
    uint32_t site_bytes = 0;  ///< text, before padding
    uint64_t records = 0, dropped = 0;
    double total = 0;  ///< cycles until its last instruction is done
};
static_assert(sizeof(TraceChunk) == 48, "the reader relies on it");

/// The records of one core, or of the products its cube core makes for others.
class TraceLog {
public:
    explicit TraceLog(size_t most) : most_(most) {}

    void work(Pipe pipe, double start, double cycles, double stalled, double bytes, const char* call,
              const Site& site);
    void pause(double start, double end, const char* call, const Site& site);
    /// `after` is the last() of a pipe of this core, or of core `slot` when that is not negative.
    void wait(Pipe pipe, uint32_t after, double until, const char* call, const Site& site, int slot = -1);
    void buffer(uint32_t number, uint8_t memory, int place, uint32_t offset, uint32_t bytes, double time,
                const char* role, const Site& site);
    /// Bytes `offset` to before `offset + bytes` of a tensor, written by this core.
    void wrote(const char* tensor, uint64_t offset, uint64_t bytes, const Site& site);
    void turn(TraceKind kind, uint32_t buffer, double time, const char* call, const Site& site);

    /// 1 + number of the record a pipe made last, 0 when there is none.
    uint32_t last(Pipe pipe) const { return last_[static_cast<size_t>(pipe)]; }

    bool empty() const { return records_.empty(); }
    /// Appends the chunk behind `header`, which lies at the start of `bytes` bytes; what does not fit is
    /// counted.
    void flush(TraceHeader& header, size_t bytes, TraceChunk chunk) const;

private:
    uint32_t site_number(const char* call, const Site& site);
    TraceRecord* add(TraceKind kind, Pipe pipe, double start, const char* call, const Site& site);

    size_t most_;
    uint64_t dropped_ = 0;
    std::vector<TraceRecord> records_;
    std::array<uint32_t, kPipes> last_{};
    size_t wrote_ = 0;  ///< 1 + number of the `wrote` record made last
    struct Called {
        const char* call;
        Site site;
    };
    std::vector<Called> sites_;
    std::unordered_map<uint64_t, uint32_t> numbers_;
};

}  // namespace twin
