// How a call of the API leaves a kernel's process: its number and arguments go to the simulator, which makes the
// same call where the kernel is not.
#pragma once

#include "twin/wire/form.h"

namespace twin {
namespace wire {

/// The kernel's end of the wire: batches of calls go out, commands and answers come back.
class KernelEnd {
public:
    virtual ~KernelEnd() = default;

    /// Begins call `number` of the current core.
    Writer& begin(uint32_t number) {
        if (number == 0) not_on_the_wire();
        Writer& writer = *writer_;
        if (loop_passes != passes_seen_) note_passes(writer);
        writer.plain(number);
        return writer;
    }
    void end() {
        if (writer_->records().size() >= kBatchBytes) hand_over();
    }
    /// The answer to the call made last, `count` bytes.
    virtual const uint8_t* ask(size_t count) = 0;

    int depth = 0;  ///< functions the core is in that tell the simulator themselves what they do

protected:
    static constexpr size_t kBatchBytes = 60000;

    virtual void hand_over() = 0;
    [[noreturn]] virtual void not_on_the_wire() = 0;
    void note_passes(Writer& writer);

    Writer* writer_ = nullptr;
    uint64_t passes_seen_ = 0;
};

/// Not null in a kernel's process whose simulator is another one.
inline KernelEnd* kernel_end = nullptr;

template <class... Arguments>
void call(uint32_t number, const Arguments&... arguments) {
    Writer& writer = kernel_end->begin(number);
    (Form<Arguments>::write(writer, arguments), ...);
    kernel_end->end();
}

template <class Result, class... Arguments>
Result ask(uint32_t number, const Arguments&... arguments) {
    Writer& writer = kernel_end->begin(number);
    (Form<Arguments>::write(writer, arguments), ...);
    Result result;
    std::memcpy(static_cast<void*>(&result), kernel_end->ask(sizeof result), sizeof result);
    return result;
}

struct Call {
    uint32_t number;
    template <class... Arguments>
    void operator()(const Arguments&... arguments) const {
        call(number, arguments...);
    }
};

template <class Result>
struct Ask {
    uint32_t number;
    template <class... Arguments>
    Result operator()(const Arguments&... arguments) const {
        return ask<Result>(number, arguments...);
    }
};

}  // namespace wire
}  // namespace twin

// First line of a function of the API: in a kernel's process all of it. The variable's symbol names the
// function; the build gives it its number. TWIN_ASK is for functions whose result only the simulator has.
#ifdef TWIN_WIRED
#define TWIN_CALL(...)         \
    static uint32_t twin_call; \
    return ::twin::wire::Call{twin_call}(__VA_ARGS__)
#define TWIN_ASK(RESULT, ...) \
    static uint32_t twin_call; \
    return ::twin::wire::Ask<RESULT>{twin_call}(__VA_ARGS__)
#else
#define TWIN_CALL(...) static_cast<void>(0)
#define TWIN_ASK(RESULT, ...) static_cast<void>(0)
#endif
