// How a call of the API leaves a kernel's process: its number and arguments go to the simulator, which makes
// the same call where the kernel is not.
#pragma once

#include "twin/wire/form.h"

namespace twin {
namespace wire {

/// Elements behind one that was read, which the simulator told along with it: so a kernel that goes through a
/// tensor need not wait for each. It tells every read all the same.
class ToldAhead {
public:
    /// `values` begin with the element at `at`.
    void tell(const uint8_t* at, size_t bytes, const std::vector<uint8_t>& values) {
        next_ = at + bytes;
        bytes_ = bytes;
        values_.assign(values.begin() + static_cast<ptrdiff_t>(bytes), values.end());
        taken_ = 0;
    }
    bool holds(const uint8_t* at, size_t bytes) const { return at == next_ && bytes == bytes_ && left() > 0; }
    bool is_behind(const uint8_t* at) const { return at == next_; }
    void take(void* element) {
        std::memcpy(element, values_.data() + taken_, bytes_);
        taken_ += bytes_;
        next_ += bytes_;
    }
    bool overlaps(const uint8_t* at, size_t bytes) const { return at < next_ + left() && next_ < at + bytes; }
    void forget() { taken_ = values_.size(); }

private:
    size_t left() const { return values_.size() - taken_; }

    const uint8_t* next_ = nullptr;
    size_t bytes_ = 0, taken_ = 0;
    std::vector<uint8_t> values_;
};

/// Tensors that a core goes through side by side.
constexpr size_t kStreams = 4;

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
        close_pages();
        forget_ahead();
        send();
    }
    /// Ends a call that has an answer, and waits for it; bytes that it lacks are zero.
    void end_and_ask(void* answer, size_t bytes) {
        close_pages();
        forget_ahead();
        add_call();
        ask(answer, bytes);
    }
    /// Ends a read of the element at `at`, and waits for it where it was not told ahead.
    void end_and_read(const uint8_t* at, void* element, size_t bytes, bool is_global) {
        if (!is_global) {
            settle_pages(at, bytes, false);
        } else if (has_pages_) {  // other cores may run meanwhile
            forget_pages();
            forget_ahead();
        }
        for (ToldAhead& ahead : ahead_) {
            if (!ahead.holds(at, bytes)) continue;
            ahead.take(element);
            return send();
        }
        add_call();
        ask(element, bytes);
        keep_ahead(at, bytes);
    }
    /// Ends a write of the element at `at`, which changes nothing else.
    void end_and_write(const uint8_t* at, size_t bytes) {
        settle_pages(at, bytes, true);
        for (ToldAhead& ahead : ahead_) {
            if (ahead.overlaps(at, bytes)) ahead.forget();
        }
        send();
    }

    /// Ends the core: it makes a call that the simulator would not make.
    [[noreturn]] virtual void not_on_the_wire(const char* name) = 0;
    /// A reference to an element of on-chip memory.
    virtual void* refer_to(const View& view, uint64_t offset, uint32_t bytes, const Site& site) = 0;

    int depth = 0;  ///< functions the core is in that tell the simulator themselves what they do

protected:
    static constexpr size_t kBatchBytes = 60000;

    void send() {
        add_call();
        if (writer_->records().size() >= kBatchBytes) hand_over();
    }
    void add_call() {
        if (loop_passes != passes_seen_) note_passes(*writer_);
        writer_->bytes(call_->records().data(), call_->records().size());
    }
    virtual void hand_over() = 0;
    virtual void ask(void* answer, size_t bytes) = 0;
    /// All of the answer that came last.
    virtual const std::vector<uint8_t>& answered() const = 0;
    void forget_ahead() {
        for (ToldAhead& ahead : ahead_) ahead.forget();
    }
    /// Tells what the kernel stored through pointers; what lies behind them is asked for again from now on.
    void close_pages() {
        if (has_pages_) forget_pages();
    }
    virtual void forget_pages() = 0;
    /// The same before an access to an element, by which no other memory changes: what lies on other pages is
    /// known still, and what lasts stays open.
    void settle_pages(const uint8_t* at, size_t bytes, bool is_write) {
        if (has_pages_) settle_known_pages(at, bytes, is_write);
    }
    virtual void settle_known_pages(const uint8_t* at, size_t bytes, bool is_write) = 0;
    void note_passes(Writer& writer);

    Writer* writer_ = nullptr;  ///< calls that were made
    Writer* call_ = nullptr;    ///< the one that is made
    uint64_t passes_seen_ = 0;
    bool has_pages_ = false;  ///< some are open, or known

private:
    void keep_ahead(const uint8_t* at, size_t bytes) {
        if (answered().size() <= bytes) return;
        size_t place = 0;
        while (place < kStreams && !ahead_[place].is_behind(at)) ++place;
        if (place == kStreams) place = next_stream_++ % kStreams;
        ahead_[place].tell(at, bytes, answered());
    }

    std::array<ToldAhead, kStreams> ahead_;
    size_t next_stream_ = 0;
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
/// A read of the element at `at`, of `bytes` bytes, into `element`.
template <class... Arguments>
void read_element(const uint8_t* at, void* element, size_t bytes, bool is_global, uint32_t number,
                  const Arguments&... arguments) {
    Writer& writer = kernel_end->begin(number, "");
    (Form<Arguments>::write(writer, arguments), ...);
    kernel_end->end_and_read(at, element, bytes, is_global);
}
template <class... Arguments>
void write_element(const uint8_t* at, size_t bytes, uint32_t number, const Arguments&... arguments) {
    Writer& writer = kernel_end->begin(number, "");
    (Form<Arguments>::write(writer, arguments), ...);
    kernel_end->end_and_write(at, bytes);
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
