// How arguments of calls travel between a kernel and the simulator, which are two processes.
//
// Values go as their bytes; what is an address on one side goes as a place: an offset in an on-chip memory, a
// region of global memory and an offset in it, the number of a buffer. The simulator takes nothing on trust:
// numbers that name nothing end the core with a finding, and addresses are checked where they are used, as
// those of any kernel.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "twin/core/core.h"

namespace AscendC {
template <typename T>
class LocalTensor;
template <typename T>
class GlobalTensor;
}  // namespace AscendC

namespace twin {

class Mask;

/// Addresses in UB as kernels hold them in numbers.
template <size_t count>
struct UbAddresses {
    std::array<uint64_t, count> at;
};

namespace wire {

/// Calls of one core that the simulator has not taken yet.
class Writer {
public:
    void bytes(const void* data, size_t count) {
        const auto* begin = static_cast<const uint8_t*>(data);
        records_.insert(records_.end(), begin, begin + count);
    }
    template <class T>
    void plain(const T& value) {
        bytes(&value, sizeof value);
    }
    const std::vector<uint8_t>& records() const { return records_; }
    void clear() { records_.clear(); }

private:
    std::vector<uint8_t> records_;
};

/// Ends the core: its kernel's process sent what no kernel's does.
[[noreturn]] void refuse(const char* what);

/// Takes a batch of calls apart.
class Reader {
public:
    Reader(const uint8_t* begin, size_t count) : at_(begin), end_(begin + count) {}

    bool is_done() const { return at_ == end_; }
    size_t left() const { return static_cast<size_t>(end_ - at_); }
    const uint8_t* bytes(size_t count) {
        if (left() < count) refuse("a call is cut off");
        const uint8_t* const begin = at_;
        at_ += count;
        return begin;
    }
    template <class T>
    T plain() {
        T value;
        std::memcpy(static_cast<void*>(&value), bytes(sizeof value), sizeof value);
        return value;
    }

private:
    const uint8_t* at_;
    const uint8_t* end_;
};

/// A place in global memory.
struct GlobalPlace {
    uint32_t region =
        0;  ///< number among tensors, workspace and tiling data; kNoRegion: `offset` is all there is
    uint64_t offset = 0;
};
constexpr uint32_t kNoRegion = ~0u;

GlobalPlace place_of(const void* address);
uint8_t* address_of(const GlobalPlace& place);
/// The page of a tensor or of the workspace that begins at an address; of no region where there is none.
GlobalPlace page_of_global(const uint8_t* begin);

/// A place in on-chip memory and what is known of it.
struct LocalPlace {
    int64_t offset = 0;  ///< kNowhere for a tensor without memory
    uint64_t limit = 0;
    int32_t buffer = -1;
    uint8_t kind = 0;
};
constexpr int64_t kNowhere = INT64_MIN;

LocalPlace place_of(const View& view);
View view_of(const LocalPlace& place);
Buffer* buffer_of(int32_t number);

/// Number of a text that lives as long as the program, such as a file name of a call site; its characters
/// travel once.
uint32_t number_of_text(const char* text);
const char* text_of(uint32_t number);

/// How one type of argument travels.
template <class T>
struct Form {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                  "an argument that is an address, or holds one, needs a form of its own");
    static void write(Writer& to, const T& value) { to.plain(value); }
    static T read(Reader& from) { return from.plain<T>(); }
};

template <>
struct Form<bool> {
    static void write(Writer& to, bool value) { to.plain(static_cast<uint8_t>(value)); }
    static bool read(Reader& from) { return from.plain<uint8_t>() != 0; }
};

template <>
struct Form<const char*> {
    static void write(Writer& to, const char* text) { to.plain(number_of_text(text)); }
    static const char* read(Reader& from) { return text_of(from.plain<uint32_t>()); }
};

template <>
struct Form<std::string> {
    static void write(Writer& to, const std::string& text) {
        to.plain(static_cast<uint32_t>(text.size()));
        to.bytes(text.data(), text.size());
    }
    static std::string read(Reader& from) {
        const auto count = from.plain<uint32_t>();
        return std::string(reinterpret_cast<const char*>(from.bytes(count)), count);
    }
};

/// Bytes that travel with their call; the simulator's lie where the call was read.
struct Bytes {
    Bytes(const void* data_, size_t count_)
        : data(static_cast<const uint8_t*>(data_)), count(static_cast<uint32_t>(count_)) {}
    const uint8_t* data;
    uint32_t count;
};

template <>
struct Form<Bytes> {
    static void write(Writer& to, const Bytes& bytes) {
        to.plain(bytes.count);
        to.bytes(bytes.data, bytes.count);
    }
    static Bytes read(Reader& from) {
        const auto count = from.plain<uint32_t>();
        return Bytes(from.bytes(count), count);
    }
};

/// An enumeration of the twin, of which the simulator has arrays: `most` is its last value.
template <class T, T most>
struct FormOfNumbered {
    static void write(Writer& to, T value) { to.plain(static_cast<uint32_t>(value)); }
    static T read(Reader& from) {
        const auto number = from.plain<uint32_t>();
        if (number > static_cast<uint32_t>(most)) refuse("a number that names nothing");
        return static_cast<T>(number);
    }
};
template <>
struct Form<Pipe> : FormOfNumbered<Pipe, static_cast<Pipe>(kPipes - 1)> {};
template <>
struct Form<MemoryKind> : FormOfNumbered<MemoryKind, static_cast<MemoryKind>(kLocalMemories - 1)> {};
template <>
struct Form<Severity> : FormOfNumbered<Severity, Severity::error> {};

/// The line of the call, or that it is behind the call before.
template <>
struct Form<Site> {
    static constexpr uint32_t kAfterLastCall = ~0u;
    static void write(Writer& to, const Site& site) {
        to.plain(site.file == nullptr ? kAfterLastCall : number_of_text(site.file));
        to.plain(site.line);
    }
    static Site read(Reader& from) {
        const auto file = from.plain<uint32_t>();
        const int line = from.plain<int>();
        return file == kAfterLastCall ? after_last_call() : Site{text_of(file), line};
    }
};

template <>
struct Form<Buffer*> {
    static void write(Writer& to, const Buffer* buffer) {
        to.plain(buffer == nullptr ? int32_t(-1) : static_cast<int32_t>(buffer->index));
    }
    static Buffer* read(Reader& from) { return buffer_of(from.plain<int32_t>()); }
};

/// Lanes: a count, or two words. What a call with isSetMask == false passes is not looked at.
template <>
struct Form<Mask> {
    template <class M>
    static void write(Writer& to, const M& mask) {
        to.plain(static_cast<uint8_t>(mask.bits() != nullptr));
        to.plain(mask.elements());
        if (mask.bits() != nullptr) to.plain(mask.bits()[1]);
    }
    /// The words a mask points to stay until the next one is read: no call has two.
    template <class M = Mask>
    static M read(Reader& from) {
        static thread_local uint64_t words[2];
        const bool has_bits = from.plain<uint8_t>() != 0;
        if (!has_bits) return M(from.plain<uint64_t>());
        std::memcpy(words, from.bytes(sizeof words), sizeof words);
        return M(words);
    }
};

template <size_t count>
struct Form<UbAddresses<count>> {
    static void write(Writer& to, const UbAddresses<count>& addresses) {
        for (const uint64_t address : addresses.at) to.plain(address - base());
    }
    static UbAddresses<count> read(Reader& from) {
        UbAddresses<count> addresses;
        for (uint64_t& address : addresses.at) address = from.plain<uint64_t>() + base();
        return addresses;
    }

private:
    static uint64_t base() { return reinterpret_cast<uint64_t>(core().memory(MemoryKind::UB).base()); }
};

template <class T>
struct Form<AscendC::LocalTensor<T>> {
    using Tensor = AscendC::LocalTensor<T>;
    static void write(Writer& to, const Tensor& tensor) {
        to.plain(place_of(tensor.view()));
        to.plain(tensor.GetSize());
        to.plain(tensor.GetPosition());
    }
    static Tensor read(Reader& from) {
        const View view = view_of(from.plain<LocalPlace>());
        const auto elements = from.plain<uint32_t>();
        const auto position = from.plain<int32_t>();
        using Position = decltype(Tensor::address_.logicPos.value);
        return Tensor(view, elements, static_cast<Position>(position));
    }
};

template <class T>
struct Form<AscendC::GlobalTensor<T>> {
    using Tensor = AscendC::GlobalTensor<T>;
    static void write(Writer& to, const Tensor& tensor) {
        to.plain(place_of(tensor.GetPhyAddr()));
        to.plain(tensor.GetSize());
    }
    static Tensor read(Reader& from) {
        uint8_t* const address = address_of(from.plain<GlobalPlace>());
        Tensor tensor;
        tensor.SetGlobalBuffer(reinterpret_cast<T*>(address), from.plain<uint64_t>());
        return tensor;
    }
};

}  // namespace wire
}  // namespace twin
