// Memory of one call: buffers as the device runtime allocates them.
#pragma once

#include <sys/mman.h>

#include <algorithm>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "twin/launch.h"

namespace twin {
namespace runner {

constexpr uint8_t kPoison = 0xFF;  ///< NaN in every floating type, -1 in integers

constexpr size_t kGap =
    size_t{16} << 20;  ///< unmapped bytes behind every tensor: a stray address hits no other one

/// Addresses behind which nothing lies, with as many bytes as a tensor has and the gap.
inline uint8_t* addresses(size_t bytes) {
    void* const range = mmap(nullptr, padded_bytes(bytes) + kGap, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) throw std::bad_alloc();
    return static_cast<uint8_t*>(range);
}

/// Memory of one tensor, mapped so that untouched pages cost nothing; freed with the process' end or the
/// object's.
class Buffer {
public:
    Buffer() = default;
    Buffer(size_t bytes, uint8_t poison, bool poison_all) : bytes_(bytes), padded_(padded_bytes(bytes)) {
        data_ = addresses(bytes);
        if (mprotect(data_, padded_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
        std::memset(data_ + (poison_all ? 0 : bytes), poison, padded_ - (poison_all ? 0 : bytes));
    }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (data_ != nullptr) {
            munmap(data_, padded_ + kGap);
        }
    }
    uint8_t* data() const { return data_; }
    size_t bytes() const { return bytes_; }

private:
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        std::swap(padded_, other.padded_);
    }
    uint8_t* data_ = nullptr;
    size_t bytes_ = 0;
    size_t padded_ = 0;
};

inline int64_t elements(const std::vector<int64_t>& shape) {
    int64_t count = 1;
    for (const int64_t dim : shape) {
        count *= dim;
    }
    return count;
}

}  // namespace runner
}  // namespace twin
