// Calls that are functions of the twin's runtime: their numbers are the same on both ends.
#pragma once

#include "twin/api/queue.h"
#include "twin/core/matmul.h"
#include "twin/core/sync.h"
#include "twin/wire/call.h"

namespace twin {
namespace wire {

// What a queue does is done on both ends: the kernel's has its buffers and their order, the simulator's the
// times and findings as well. Queues are known by their number on a core.
void queue_made(Pipe producer, Pipe consumer, const char* role, int depth);
void queue_cleared(uint32_t queue);
void queue_attached(uint32_t queue, Buffer* buffer);
void queue_allocated(uint32_t queue, const Site& site);
void queue_enqueued(uint32_t queue, Buffer* buffer, Pipe producer, const Site& site);
void queue_dequeued(uint32_t queue, Pipe consumer, const Site& site);
void queue_released(uint32_t queue, Buffer* buffer, const Site& site);
void buffer_placed(MemoryKind kind, uint32_t offset, uint32_t bytes, const char* role, int number,
                   const Site& site);
void buffer_allocated(MemoryKind kind, uint32_t bytes, const char* role, int number, const Site& site);
void memory_reset();

void text_told(const std::string& text);
void text_printed(const std::string& text);
void kernel_crashed(const std::string& why);
void division_trapped();
void call_unknown(const std::string& name);
void loops_passed(uint64_t passes);
void finding_told(const char* rule, Severity severity, const char* call, const Site& site,
                  const std::string& message, const std::string& tensor, const std::string& limit);
void barrier_of_core();

// Elements that the kernel takes, changes or refers to; see twin/core/element.h.
void element_read(const View& view, uint64_t offset, uint32_t bytes, const Site& site);
void element_written(const View& view, uint64_t offset, const Bytes& value, const Site& site);
void element_referred(const View& view, uint64_t offset, uint32_t bytes, const Site& site);
void global_element_read(const uint8_t* element, uint32_t bytes, const Site& site);
void global_element_written(const uint8_t* element, const Bytes& value, const Site& site);
void global_element_referred(const uint8_t* element, uint32_t bytes, const Site& site);

// A page that the kernel touches through a pointer, and what it stores there; see twin/core/raw_reads.h. What
// a reference leads to lies on a page of its own.
void global_page_touched(const GlobalPlace& page);
void local_page_touched(MemoryKind kind, uint64_t page);
void reference_touched(uint64_t index);
void global_bytes_stored(const GlobalPlace& place, const Bytes& bytes);
void local_bytes_stored(MemoryKind kind, uint64_t offset, const Bytes& bytes);
void reference_stored(uint64_t index, uint64_t offset, const Bytes& bytes);

// A Matmul object is known by where it lies in its kernel.
void operand_brought(uint64_t object, uint32_t operand, const View& view, uint64_t bytes, const char* call,
                     const Site& site);
void product_made(uint64_t object, const char* call, const Site& site, const MatmulJob& job, bool add);
void product_awaited(uint64_t object, const char* call, const Site& site);
void product_stored(uint64_t object, const char* call, const Site& site, const MatmulTarget& target,
                    uint64_t m, uint64_t n, bool from_integer, bool sync);

uint8_t number_of_combine(Combine combine);
Combine combine_of_number(uint8_t number);

template <>
struct Form<Combine> {
    static void write(Writer& to, Combine combine) { to.plain(number_of_combine(combine)); }
    static Combine read(Reader& from) { return combine_of_number(from.plain<uint8_t>()); }
};

template <>
struct Form<View> {
    static void write(Writer& to, const View& view) { to.plain(place_of(view)); }
    static View read(Reader& from) { return view_of(from.plain<LocalPlace>()); }
};

template <>
struct Form<const uint8_t*> {
    static void write(Writer& to, const uint8_t* address) { to.plain(place_of(address)); }
    static const uint8_t* read(Reader& from) { return address_of(from.plain<GlobalPlace>()); }
};

/// Structures that hold addresses: their bytes, and each address in a form of its own.
template <class T, auto... members>
struct FormWithAddresses {
    static void write(Writer& to, const T& value) {
        to.bytes(&value, sizeof value);
        (Form<std::decay_t<decltype(value.*members)>>::write(to, value.*members), ...);
    }
    static T read(Reader& from) {
        T value = from.plain<T>();
        ((value.*members = Form<std::decay_t<decltype(value.*members)>>::read(from)), ...);
        return value;
    }
};

template <>
struct Form<FixTransfer> : FormWithAddresses<FixTransfer, &FixTransfer::factors> {};
template <>
struct Form<MatmulOperand> : FormWithAddresses<MatmulOperand, &MatmulOperand::global, &MatmulOperand::local> {
};
template <>
struct Form<MatmulJob> : FormWithAddresses<MatmulJob, &MatmulJob::a, &MatmulJob::b, &MatmulJob::bias> {};
template <>
struct Form<uint8_t*> {
    static void write(Writer& to, const uint8_t* address) { Form<const uint8_t*>::write(to, address); }
    static uint8_t* read(Reader& from) { return address_of(from.plain<GlobalPlace>()); }
};
template <>
struct Form<MatmulTarget>
    : FormWithAddresses<MatmulTarget, &MatmulTarget::global, &MatmulTarget::local, &MatmulTarget::fix,
                        &MatmulTarget::factors, &MatmulTarget::combine> {};

template <auto function>
struct Function {};

/// A closed list: the number of a function is its place.
template <auto... functions>
struct FunctionList {
    static constexpr uint32_t count = sizeof...(functions);
    template <auto function>
    static constexpr uint32_t number() {
        uint32_t place = 0;
        bool found = false;
        ((found = found || std::is_same_v<Function<functions>, Function<function>>, place += found ? 0 : 1),
         ...);
        return place + 1;
    }
};

using RuntimeCalls = FunctionList<
    &text_told, &loops_passed, &finding_told, &enter, &queue_made, &queue_cleared, &queue_attached,
    &queue_allocated, &queue_enqueued, &queue_dequeued, &queue_released, &buffer_placed, &buffer_allocated,
    &memory_reset, &barrier_of_core, &raise_flag, &await_flag, &pipe_barrier_of, &sync_all, &declare_task,
    &asked_type, &regist_matmul, &matmul_init, &operand_brought, &product_made, &product_awaited,
    &product_stored, &cross_core_set, &cross_core_wait, &text_printed, &kernel_crashed, &division_trapped,
    &call_unknown, &element_read, &element_written, &element_referred, &global_element_read,
    &global_element_written, &global_element_referred, &global_page_touched, &local_page_touched,
    &reference_touched, &global_bytes_stored, &local_bytes_stored, &reference_stored, &note_cut, &sync_group,
    &poison_temporary, &require_cleared, &raise_memory_flag, &await_memory_flag, &clean_cache>;

template <auto function>
constexpr uint32_t number_of = RuntimeCalls::number<function>();

/// A function that is done on both ends: its caller's inner calls are not told.
class Note {
public:
    template <class... Arguments>
    explicit Note(uint32_t number, const Arguments&... arguments) {
        if (kernel_end == nullptr) return;
        if (kernel_end->depth++ == 0) call(number, arguments...);
    }
    ~Note() {
        if (kernel_end != nullptr) --kernel_end->depth;
    }
    Note(const Note&) = delete;
    Note& operator=(const Note&) = delete;
};

}  // namespace wire
}  // namespace twin

// First line of a function of the runtime that the kernel's end does not do.
#define TWIN_FORWARD(FUNCTION, ...)                                                            \
    if (wire::kernel_end != nullptr) {                                                         \
        if (wire::kernel_end->depth == 0) wire::call(wire::number_of<&FUNCTION>, __VA_ARGS__); \
        return;                                                                                \
    }
#define TWIN_FORWARD_ASK(RESULT, FUNCTION, ...) \
    if (wire::kernel_end != nullptr) return wire::ask<RESULT>(wire::number_of<&FUNCTION>, __VA_ARGS__);
