// Global memory of one launch: buffers as the device runtime allocates them, filled from and written to files.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "manifest.h"
#include "twin/launch.h"

namespace twin {
namespace runner {

constexpr uint8_t kPoison = 0xFF;         ///< NaN in every floating type, -1 in integers
constexpr uint8_t kIntegerPoison = 0xA5;  ///< for results of integer type

constexpr size_t kGap = size_t{16} << 20;  ///< unmapped bytes behind every tensor: a stray address hits no other one

/// Memory of one tensor, mapped so that untouched pages cost nothing; freed with the process' end or the object's.
class Buffer {
public:
    Buffer() = default;
    Buffer(size_t bytes, uint8_t poison, bool poison_all) : bytes_(bytes), padded_(padded_bytes(bytes)) {
        void* range = mmap(nullptr, padded_ + kGap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (range == MAP_FAILED || mprotect(range, padded_, PROT_READ | PROT_WRITE) != 0) {
            throw std::bad_alloc();
        }
        data_ = static_cast<uint8_t*>(range);
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

inline std::vector<uint8_t> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    std::vector<uint8_t> bytes(static_cast<size_t>(file.tellg()));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    return bytes;
}

inline void write_file(const std::string& path, const uint8_t* bytes, size_t count) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(count));
    file.flush();
    if (!file) {
        throw std::runtime_error("cannot write " + path);
    }
}

inline int64_t elements(const std::vector<int64_t>& shape) {
    int64_t count = 1;
    for (const int64_t dim : shape) {
        count *= dim;
    }
    return count;
}

inline bool is_floating(ge::DataType type) {
    return type == ge::DT_FLOAT || type == ge::DT_FLOAT16 || type == ge::DT_BF16 || type == ge::DT_DOUBLE ||
           type == ge::DT_COMPLEX64;
}

}  // namespace runner
}  // namespace twin
