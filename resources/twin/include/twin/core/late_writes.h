// Another order of the pipes of a core: what an instruction writes becomes visible as late as its
// synchronisation allows.
//
// The twin moves data when an instruction is called. On the device a pipe may come to it much later: until a
// flag, a queue or a barrier says that it is done. In a launch with a schedule (Launch::schedule)
// instructions chosen by its number have their results taken back after the call and put in place when
// something is ordered after them. A kernel without a race gives the same; one that lacks a flag reads what
// was there before. What an instruction reads too late is the matter of late_reads.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "twin/core/late_reads.h"
#include "twin/core/pipes.h"

namespace twin {

class LateWrites {
public:
    /// Schedule 1 delays everything; others, about half of the instructions, another half for every core.
    LateWrites(uint32_t schedule, int slot, LateReads& reads,
               std::array<LocalMemory, kLocalMemories>& memories)
        : all_(schedule == 1),
          state_(schedule * 2654435761u + uint64_t(slot) * 40503u + 1),
          slot_(slot),
          reads_(reads),
          memories_(memories) {}

    /// Instruction `sequence` of `pipe` begins: results of its own pipe are there where it may need them, and
    /// so is what it reads too late.
    void begin(Pipe pipe, uint64_t sequence);
    /// It is about to write `bytes` bytes at `at`.
    void save(uint8_t* at, size_t bytes);
    /// It is about to overwrite `bytes` bytes that nothing keeps `reader` from reading afterwards.
    void overwrites(const InstructionNumber& reader, MemoryKind kind, uint64_t offset, size_t bytes);
    /// It has ended, as number `sequence` of its pipe: its results are taken back, or stay.
    void end(Pipe pipe, uint64_t sequence);

    /// Everything up to `done`, by pipe, is finished.
    void settle(const Clock& done);
    void settle(Pipe pipe);
    void settle_all();

private:
    struct Part {
        uint8_t* at;
        std::vector<uint8_t> bytes;
    };
    struct Late {
        uint64_t sequence;
        std::vector<Part> parts;
    };

    bool is_late();
    uint8_t* place(MemoryKind kind, uint64_t offset) const;
    void note_pairs();
    void put(const std::vector<Part>& parts);

    bool all_;
    uint64_t state_;
    int slot_;
    LateReads& reads_;
    std::array<LocalMemory, kLocalMemories>& memories_;
    std::vector<Part> before_;  ///< of the instruction under way, as is all up to here:
    std::vector<Part> hidden_;  ///< what it reads too late, as it is for all others
    std::vector<std::pair<InstructionNumber, Overwriting>> pairs_;
    std::array<std::deque<Late>, kPipes> late_;
};

}  // namespace twin
