// How a call of the API leaves a kernel's process: its number and arguments go to the simulator, which makes
// the same call where the kernel is not.
#pragma once

#include "twin/wire/form.h"

namespace twin {
namespace wire {

/// The kernel's end of the wire: batches of calls go out, commands and answers come back.
class KernelEnd {
public:
    virtual ~KernelEnd() = default;

    /// Begins call `number` of the current core, of the function `name`. Its arguments may lie in memory that
    /// has to be asked for, so the call is put together aside.
    Writer& begin(uint32_t number, const char* name) {
        if (number == 0) not_on_the_wire(name);
        call_->clear();
        call_->plain(number);
        return *call_;
    }
    void end() {
        add_call();
        if (writer_->records().size() >= kBatchBytes) hand_over();
    }
    /// Ends a call that has an answer, and waits for it; bytes that it lacks are zero.
    void end_and_ask(void* answer, size_t bytes) {
        add_call();
        ask(answer, bytes);
    }

    /// Ends the core: it makes a call that the simulator would not make.
    [[noreturn]] virtual void not_on_the_wire(const char* name) = 0;
    /// A reference to an element of on-chip memory.
    virtual void* refer_to(const View& view, uint64_t offset, uint32_t bytes, const Site& site) = 0;

    int depth = 0;  ///< functions the core is in that tell the simulator themselves what they do

protected:
    static constexpr size_t kBatchBytes = 60000;

    void add_call() {
        if (pages_are_open_) close_pages();
        if (loop_passes != passes_seen_) note_passes(*writer_);
        writer_->bytes(call_->records().data(), call_->records().size());
    }
    virtual void hand_over() = 0;
    virtual void ask(void* answer, size_t bytes) = 0;
    /// Tells what the kernel stored through pointers; what lies behind them is asked for again from now on.
    virtual void close_pages() = 0;
    void note_passes(Writer& writer);

    Writer* writer_ = nullptr;  ///< calls that were made
    Writer* call_ = nullptr;    ///< the one that is made
    uint64_t passes_seen_ = 0;
    bool pages_are_open_ = false;
};

/// Not null in a kernel's process whose simulator is another one.
inline KernelEnd* kernel_end = nullptr;

template <class... Arguments>
void call_named(const char* name, uint32_t number, const Arguments&... arguments) {
    Writer& writer = kernel_end->begin(number, name);
    (Form<Arguments>::write(writer, arguments), ...);
    kernel_end->end();
}

/// A call whose answer is `bytes` bytes at `result`.
template <class... Arguments>
void ask_named(const char* name, void* result, size_t bytes, uint32_t number, const Arguments&... arguments) {
    Writer& writer = kernel_end->begin(number, name);
    (Form<Arguments>::write(writer, arguments), ...);
    kernel_end->end_and_ask(result, bytes);
}

// Calls of the runtime have a number, always.
template <class... Arguments>
void call(uint32_t number, const Arguments&... arguments) {
    call_named("", number, arguments...);
}
template <class... Arguments>
void ask_bytes(void* result, size_t bytes, uint32_t number, const Arguments&... arguments) {
    ask_named("", result, bytes, number, arguments...);
}
template <class Result, class... Arguments>
Result ask(uint32_t number, const Arguments&... arguments) {
    Result result;
    ask_bytes(static_cast<void*>(&result), sizeof result, number, arguments...);
    return result;
}

struct Call {
    uint32_t number;
    const char* name;
    template <class... Arguments>
    void operator()(const Arguments&... arguments) const {
        call_named(name, number, arguments...);
    }
};

template <class Result>
struct Ask {
    uint32_t number;
    const char* name;
    template <class... Arguments>
    Result operator()(const Arguments&... arguments) const {
        Result result;
        ask_named(name, static_cast<void*>(&result), sizeof result, number, arguments...);
        return result;
    }
};

}  // namespace wire
}  // namespace twin

// First line of a function of the API: in a kernel's process all of it. The variable's symbol names the
// function; the build gives it its number. Elsewhere the symbol tells that the function is one of the API.
// TWIN_ASK is for functions whose result only the simulator has.
#ifdef TWIN_WIRED
#define TWIN_CALL(...)         \
    static uint32_t twin_call; \
    return ::twin::wire::Call{twin_call, __PRETTY_FUNCTION__}(__VA_ARGS__)
#define TWIN_ASK(RESULT, ...)  \
    static uint32_t twin_call; \
    return ::twin::wire::Ask<RESULT>{twin_call, __PRETTY_FUNCTION__}(__VA_ARGS__)
#else
#define TWIN_CALL(...) [[gnu::used]] static constexpr char twin_call = 0
#define TWIN_ASK(RESULT, ...) TWIN_CALL()
#endif
