// The wire between a kernel and its simulator: see twin/wire/call.h. Part of twin/device.h.
//
// The kernel's process has no simulated core and no tensor. The simulator commands: begin this core, go on with
// that one; and the core runs until it ends, asks for a value, or has a batch of calls together, which is the
// answer to the command. So one side works at a time, in an order that only the simulator decides.
#pragma once

#include <ucontext.h>
#include <unistd.h>

#include "twin/core/run_kernel_impl.h"
#include "twin/wire/calls.h"
#include "twin/wire/replay.h"

namespace twin {
namespace wire {

namespace {

enum class Order : uint32_t { begin, go_on, leave };
enum class State : uint32_t { more, asks, ended, crashed, not_on_the_wire };

struct Command {
    Order order = Order::begin;
    int32_t slot = 0;
    uint32_t launch = 0;  ///< counts the times the launch was started, each with a task of its own
    uint32_t cubes = 0, vectors = 0, source = 0;
    uint32_t answer = 0;  ///< bytes that follow
};

struct Reply {
    State state = State::more;
    int32_t slot = 0;
    uint64_t bytes = 0;  ///< of calls, which follow
};

constexpr uint64_t kMostBatch = 1 << 20;
constexpr size_t kMostTexts = 4096, kMostText = 4096, kMostAnswer = 64;

bool send_all(int file, const void* data, size_t count) {
    const auto* at = static_cast<const uint8_t*>(data);
    while (count > 0) {
        const ssize_t sent = write(file, at, count);
        if (sent <= 0) return false;
        at += sent;
        count -= static_cast<size_t>(sent);
    }
    return true;
}

bool take_all(int file, void* data, size_t count) {
    auto* at = static_cast<uint8_t*>(data);
    while (count > 0) {
        const ssize_t taken = ::read(file, at, count);
        if (taken <= 0) return false;
        at += taken;
        count -= static_cast<size_t>(taken);
    }
    return true;
}

// ---- the kernel's end

/// A core on a stack of its own.
struct Strand {
    ucontext_t context{};
    std::vector<uint8_t> stack;
    std::unique_ptr<Core> core;
    Writer writer;
    int depth = 0;
    uint64_t passes = 0;  ///< of loops, not told yet
    std::vector<uint8_t> answer;
};

class KernelProcess : public KernelEnd {
public:
    KernelProcess(int commands, int replies, const Launch& launch, const Entry& entry)
        : commands_(commands), replies_(replies), launch_(launch), entry_(entry) {}

    /// Does what the simulator commands until it has had enough.
    void serve() {
        while (take()) {
            if (command_.order == Order::leave) return;
            Strand& strand = wanted();
            current_ = &strand;
            swapcontext(&home_, &strand.context);
            tidy();
        }
    }

    const uint8_t* ask(size_t) override {
        exchange(State::asks);
        return current_->answer.data();
    }

    /// Says why the process ends.
    void crash(const std::string& message) {
        Writer last;
        last.bytes(message.data(), message.size());
        reply(State::crashed, last);
    }

    uint32_t number_of(const char* text) {
        const auto found = texts_.find(text);
        if (found != texts_.end()) return found->second;
        const auto number = static_cast<uint32_t>(texts_.size());
        texts_.emplace(text, number);
        new_texts_.push_back(text);
        return number;
    }

protected:
    void hand_over() override { exchange(State::more); }
    [[noreturn]] void not_on_the_wire() override {
        const Writer nothing;
        reply(State::not_on_the_wire, nothing);
        _exit(0);
    }

private:
    static constexpr size_t kStack = 8 << 20;

    bool take() {
        if (!take_all(commands_, &command_, sizeof command_)) _exit(0);
        std::vector<uint8_t> answer(command_.answer);
        if (!take_all(commands_, answer.data(), answer.size())) _exit(0);
        const auto found = strands_.find(command_.slot);
        if (found != strands_.end()) found->second->answer = std::move(answer);
        return true;
    }

    void reply(State state, const Writer& writer) {
        Writer texts;
        for (const char* text : new_texts_) {
            texts.plain(wire::number_of<&text_told>);
            Form<std::string>::write(texts, text);
        }
        new_texts_.clear();
        const bool has_calls = state != State::crashed;
        const uint64_t before = has_calls ? texts.records().size() : 0;
        const Reply head{state, command_.slot, before + writer.records().size()};
        if (!send_all(replies_, &head, sizeof head) || !send_all(replies_, texts.records().data(), before) ||
            !send_all(replies_, writer.records().data(), writer.records().size()))
            _exit(0);
    }

    /// Hands over what the current core did; returns when it is to go on.
    void exchange(State state) {
        Strand& mine = *current_;
        reply(state, mine.writer);
        mine.writer.clear();
        take();
        if (command_.order == Order::go_on && strands_[command_.slot].get() == &mine) return;
        mine.depth = depth;
        mine.passes = loop_passes - passes_seen_;
        if (command_.order == Order::leave) _exit(0);
        Strand& next = wanted();
        current_ = &next;
        swapcontext(&mine.context, &next.context);
        resume(mine);
    }

    void resume(Strand& strand) {
        current_ = &strand;
        current_core = strand.core.get();
        writer_ = &strand.writer;
        depth = strand.depth;
        passes_seen_ = loop_passes - strand.passes;
    }

    /// The strand the command is about; a new one for a core that begins.
    Strand& wanted() {
        if (command_.order == Order::go_on) return *strands_[command_.slot];
        if (state_ == nullptr || command_.launch != started_) {
            started_ = command_.launch;
            strands_.clear();
            state_ = std::make_unique<LaunchState>(launch_, *find_soc(launch_.soc.c_str()), entry_,
                                                   Task{command_.cubes, command_.vectors, true},
                                                   static_cast<TaskSource>(command_.source));
        }
        auto strand = std::make_unique<Strand>();
        if (spare_.empty()) {
            strand->stack.resize(kStack);
        } else {
            strand->stack = std::move(spare_.back());
            spare_.pop_back();
        }
        strand->core = std::make_unique<Core>(*state_, command_.slot);
        getcontext(&strand->context);
        strand->context.uc_stack.ss_sp = strand->stack.data();
        strand->context.uc_stack.ss_size = strand->stack.size();
        strand->context.uc_link = &home_;
        makecontext(&strand->context, [] { static_cast<KernelProcess*>(kernel_end)->run_cores(); }, 0);
        auto& place = strands_[command_.slot];
        place = std::move(strand);
        return *place;
    }

    /// Runs the core of this strand to its end, then what is commanded next.
    void run_cores() {
        Strand& mine = *current_;
        resume(mine);
        run_one(*mine.core);
        if (loop_passes != passes_seen_) note_passes(mine.writer);
        reply(State::ended, mine.writer);
        current_core = nullptr;
        const int32_t slot = command_.slot;
        // The stack is free once another one is in use.
        std::unique_ptr<Strand> ended = std::move(strands_[slot]);
        strands_.erase(slot);
        retired_.push_back(std::move(ended));
        setcontext(&home_);
    }

    static void run_one(Core& core) {
        std::jmp_buf way_out;
        core.way_out = &way_out;
        if (setjmp(way_out) == 0) core.launch.entry();
    }

    /// Stacks of cores that ended serve the next.
    void tidy() {
        for (auto& ended : retired_) spare_.push_back(std::move(ended->stack));
        retired_.clear();
    }

    int commands_, replies_;
    const Launch& launch_;
    const Entry& entry_;
    Command command_;
    ucontext_t home_{};
    std::unique_ptr<LaunchState> state_;
    uint32_t started_ = 0;
    Strand* current_ = nullptr;
    std::unordered_map<int32_t, std::unique_ptr<Strand>> strands_;
    std::vector<std::unique_ptr<Strand>> retired_;
    std::vector<std::vector<uint8_t>> spare_;
    std::unordered_map<const char*, uint32_t> texts_;
    std::vector<const char*> new_texts_;
};

KernelProcess& kernel_process() { return *static_cast<KernelProcess*>(kernel_end); }

}  // namespace

void KernelEnd::note_passes(Writer& writer) {
    writer.plain(wire::number_of<&loops_passed>);
    writer.plain(loop_passes - passes_seen_);
    passes_seen_ = loop_passes;
}

// ---- the simulator's end

namespace {

/// What the simulator keeps of one core's other half.
struct Half {
    std::vector<uint8_t> batch;
    std::deque<QueueCore> queues;
};

class SimulatorEnd {
public:
    SimulatorEnd(int commands, int replies) : commands_(commands), replies_(replies) {}

    /// Makes the calls of the current core, until it ends.
    void run_core() {
        const OpenCall open;
        Core& here = core();
        if (launch_ != &here.launch) ++launches_;
        launch_ = &here.launch;
        halves_[here.slot] = std::make_unique<Half>();
        Command command;
        command.order = Order::begin;
        command.slot = here.slot;
        command.launch = launches_;
        command.cubes = here.launch.task.cubes;
        command.vectors = here.launch.task.vectors;
        command.source = static_cast<uint32_t>(here.launch.task_source);
        State state = exchange(command);
        while (state == State::more || state == State::asks) {
            make_calls(*halves_[here.slot]);
            command.order = Order::go_on;
            command.answer = state == State::asks ? answer_bytes_ : 0;
            state = exchange(command);
        }
        Half& half = *halves_[here.slot];
        if (state == State::ended) return make_calls(half);
        const std::string why(half.batch.begin(), half.batch.end());
        if (state == State::crashed) finish(rules::crash, why.substr(0, kMostText).c_str());
        finish(rules::not_on_the_wire, "the kernel makes a call that the wire does not know");
    }

    void leave() {
        Command command;
        command.order = Order::leave;
        send_all(commands_, &command, sizeof command);
    }

    void answer(const void* value, size_t bytes) {
        if (bytes > kMostAnswer) refuse("an answer that is too long");
        std::memcpy(answer_, value, bytes);
        answer_bytes_ = static_cast<uint32_t>(bytes);
    }

    const char* text(uint32_t number) {
        if (number >= texts_.size()) refuse("a text that was never told");
        return texts_[number].c_str();
    }
    void add_text(const std::string& text) {
        if (texts_.size() == kMostTexts || text.size() > kMostText) refuse("too many texts");
        texts_.push_back(text);
    }
    Half& half() { return *halves_[core().slot]; }

private:
    [[noreturn]] static void finish(const Rule& rule, const char* why) {
        const LastCallSlot& last = core().last_call;
        report(rule, last.call.load(), core().last_site(), {why, "", ""});
        stop_core();
    }

    /// One command and what comes of it.
    State exchange(const Command& command) {
        Reply reply;
        const bool sent = send_all(commands_, &command, sizeof command) &&
                          send_all(commands_, answer_, command.answer);
        if (!sent || !take_all(replies_, &reply, sizeof reply)) finish(rules::crash, "the kernel's process ended");
        if (reply.slot != command.slot || reply.bytes > kMostBatch) refuse("an answer to another question");
        std::vector<uint8_t>& batch = halves_[command.slot]->batch;
        batch.resize(reply.bytes);
        if (!take_all(replies_, batch.data(), batch.size())) finish(rules::crash, "the kernel's process ended");
        return reply.state;
    }

    void make_calls(Half& half);

    int commands_, replies_;
    const LaunchState* launch_ = nullptr;
    uint32_t launches_ = 0;
    std::unordered_map<int, std::unique_ptr<Half>> halves_;
    std::deque<std::string> texts_;
    uint8_t answer_[kMostAnswer] = {};
    uint32_t answer_bytes_ = 0;
};

SimulatorEnd* simulator_end = nullptr;

template <auto... functions>
const MadeCall* made_calls(FunctionList<functions...>) {
    static constexpr MadeCall all[] = {&RuntimeCall<functions>::make...};
    return all;
}

}  // namespace

/// In a program that is no simulator they are not there.
extern __attribute__((weak)) const MadeCall template_calls[];
extern __attribute__((weak)) const uint32_t template_call_count;

namespace {

void SimulatorEnd::make_calls(Half& half) {
    const MadeCall* const of_runtime = made_calls(RuntimeCalls());
    Reader from(half.batch.data(), half.batch.size());
    while (!from.is_done()) {
        const uint32_t number = from.plain<uint32_t>() - 1;
        if (number < RuntimeCalls::count) {
            of_runtime[number](from);
        } else if (&template_call_count != nullptr && number - RuntimeCalls::count < template_call_count) {
            template_calls[number - RuntimeCalls::count](from);
        } else {
            refuse("a call that there is not");
        }
    }
}

}  // namespace

// ---- places

namespace {

/// Tensors, then workspace, then tiling data; by number.
struct Region {
    uint8_t* begin = nullptr;
    size_t bytes = 0;
};

Region region(const Launch& launch, uint32_t number) {
    const size_t tensors = launch.arguments.size();
    if (number < tensors) return {launch.arguments[number].data, launch.arguments[number].bytes};
    if (number == tensors) return {launch.workspace, launch.workspace_bytes};
    if (number == tensors + 1) return {launch.tiling, launch.tiling_bytes};
    return {};
}

}  // namespace

void refuse(const char* what) {
    const LastCallSlot& last = core().last_call;
    report(rules::bad_record, last.call.load(), core().last_site(), {what, "", ""});
    stop_core();
}

GlobalPlace place_of(const void* address) {
    constexpr size_t kBehind = 1 << 16;  // addresses past the end are a mistake worth its finding
    const auto* at = static_cast<const uint8_t*>(address);
    const Launch& launch = core().launch.launch;
    for (uint32_t number = 0; number < launch.arguments.size() + 2; ++number) {
        const Region found = region(launch, number);
        if (found.begin == nullptr || at < found.begin || at >= found.begin + padded_bytes(found.bytes) + kBehind)
            continue;
        return {number, static_cast<uint64_t>(at - found.begin)};
    }
    return {kNoRegion, reinterpret_cast<uint64_t>(at)};
}

uint8_t* address_of(const GlobalPlace& place) {
    if (place.region == kNoRegion) return reinterpret_cast<uint8_t*>(place.offset);
    return region(core().launch.launch, place.region).begin + place.offset;
}

LocalPlace place_of(const View& view) {
    LocalPlace place;
    place.kind = static_cast<uint8_t>(view.kind);
    place.limit = view.limit;
    place.buffer = view.buffer == nullptr ? -1 : static_cast<int32_t>(view.buffer->index);
    place.offset = view.data == nullptr ? kNowhere : view.data - core().memory(view.kind).base();
    return place;
}

View view_of(const LocalPlace& place) {
    constexpr int64_t kMost = int64_t(1) << 40;
    View view;
    if (place.kind >= kLocalMemories) refuse("a memory that there is not");
    view.kind = static_cast<MemoryKind>(place.kind);
    view.limit = place.limit;
    view.buffer = buffer_of(place.buffer);
    if (place.offset > -kMost && place.offset < kMost) view.data = core().memory(view.kind).base() + place.offset;
    return view;
}

Buffer* buffer_of(int32_t number) {
    if (number < 0) return nullptr;
    if (static_cast<size_t>(number) >= core().buffers.size()) refuse("a buffer that there is not");
    return &core().buffers[static_cast<size_t>(number)];
}

uint32_t number_of_text(const char* text) { return kernel_process().number_of(text); }
const char* text_of(uint32_t number) { return simulator_end->text(number); }
void answer_with(const void* value, size_t bytes) { simulator_end->answer(value, bytes); }

// ---- calls of the runtime that only the wire knows

namespace {

QueueCore& queue_of(uint32_t number) {
    std::deque<QueueCore>& queues = simulator_end->half().queues;
    if (number == 0 || number > queues.size()) refuse("a queue that there is not");
    return queues[number - 1];
}

Pipe checked(Pipe pipe) {
    if (static_cast<int>(pipe) >= kPipes) refuse("a pipe that there is not");
    return pipe;
}

MemoryKind checked(MemoryKind kind) {
    if (static_cast<int>(kind) >= kLocalMemories) refuse("a memory that there is not");
    return kind;
}

constexpr size_t kMostMade = 1 << 16;  // queues, and buffers, of one core

}  // namespace

void queue_made(Pipe producer, Pipe consumer, const char* role, int depth) {
    std::deque<QueueCore>& queues = simulator_end->half().queues;
    if (queues.size() == kMostMade) refuse("too many queues");
    queues.emplace_back(checked(producer), checked(consumer), role, depth);
}
void queue_cleared(uint32_t queue) { queue_of(queue).clear(); }
void queue_attached(uint32_t queue, Buffer* buffer) {
    if (buffer == nullptr) refuse("a buffer that there is not");
    queue_of(queue).attach(buffer);
}
void queue_allocated(uint32_t queue, const Site& site) { queue_of(queue).allocate(site); }
void queue_enqueued(uint32_t queue, Buffer* buffer, Pipe producer, const Site& site) {
    queue_of(queue).enqueue(buffer, checked(producer), site);
}
void queue_dequeued(uint32_t queue, Pipe consumer, const Site& site) {
    queue_of(queue).dequeue(checked(consumer), site);
}
void queue_released(uint32_t queue, Buffer* buffer, const Site& site) { queue_of(queue).release(buffer, site); }
void buffer_placed(MemoryKind kind, uint32_t offset, uint32_t bytes, const char* role, int number,
                   const Site& site) {
    if (core().buffers.size() == kMostMade) refuse("too many buffers");
    place_buffer(checked(kind), offset, bytes, role, number, site);
}
void buffer_allocated(MemoryKind kind, uint32_t bytes, const char* role, int number, const Site& site) {
    if (core().buffers.size() == kMostMade) refuse("too many buffers");
    allocate_buffer(checked(kind), bytes, role, number, site);
}
void memory_reset() { reset_buffers(); }
void text_told(const std::string& text) { simulator_end->add_text(text); }
void loops_passed(uint64_t passes) { loop_passes += passes; }
void barrier_of_core() { barrier_all_pipes(core()); }

namespace {

/// Rules a kernel's own end reports.
constexpr const Rule* kToldRules[] = {&rules::tiling_size, &rules::empty_buffer, &rules::event_id,
                                      &rules::pipe_misuse, &rules::ub_capacity};

}  // namespace

void finding_told(const char* rule, Severity severity, const char* call, const Site& site,
                  const std::string& message, const std::string& tensor, const std::string& limit) {
    for (const Rule* known : kToldRules) {
        if (std::strcmp(known->name, rule) == 0 && severity <= Severity::error)
            return report_as(*known, severity, call, site, {message, tensor, limit});
    }
    refuse("a rule that there is not");
}

uint32_t new_queue(Pipe producer, Pipe consumer, const char* role, int depth) {
    if (kernel_end == nullptr || current_core == nullptr) return 0;
    call(number_of<&queue_made>, producer, consumer, role, depth);
    return ++core().queues_made;
}

}  // namespace wire

void serve_kernel(const Launch& launch, const Entry& entry) {
    wire::KernelProcess process(launch.commands, launch.replies, launch, entry);
    wire::kernel_end = &process;
    local_addresses_only = true;
    process.serve();
    wire::kernel_end = nullptr;
}

void tell_crash(const std::string& message) { wire::kernel_process().crash(message); }

LaunchReport run_remote_kernel(int commands, int replies, const Launch& launch) {
    static wire::SimulatorEnd end(commands, replies);
    wire::simulator_end = &end;
    LaunchReport report = run_kernel(launch, [] { wire::simulator_end->run_core(); });
    end.leave();
    return report;
}

}  // namespace twin
