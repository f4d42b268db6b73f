// Where the kernel runs (block index, workspace, cycle counter) and what it prints and asserts.
#pragma once

#include "twin/api/tensor.h"

namespace twin {

/// Appends formatted text to the output of the current core.
void print_text(const char* text, ...) __attribute__((format(printf, 1, 2)));

/// Output of DumpTensor.
void print_dump(uint32_t description, const char* type, const char* position, const uint8_t* data,
                uint32_t count, size_t bytes, double (*value)(const uint8_t*));

template <class T>
double dump_value(const uint8_t* data) {
    T value;
    std::memcpy(static_cast<void*>(&value), data, sizeof value);
    return static_cast<double>(value);
}

template <class T>
constexpr const char* type_name() {
    if (std::is_same<T, float>::value) return "float32";
    if (std::is_same<T, half>::value) return "float16";
    if (std::is_same<T, bfloat16_t>::value) return "bfloat16";
    if (std::is_floating_point<T>::value) return "float64";
    if (std::is_same<T, int4b_t>::value) return "int4";
    constexpr const char* names[2][4] = {{"uint8", "uint16", "uint32", "uint64"},
                                         {"int8", "int16", "int32", "int64"}};
    return names[std::is_signed<T>::value ? 1 : 0][sizeof(T) == 1   ? 0
                                                   : sizeof(T) == 2 ? 1
                                                   : sizeof(T) == 4 ? 2
                                                                    : 3];
}

/// Arguments of printf: 16-bit floats are printed as float.
template <class T>
decltype(auto) printable(const T& value) {
    if constexpr (is_float16<T>) {
        return static_cast<double>(static_cast<float>(value));
    } else {
        return (value);
    }
}

void assert_failed(const char* condition, const std::string& message, const Site& site);

}  // namespace twin

namespace AscendC {

inline int64_t GetBlockIdx() { return twin::core().block; }
inline int64_t GetBlockNum() { return twin::core().launch.launch.block_dim; }
/// Vector cores of one AI core.
inline int64_t GetSubBlockNum() {
    const twin::Task& task = twin::core().launch.task;
    return task.mixed() ? task.vectors : 1;
}
inline int64_t GetSubBlockIdx() { return twin::core().sub_block; }
/// Cores of the own type in one AI core.
inline int64_t GetTaskRatio() { return twin::core().type == twin::CoreType::cube ? 1 : GetSubBlockNum(); }
inline int64_t GetTaskRation() { return GetTaskRatio(); }
inline int64_t GetSystemCycle() {
    TWIN_ASK(int64_t);
    return static_cast<int64_t>(twin::core().now());
}
inline constexpr int16_t GetDataBlockSizeInBytes() { return 32; }
inline constexpr uint32_t GetVecLen() { return 256; }
inline uint32_t GetRuntimeUBSize() { return static_cast<uint32_t>(twin::kUbBytes); }

inline GM_ADDR GetSysWorkSpacePtr() { return twin::core().launch.launch.workspace; }
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
    return workspace == nullptr ? workspace : workspace + twin::core().launch.launch.system_workspace_bytes;
}
inline void SetSysWorkspace(GM_ADDR) {}
inline void SetSysWorkspaceForce(GM_ADDR) {}

template <typename T>
void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(tensor, desc, dumpSize, site);
    twin::Instruction access(twin::Pipe::S, "DumpTensor", site);
    access.read(tensor.view(), 0, uint64_t(dumpSize) * sizeof(T));
    twin::print_dump(desc, twin::type_name<T>(), twin::memory_name(tensor.view().kind), tensor.view().data,
                     dumpSize, sizeof(T), twin::dump_value<T>);
}
template <typename T>
void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(tensor, desc, dumpSize, site);
    twin::Instruction access(twin::Pipe::S, "DumpTensor", site);
    access.read_global(tensor.GetPhyAddr(), uint64_t(dumpSize) * sizeof(T));
    twin::print_dump(desc, twin::type_name<T>(), "GM",
                     twin::kept(reinterpret_cast<const uint8_t*>(tensor.GetPhyAddr())), dumpSize, sizeof(T),
                     twin::dump_value<T>);
}
template <typename Tensor>
void DumpTensor(const Tensor& tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo&,
                const twin::Site& site = twin::Site::here()) {
    DumpTensor(tensor, desc, dumpSize, site);
}
template <typename Tensor>
void DumpAccChkPoint(const Tensor& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize,
                     const twin::Site& site = twin::Site::here()) {
    DumpTensor(tensor[countOff], index, dumpSize, site);
}

template <typename... Arguments>
void twin_printf(const char* text, const Arguments&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
        twin::print_text("%s", text);
    } else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        twin::print_text(text, twin::printable(arguments)...);
#pragma GCC diagnostic pop
    }
}

[[noreturn]] inline void Trap(const twin::Site& site = twin::Site::here()) {
    twin::report(twin::rules::trap, "Trap", site, {"the kernel called Trap", "", ""});
    twin::stop_core();
}

}  // namespace AscendC

using AscendC::GetBlockIdx;
using AscendC::GetBlockNum;
using AscendC::GetSysWorkSpacePtr;
inline int64_t get_block_idx() { return AscendC::GetBlockIdx(); }
inline int64_t get_block_num() { return AscendC::GetBlockNum(); }
inline int64_t get_subblockid() { return AscendC::GetSubBlockIdx(); }
inline int64_t get_subblockdim() { return AscendC::GetSubBlockNum(); }

namespace twin {
/// Stands in for the built-in variables; a kernel's own variable of that name hides it.
template <int64_t (*value)()>
struct BuiltIn {
    operator int64_t() const { return value(); }
};
}  // namespace twin
inline constexpr twin::BuiltIn<AscendC::GetBlockIdx> block_idx{};
inline constexpr twin::BuiltIn<AscendC::GetBlockNum> block_num{};

// Kernel output is collected per core instead of going to the process's standard output.
using AscendC::twin_printf;
#define printf twin_printf
#define PRINTF(...) AscendC::twin_printf(__VA_ARGS__)

#undef assert
#define TWIN_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : twin::assert_failed(#condition, "", twin::Site{__FILE__, __LINE__}))
#define assert(condition, ...) TWIN_ASSERT(condition)
#define ascendc_assert(condition, ...) assert(condition)
#define ASSERT(...) assert((__VA_ARGS__))
#define ASSERT_MSG(condition, ...) assert(condition)
#define ASCENDC_ASSERT(condition, behaviour) \
    do {                                     \
        if (!(condition)) {                  \
            behaviour;                       \
        }                                    \
    } while (0)
#define KERNEL_LOG(...) \
    do {                \
    } while (0)
