// One on-chip memory of a core (UB, L1, L0A, ...) with what is known about every 32-byte block of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "twin/core/pipes.h"
#include "twin/soc_data.h"

namespace twin {

enum class MemoryKind : uint8_t { UB = 0, L1, L0A, L0B, L0C, BT, FB, GM };
constexpr int kLocalMemories = 7;

constexpr const char* memory_name(MemoryKind kind) {
    constexpr const char* names[] = {"UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", "GM"};
    return names[static_cast<int>(kind)];
}

constexpr size_t memory_bytes(MemoryKind kind) {
    constexpr size_t sizes[] = {kUbBytes, kL1Bytes, kL0aBytes, kL0bBytes, kL0cBytes, kBtBytes, kFbBytes, 0};
    return sizes[static_cast<int>(kind)];
}

/// What fills on-chip memory that no instruction wrote, again and again: NaN in every floating type, so that
/// it spreads into wrong results. A launch of the judge has a number of its own, see poison_of().
inline uint16_t poison_word = 0xffff;

/// One of the 254 words that are NaN as half, as bfloat16 and as the upper half of a float.
constexpr uint16_t poison_of(uint64_t seed) {
    return static_cast<uint16_t>(0x7f81 + seed % 127 + (seed / 127 % 2 != 0 ? 0x8000 : 0));
}

inline void fill_poison(uint8_t* to, size_t bytes) {
    constexpr size_t kBlock = 4096;
    std::array<uint16_t, kBlock / 2> block;
    block.fill(poison_word);
    for (size_t at = 0; at < bytes; at += kBlock)
        std::memcpy(to + at, block.data(), std::min(kBlock, bytes - at));
}

/// Packed identity of an access: pipe, call-site number and position in the pipe's instruction order. 0 is
/// none.
struct AccessTag {
    static constexpr int kPipeBits = 3, kSiteBits = 17;
    static constexpr uint64_t pack(Pipe pipe, uint32_t site, uint64_t sequence) {
        return sequence << (kPipeBits + kSiteBits) | uint64_t(site) << kPipeBits | uint64_t(pipe);
    }
    static constexpr Pipe pipe(uint64_t tag) { return static_cast<Pipe>(tag & ((1u << kPipeBits) - 1)); }
    static constexpr uint32_t site(uint64_t tag) { return (tag >> kPipeBits) & ((1u << kSiteBits) - 1); }
    static constexpr uint64_t sequence(uint64_t tag) { return tag >> (kPipeBits + kSiteBits); }
};

/// In a kernel's process whose simulator is another one: memories are addresses without bytes.
inline bool local_addresses_only = false;

/// Bytes and shadow state of one on-chip memory. Memory is created on first use.
class LocalMemory {
public:
    LocalMemory() = default;
    LocalMemory(const LocalMemory&) = delete;
    LocalMemory& operator=(const LocalMemory&) = delete;
    ~LocalMemory();

    void open(MemoryKind kind);

    uint8_t* base() const { return pages_; }
    size_t capacity() const { return capacity_; }
    bool holds(const uint8_t* address) const {
        return pages_ != nullptr && address >= pages_ && address <= pages_ + capacity_ + kSlack;
    }

    /// `own`, which the kernel may know from now on: stores that no instruction makes are noticed.
    uint8_t* lend(uint8_t* own);
    bool is_lent() const { return known_ != nullptr; }
    void watch();
    /// The kernel touches the page at `offset`; its bytes, 0 if it is open already.
    size_t note_page(size_t offset);
    /// Bytes for which there are addresses.
    size_t addresses() const { return allocated(); }
    /// Closes what was opened.
    void close_pages();

    /// Forgets the content of a range: its bytes are poison and count as never written.
    void poison(size_t offset, size_t bytes);

    /// Words of four bytes in the range that changed though no instruction wrote them; they are known from
    /// then on.
    size_t take_raw_words(size_t offset, size_t bytes);

    /// What lies in the range now was written by an instruction.
    void settle(size_t offset, size_t bytes);

    void mark_written(size_t offset, size_t bytes);
    /// The range counts as never written; `origin` numbers the call that made it of bytes nobody wrote.
    void mark_unwritten(size_t offset, size_t bytes, uint32_t origin = kNoOrigin);

    /// Offset of the first byte of the range that was never written, or -1.
    long first_unwritten(size_t offset, size_t bytes) const;

    /// The call that made a byte of others nobody wrote, or kNoOrigin.
    uint32_t origin(size_t offset) const;
    static constexpr uint32_t kNoOrigin = ~0u;

    /// What is known about the bytes of a block, one bit each, and its restoring for some of them.
    struct BlockShadow {
        uint32_t written = 0, derived = 0;
    };
    BlockShadow shadow(size_t block) const { return {written_[block], derived_[block]}; }
    void restore(size_t block, uint32_t bytes, BlockShadow before);

    uint64_t* writers();
    /// AccessTags of the last read of every block by `pipe`; nullptr while that pipe has read nothing.
    uint64_t* readers(int pipe);
    uint64_t* open_readers(Pipe pipe);

private:
    static constexpr size_t kSlack = 512;
    static constexpr size_t kGuardBytes = 65536;  // a multiple of every usual size of a page

    size_t allocated() const { return (capacity_ + kSlack + kGuardBytes - 1) / kGuardBytes * kGuardBytes; }

    /// Bits of `block` that lie inside the byte range.
    static uint32_t block_mask(size_t block, size_t offset, size_t bytes) {
        const size_t begin = block * kBlockBytes, end = begin + kBlockBytes;
        uint32_t mask = ~0u;
        if (offset > begin) mask &= ~0u << (offset - begin);
        if (offset + bytes < end) mask &= ~0u >> (end - offset - bytes);
        return mask;
    }

    void mark(size_t offset, size_t bytes, bool written, bool derived);

    size_t capacity_ = 0;
    MemoryKind kind_ = MemoryKind::UB;
    uint8_t* pages_ = nullptr;
    std::vector<size_t> open_;          // offsets of pages that the kernel touched
    std::unique_ptr<uint8_t[]> known_;  // what instructions left, once a kernel took an address
    std::vector<uint32_t> written_;     // one bit per byte of every block
    std::vector<uint32_t> derived_;     // the same: made of unwritten bytes
    std::vector<uint32_t> origin_;      // of every block: the call that last did so
    std::vector<uint64_t> writer_;      // AccessTag of the last write of every block
    std::array<std::vector<uint64_t>, kPipes> reader_;
};

}  // namespace twin
