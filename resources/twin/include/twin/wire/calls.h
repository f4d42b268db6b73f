// Calls that are functions of the twin's runtime: their numbers are the same on both ends.
#pragma once

#include "twin/api/queue.h"
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
void loops_passed(uint64_t passes);
void finding_told(const char* rule, Severity severity, const char* call, const Site& site,
                  const std::string& message, const std::string& tensor, const std::string& limit);
void barrier_of_core();

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
        ((found = found || std::is_same_v<Function<functions>, Function<function>>, place += found ? 0 : 1), ...);
        return place + 1;
    }
};

using RuntimeCalls =
    FunctionList<&text_told, &loops_passed, &finding_told, &enter, &queue_made, &queue_cleared,
                 &queue_attached, &queue_allocated, &queue_enqueued, &queue_dequeued, &queue_released,
                 &buffer_placed, &buffer_allocated, &memory_reset, &barrier_of_core, &raise_flag,
                 &await_flag, &pipe_barrier_of, &sync_all>;

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
#define TWIN_FORWARD(FUNCTION, ...)                                                                  \
    if (wire::kernel_end != nullptr) {                                                               \
        if (wire::kernel_end->depth == 0) wire::call(wire::number_of<&FUNCTION>, __VA_ARGS__);       \
        return;                                                                                      \
    }
