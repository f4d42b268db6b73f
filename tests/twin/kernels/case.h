// Support for kernels that test one API call each: a named case gets its global buffers and parameters, loads
// what it needs into UB, makes the call and stores the result.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "twin/kernel_prelude.h"

namespace cases {

using namespace AscendC;

/// Arguments of one run.
struct Case {
    std::vector<std::pair<uint8_t*, size_t>> buffers;  ///< address and bytes, inputs then outputs
    std::vector<double> parameters;

    template <class T>
    GlobalTensor<T> gm(int index) const {
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(reinterpret_cast<T*>(buffers[index].first), count<T>(index));
        return tensor;
    }
    template <class T>
    uint32_t count(int index) const {
        return static_cast<uint32_t>(buffers[index].second / sizeof(T));
    }
    GM_ADDR address(int index) const { return buffers[index].first; }
    template <class T = int32_t>
    T parameter(int index) const {
        return static_cast<T>(parameters[index]);
    }
};

/// UB tensors of one case, allocated one behind the other without queues.
class Scratch {
public:
    template <class T>
    LocalTensor<T> make(uint32_t elements) {
        return allocator_.Alloc<TPosition::VECCALC, T>(elements);
    }
    /// A buffer of the case in UB, ready for every pipe.
    template <class T>
    LocalTensor<T> load(const Case& run, int index) {
        const uint32_t elements = run.count<T>(index);
        auto tensor = make<T>((elements + 63) / 64 * 64);
        DataCopyExtParams copy{1, static_cast<uint32_t>(elements * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, T(0)};
        DataCopyPad(tensor, run.gm<T>(index), copy, pad);
        PipeBarrier<PIPE_ALL>();
        return tensor;
    }
    template <class T>
    void store(const Case& run, int index, const LocalTensor<T>& tensor) {
        PipeBarrier<PIPE_ALL>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(run.buffers[index].second), 0, 0, 0};
        DataCopyPad(run.gm<T>(index), tensor, copy);
        PipeBarrier<PIPE_ALL>();
    }

private:
    LocalMemAllocator<Hardware::UB> allocator_;
};

using Body = void (*)(const Case&);

inline std::map<std::string, Body>& registry() {
    static std::map<std::string, Body> all;
    return all;
}

struct Register {
    Register(const std::string& name, Body body) { registry()[name] = body; }
};

}  // namespace cases

#define CASE_JOIN2(a, b) a##b
#define CASE_JOIN(a, b) CASE_JOIN2(a, b)
/// Registers `body` (a function template instance or a function) under `name`.
#define CASE(name, ...) static const cases::Register CASE_JOIN(case_, __COUNTER__)(name, __VA_ARGS__);
