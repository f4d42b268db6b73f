// Another order of the pipes of a core: an instruction reads as late as its synchronisation allows.
//
// The twin reads when an instruction is called. On the device its pipe may come to it after another pipe, or
// another core, has overwritten the source, when no flag makes the overwriting wait. A launch with a schedule
// notes every such pair: what the later instruction wrote, byte by byte, over what the earlier one reads.
// When there are any, the launch is made a second time from the same memory, and the instructions that read
// find there what will be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <map>
#include <vector>

#include "twin/core/local_memory.h"
#include "twin/launch.h"

namespace twin {

/// An instruction: slot of its core, its pipe and its number there.
using InstructionNumber = std::tuple<int, int, uint64_t>;

/// Bytes in a memory of a core; of global memory the offset is the address the simulator keeps it at.
struct Overwriting {
    MemoryKind kind = MemoryKind::GM;
    uint64_t offset = 0;
    std::vector<uint8_t> bytes;
};

/// The pairs of one launch. Only the core that holds the baton touches it.
class LateReads {
public:
    explicit LateReads(const Launch& launch);

    /// `reader` may come after what is written here.
    void note(const InstructionNumber& reader, Overwriting written);
    /// What `reader` finds in the second launch; null when there is nothing.
    const std::vector<Overwriting>* found_by(const InstructionNumber& reader) const;

    /// Whether the launch has to be made again; global memory is then as it was before.
    bool begins_again();
    /// Forgets all pairs and restores memory: the launch begins on other cores.
    void forget();

private:
    static constexpr size_t kMostBytes = 64u << 20;    ///< of pairs; those beyond are not tried
    static constexpr size_t kMostMemory = 512u << 20;  ///< of global memory that is kept to begin again

    struct Kept {
        uint8_t* at;
        std::vector<uint8_t> bytes;
    };
    void restore();
    bool is_chosen(const InstructionNumber& reader) const;

    uint32_t schedule_;
    bool again_ = false, keeps_ = true;
    size_t bytes_ = 0;
    std::vector<Kept> before_;
    std::map<InstructionNumber, std::vector<Overwriting>> pairs_;
};

}  // namespace twin
