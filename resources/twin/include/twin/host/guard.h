// Stand-in for device memory on the host: an address range whose every access faults. The runner's fault
// handler recognises it and names the tensor that op_host read without declaring ValueDepend.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace twin {
namespace host {

class DeviceMemoryGuard {
public:
    static constexpr size_t kStride = size_t{1} << 22;  // apart, so that an offset still names its tensor
    static constexpr size_t kTensors = 64;

    static DeviceMemoryGuard& Get() {
        static DeviceMemoryGuard guard;
        return guard;
    }
    /// Address that stands for tensor `index`; nullptr when the range could not be reserved.
    void* Address(size_t index) const {
        return base_ == nullptr ? nullptr : base_ + (index < kTensors ? index : kTensors - 1) * kStride;
    }
    /// Index of the tensor `address` belongs to, -1 for any other address.
    int TensorAt(const void* address) const {
        const auto* at = static_cast<const uint8_t*>(address);
        if (base_ == nullptr || at < base_ || at >= base_ + kStride * kTensors) {
            return -1;
        }
        return static_cast<int>(static_cast<size_t>(at - base_) / kStride);
    }

private:
    DeviceMemoryGuard() {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
        flags |= MAP_NORESERVE;
#endif
        void* range = mmap(nullptr, kStride * kTensors, PROT_NONE, flags, -1, 0);
        base_ = range == MAP_FAILED ? nullptr : static_cast<uint8_t*>(range);
    }
    uint8_t* base_ = nullptr;
};

}  // namespace host
}  // namespace twin
