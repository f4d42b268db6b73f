// Definitions of local_memory.h. Part of twin/device.h.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "twin/core/local_memory.h"

namespace twin {

namespace {

size_t page_bytes() {
    static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

/// Pages that no core uses now, by kind of memory: those of one core serve the next. One core runs at a time.
std::vector<uint8_t*>& spare_pages(MemoryKind kind) {
    static auto& all = *new std::array<std::vector<uint8_t*>, kLocalMemories>;  // outlives every core
    return all[static_cast<size_t>(kind)];
}

/// Addresses for `bytes` bytes with nothing on either side: who leaves them meets no other memory.
void* free_addresses(size_t bytes) {
    constexpr size_t kNothing = 1 << 20;
    void* const all = mmap(nullptr, bytes + 2 * kNothing, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    return static_cast<uint8_t*>(all) + kNothing;
}

uint8_t* new_pages(size_t bytes) {
    void* const made = free_addresses(bytes);
    if (mprotect(made, bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    return static_cast<uint8_t*>(made);
}

}  // namespace

LocalMemory::~LocalMemory() {
    if (pages_ == nullptr) return;
    close_pages();
    spare_pages(kind_).push_back(pages_);
}

void LocalMemory::open(MemoryKind kind) {
    if (pages_ != nullptr) return;
    kind_ = kind;
    capacity_ = memory_bytes(kind);
    // Kernels may hold addresses past the end as long as nothing accesses them; keep those addresses
    // ours.
    auto& spare = spare_pages(kind);
    if (spare.empty() && local_addresses_only)
        spare.push_back(static_cast<uint8_t*>(free_addresses(allocated())));
    if (spare.empty()) spare.push_back(new_pages(allocated()));
    pages_ = spare.back();
    spare.pop_back();
    if (local_addresses_only) return;
    fill_poison(pages_, capacity_ + kSlack);
    const size_t blocks = capacity_ / kBlockBytes;
    written_.assign(blocks, 0);
    derived_.assign(blocks, 0);
    origin_.assign(blocks, kNoOrigin);
    writer_.assign(blocks, 0);
}

void LocalMemory::poison(size_t offset, size_t bytes) {
    if (offset >= capacity_) return;
    bytes = bytes < capacity_ - offset ? bytes : capacity_ - offset;
    fill_poison(pages_ + offset, bytes);
    if (known_) settle(offset, bytes);
    mark(offset, bytes, false, false);
}

void LocalMemory::watch() {
    if (is_lent()) return;
    known_.reset(new uint8_t[capacity_]);
    std::memcpy(known_.get(), pages_, capacity_);
    open_.reserve(allocated() / page_bytes());
}

uint8_t* LocalMemory::lend(uint8_t* own) {
    if (!local_addresses_only) watch();
    return own;
}

size_t LocalMemory::note_page(size_t offset) {
    watch();
    if (std::find(open_.begin(), open_.end(), offset) != open_.end()) return 0;
    open_.push_back(offset);
    return page_bytes();
}

void LocalMemory::close_pages() { open_.clear(); }

size_t LocalMemory::take_raw_words(size_t offset, size_t bytes) {
    constexpr size_t kWord = 4;
    const size_t first = offset / kWord * kWord;
    const size_t end = std::min(capacity_, (offset + bytes + kWord - 1) / kWord * kWord);
    if (std::memcmp(known_.get() + first, pages_ + first, end - first) == 0) return 0;
    size_t words = 0;
    for (size_t word = first; word < end; word += kWord) {
        words += std::memcmp(known_.get() + word, pages_ + word, kWord) != 0 ? 1 : 0;
    }
    settle(first, end - first);
    return words;
}

void LocalMemory::settle(size_t offset, size_t bytes) {
    std::memcpy(known_.get() + offset, pages_ + offset, bytes);
}

void LocalMemory::mark_written(size_t offset, size_t bytes) { mark(offset, bytes, true, false); }

void LocalMemory::mark_unwritten(size_t offset, size_t bytes, uint32_t origin) {
    const bool derived = origin != kNoOrigin;
    mark(offset, bytes, false, derived);
    if (!derived || bytes == 0) return;
    const size_t last = (offset + bytes - 1) / kBlockBytes;
    for (size_t block = offset / kBlockBytes; block <= last; ++block) origin_[block] = origin;
}

uint32_t LocalMemory::origin(size_t offset) const {
    const size_t block = offset / kBlockBytes;
    return (derived_[block] >> (offset % kBlockBytes) & 1) != 0 ? origin_[block] : kNoOrigin;
}

void LocalMemory::restore(size_t block, uint32_t bytes, BlockShadow before) {
    written_[block] = (written_[block] & ~bytes) | (before.written & bytes);
    derived_[block] = (derived_[block] & ~bytes) | (before.derived & bytes);
}

long LocalMemory::first_unwritten(size_t offset, size_t bytes) const {
    const size_t first = offset / kBlockBytes, last = (offset + bytes - 1) / kBlockBytes;
    for (size_t block = first; block <= last; ++block) {
        const uint32_t wanted = block_mask(block, offset, bytes);
        const uint32_t missing = wanted & ~written_[block];
        if (missing != 0) return static_cast<long>(block * kBlockBytes + __builtin_ctz(missing));
    }
    return -1;
}

uint64_t* LocalMemory::writers() { return writer_.data(); }

uint64_t* LocalMemory::readers(int pipe) { return reader_[pipe].empty() ? nullptr : reader_[pipe].data(); }

uint64_t* LocalMemory::open_readers(Pipe pipe) {
    auto& tags = reader_[static_cast<int>(pipe)];
    if (tags.empty()) tags.assign(writer_.size(), 0);
    return tags.data();
}

void LocalMemory::mark(size_t offset, size_t bytes, bool written, bool derived) {
    if (bytes == 0) return;
    const size_t first = offset / kBlockBytes, last = (offset + bytes - 1) / kBlockBytes;
    for (size_t block = first; block <= last; ++block) {
        const uint32_t mask = block_mask(block, offset, bytes);
        written_[block] = written ? written_[block] | mask : written_[block] & ~mask;
        derived_[block] = derived ? derived_[block] | mask : derived_[block] & ~mask;
    }
}

}  // namespace twin
