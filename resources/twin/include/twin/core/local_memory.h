// One on-chip memory of a core (UB, L1, L0A, ...) with what is known about every 32-byte block of it.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

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

/// Byte that fills memory nobody wrote: NaN in every floating type, so that it spreads into wrong results.
constexpr uint8_t kPoison = 0xff;

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

/// Bytes and shadow state of one on-chip memory. Memory is created on first use.
class LocalMemory {
public:
    LocalMemory() = default;
    LocalMemory(const LocalMemory&) = delete;
    LocalMemory& operator=(const LocalMemory&) = delete;
    ~LocalMemory() { open_guard(); }

    void open(MemoryKind kind) {
        if (bytes_) return;
        capacity_ = memory_bytes(kind);
        // Kernels may hold addresses past the end as long as nothing accesses them; keep those addresses
        // ours.
        bytes_.reset(new (std::align_val_t(kGuardBytes)) uint8_t[allocated()]);
        std::memset(bytes_.get(), kPoison, capacity_ + kSlack);
        const size_t blocks = capacity_ / kBlockBytes;
        written_.assign(blocks, 0);
        writer_.assign(blocks, 0);
    }

    uint8_t* base() const { return bytes_.get(); }
    size_t capacity() const { return capacity_; }
    bool holds(const uint8_t* address) const {
        return bytes_ && address >= bytes_.get() && address <= bytes_.get() + capacity_ + kSlack;
    }

    /// Forgets the content of a range: its bytes are poison and count as never written.
    void poison(size_t offset, size_t bytes) {
        if (offset >= capacity_) return;
        bytes = bytes < capacity_ - offset ? bytes : capacity_ - offset;
        std::memset(bytes_.get() + offset, kPoison, bytes);
        if (known_) settle(offset, bytes);
        mark(offset, bytes, false);
    }

    /// From now on stores that no instruction makes are noticed: the kernel has an address of this memory.
    void watch() {
        if (known_) return;
        known_.reset(new uint8_t[capacity_]);
        std::memcpy(known_.get(), bytes_.get(), capacity_);
    }
    bool watched() const { return known_ != nullptr; }

    /// From now on what the kernel reads through that address is noticed as well; see twin/core/raw_reads.h.
    void guard() { guarded_ = true; }
    void open_guard() {
        if (closed_) closed_ = mprotect(bytes_.get(), allocated(), PROT_READ | PROT_WRITE) != 0;
    }
    void close_guard() {
        if (guarded_) closed_ = mprotect(bytes_.get(), allocated(), PROT_NONE) == 0;
    }
    /// Opens the page of `address`; its bytes, 0 for an address elsewhere.
    size_t open_page(const uint8_t* address) {
        if (!closed_ || address < bytes_.get() || address >= bytes_.get() + allocated()) return 0;
        const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        uint8_t* const begin = bytes_.get() + static_cast<size_t>(address - bytes_.get()) / page * page;
        return mprotect(begin, page, PROT_READ | PROT_WRITE) == 0 ? page : 0;
    }

    /// Words of four bytes in the range that changed though no instruction wrote them; they are known from then on.
    size_t take_raw_words(size_t offset, size_t bytes) {
        constexpr size_t kWord = 4;
        const size_t first = offset / kWord * kWord;
        const size_t end = std::min(capacity_, (offset + bytes + kWord - 1) / kWord * kWord);
        if (std::memcmp(known_.get() + first, bytes_.get() + first, end - first) == 0) return 0;
        size_t words = 0;
        for (size_t word = first; word < end; word += kWord) {
            words += std::memcmp(known_.get() + word, bytes_.get() + word, kWord) != 0 ? 1 : 0;
        }
        settle(first, end - first);
        return words;
    }

    /// What lies in the range now was written by an instruction.
    void settle(size_t offset, size_t bytes) {
        std::memcpy(known_.get() + offset, bytes_.get() + offset, bytes);
    }

    void mark_written(size_t offset, size_t bytes) { mark(offset, bytes, true); }
    void mark_unwritten(size_t offset, size_t bytes) { mark(offset, bytes, false); }

    /// Offset of the first byte of the range that was never written, or -1.
    long first_unwritten(size_t offset, size_t bytes) const {
        const size_t first = offset / kBlockBytes, last = (offset + bytes - 1) / kBlockBytes;
        for (size_t block = first; block <= last; ++block) {
            const uint32_t wanted = block_mask(block, offset, bytes);
            const uint32_t missing = wanted & ~written_[block];
            if (missing != 0) return static_cast<long>(block * kBlockBytes + __builtin_ctz(missing));
        }
        return -1;
    }

    uint64_t* writers() { return writer_.data(); }
    /// AccessTags of the last read of every block by `pipe`; nullptr while that pipe has read nothing.
    uint64_t* readers(int pipe) { return reader_[pipe].empty() ? nullptr : reader_[pipe].data(); }
    uint64_t* open_readers(Pipe pipe) {
        auto& tags = reader_[static_cast<int>(pipe)];
        if (tags.empty()) tags.assign(writer_.size(), 0);
        return tags.data();
    }

private:
    static constexpr size_t kSlack = 512;
    static constexpr size_t kGuardBytes = 65536;  // a multiple of every usual size of a page

    size_t allocated() const { return (capacity_ + kSlack + kGuardBytes - 1) / kGuardBytes * kGuardBytes; }

    struct AlignedDelete {
        void operator()(uint8_t* bytes) const { ::operator delete[](bytes, std::align_val_t(kGuardBytes)); }
    };

    /// Bits of `block` that lie inside the byte range.
    static uint32_t block_mask(size_t block, size_t offset, size_t bytes) {
        const size_t begin = block * kBlockBytes, end = begin + kBlockBytes;
        uint32_t mask = ~0u;
        if (offset > begin) mask &= ~0u << (offset - begin);
        if (offset + bytes < end) mask &= ~0u >> (end - offset - bytes);
        return mask;
    }

    void mark(size_t offset, size_t bytes, bool written) {
        if (bytes == 0) return;
        const size_t first = offset / kBlockBytes, last = (offset + bytes - 1) / kBlockBytes;
        for (size_t block = first; block <= last; ++block) {
            const uint32_t mask = block_mask(block, offset, bytes);
            written_[block] = written ? written_[block] | mask : written_[block] & ~mask;
        }
    }

    size_t capacity_ = 0;
    bool guarded_ = false, closed_ = false;
    std::unique_ptr<uint8_t[], AlignedDelete> bytes_;
    std::unique_ptr<uint8_t[]> known_;  // what instructions left, once a kernel took an address
    std::vector<uint32_t> written_;  // one bit per byte of every block
    std::vector<uint64_t> writer_;   // AccessTag of the last write of every block
    std::array<std::vector<uint64_t>, kPipes> reader_;
};

}  // namespace twin
