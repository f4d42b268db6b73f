// What a core keeps about its way to global memory.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>

#include "twin/core/bus.h"

namespace twin {

enum class AtomicMode : uint8_t { none, add, max, min };

/// How often the scalar unit read one address of global memory.
struct Poll {
    const uint8_t* address = nullptr;
    uint32_t reads = 0;
};

/// Which instructions of this core touched ranges of global memory last. Adjoining ranges of two stay apart:
/// one may be waited for without the other.
class GmAccesses {
public:
    void put(const uint8_t* begin, const uint8_t* end, uint64_t tag) {
        erase(begin, end);
        auto next = ranges_.lower_bound(begin);
        if (next != ranges_.begin()) {
            const auto left = std::prev(next);
            if (left->second.end == begin && left->second.tag == tag) {
                left->second.end = end;
                return;
            }
        }
        if (ranges_.size() < kMost) ranges_.emplace_hint(next, begin, Range{end, tag});
    }

    /// Calls `seen(tag)` for every access that overlaps.
    template <class Seen>
    void overlapping(const uint8_t* begin, const uint8_t* end, Seen seen) const {
        auto at = ranges_.upper_bound(begin);
        if (at != ranges_.begin()) --at;
        for (; at != ranges_.end() && at->first < end; ++at) {
            if (at->second.end > begin) seen(at->second.tag);
        }
    }

private:
    struct Range {
        const uint8_t* end = nullptr;
        uint64_t tag = 0;
    };
    static constexpr size_t kMost = 1u << 16;  // a core that copies more in pieces takes milliseconds

    void erase(const uint8_t* begin, const uint8_t* end) {
        auto at = ranges_.upper_bound(begin);
        if (at != ranges_.begin()) --at;
        while (at != ranges_.end() && at->first < end) {
            const auto [first, old] = *at;
            if (old.end <= begin) {
                ++at;
                continue;
            }
            at = ranges_.erase(at);
            if (first < begin) ranges_.emplace(first, Range{begin, old.tag});
            if (old.end > end) ranges_.emplace(end, Range{old.end, old.tag});
        }
    }

    std::map<const uint8_t*, Range> ranges_;  // by begin
};

/// An access of a pipe to memory that other cores may use, and of which no signal told yet.
struct GmTransfer {
    const uint8_t* begin = nullptr;
    uint64_t bytes = 0;
    uint64_t tag = 0;
    bool is_write = false;
};

/// Connection to global memory, and the registers of its copies.
struct GmState {
    Bus bus;
    AtomicMode atomic = AtomicMode::none;
    std::array<uint8_t, 8> pad_value{};  ///< SetPadValue, valid when pad_bytes is not 0
    uint32_t pad_bytes = 0;
    GmAccesses writes, reads;              ///< of its pipes; reads are those by MTE2 of what can be written
    GmAccesses product_reads;              ///< by the cube core for asynchronous products, of the same
    std::deque<GmTransfer> unsignalled{};  ///< the last of them
    const uint8_t* cached_line = nullptr;  ///< data-cache line the scalar unit read last
    std::array<Poll, 64> polls{};          ///< scalar reads by address, to recognise polling
};

}  // namespace twin
