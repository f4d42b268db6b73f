// The wire between a kernel and its simulator: see twin/wire/call.h. Part of twin/device.h.
//
// The kernel's process has no simulated core and no tensor. The simulator commands: begin this core, go on
// with that one; and the core runs until it ends, asks for a value, or has a batch of calls together, which
// is the answer to the command. So one side works at a time, in an order that only the simulator decides.
#pragma once

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include "twin/core/run_kernel_impl.h"
#include "twin/core/matmul_impl.h"
#include "twin/wire/calls.h"
#include "twin/wire/replay.h"

namespace twin {
namespace wire {

namespace {

enum class Order : uint32_t { begin, go_on, leave };
enum class State : uint32_t {
    more,
    asks,
    ended,
    left  ///< the process ends; the last call says why, and behind it is its length
};

struct Command {
    Order order = Order::begin;
    int32_t slot = 0;
    uint32_t launch = 0;  ///< counts the times the launch was started, each with a task of its own
    uint32_t cubes = 0, vectors = 0, source = 0;
    int32_t last_slot = 0;  ///< of a core that begins: cores up to this one may begin behind it, unasked
    uint32_t answer = 0;    ///< bytes that follow
};

struct Reply {
    State state = State::more;
    int32_t slot = 0;
    uint32_t waits = 0;  ///< the kernel waits for a command now; else more cores follow
    uint32_t bytes = 0;  ///< of calls, which follow
};

constexpr uint32_t kMostBatch = 1 << 20;
constexpr size_t kMostTexts = 4096, kMostText = 4096, kMostAnswer = (1 << 16) + 1;
constexpr size_t kReferences = std::tuple_size<decltype(Core::lent)>::value;

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

template <class T>
void append(std::vector<uint8_t>& to, const T& value) {
    const auto* const begin = reinterpret_cast<const uint8_t*>(&value);
    to.insert(to.end(), begin, begin + sizeof value);
}

/// What comes over one direction of the wire: a message that was sent at once is read at once.
class Inbox {
public:
    explicit Inbox(int file) : file_(file) {}

    /// Waits for `count` bytes; false when the other side is gone.
    bool take(void* data, size_t count) {
        auto* to = static_cast<uint8_t*>(data);
        while (count > 0) {
            if (begin_ == end_ && !fill()) return false;
            const size_t part = std::min(count, end_ - begin_);
            std::memcpy(to, room_.data() + begin_, part);
            begin_ += part;
            to += part;
            count -= part;
        }
        return true;
    }

private:
    bool fill() {
        const ssize_t taken = ::read(file_, room_.data(), room_.size());
        begin_ = 0;
        end_ = taken > 0 ? static_cast<size_t>(taken) : 0;
        return taken > 0;
    }

    int file_;
    std::vector<uint8_t> room_ = std::vector<uint8_t>(1 << 16);
    size_t begin_ = 0, end_ = 0;
};

// ---- the kernel's end

/// Memory with nothing in front of it, such as a stack. Pages that nobody touches cost nothing.
uint8_t* new_memory(size_t bytes) {
    void* const made = free_addresses(bytes);
    if (mprotect(made, bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    return static_cast<uint8_t*>(made);
}

/// Lets a core of the kernel's end touch what only the simulator's instructions do, or no longer.
void give_state(Core& core, int access) {
    if (page_bytes() != Core::kStatePage) return;
    auto* const begin = reinterpret_cast<uint8_t*>(&core.cube);
    mprotect(begin, static_cast<size_t>(reinterpret_cast<uint8_t*>(&core.sites) - begin), access);
}
bool is_in_state(const Core& core, const uint8_t* address) {
    return address >= reinterpret_cast<const uint8_t*>(&core.cube) &&
           address < reinterpret_cast<const uint8_t*>(&core.sites);
}

struct DeleteCore {
    void operator()(Core* core) const {
        give_state(*core, PROT_READ | PROT_WRITE);
        delete core;
    }
};
using KernelCore = std::unique_ptr<Core, DeleteCore>;

/// A core of the kernel's end. What runs here though it should have been sent ends at its registers.
KernelCore new_core(LaunchState& launch, int slot) {
    KernelCore core(new Core(launch, slot));
    give_state(*core, PROT_NONE);
    return core;
}

/// What a core runs on: its stack, one for its handler of faults, which may have to wait for a page while
/// other cores run, and a page for what each of its references leads to.
struct StrandMemory {
    uint8_t* stack = nullptr;
    uint8_t* signals = nullptr;
    uint8_t* references = nullptr;
};

/// A core on a stack of its own.
struct Strand {
    ucontext_t context{};
    StrandMemory memory;
    KernelCore core;
    Writer writer, call;
    int depth = 0;
    uint64_t passes = 0;  ///< of loops, not told yet
};

/// A page that the kernel touched through a pointer: the simulator's bytes, for as long as no call may have
/// changed them. It may be closed until then, so that the next touch is told as well.
struct KernelPage {
    enum class Kind { global, local, reference };
    Kind kind = Kind::global;
    uint8_t* begin = nullptr;
    GlobalPlace place{};  ///< of a page of global memory
    MemoryKind memory = MemoryKind::UB;
    uint64_t offset = 0;  ///< of a page of on-chip memory; number of a reference
    bool is_open = true;
    bool lasts = false;            ///< of an input: to touch it again is free, and it stays open
    bool is_writable = false;      ///< the kernel stores there
    std::vector<uint8_t> known{};  ///< then: what was there before
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

    void* refer_to(const View& view, uint64_t offset, uint32_t bytes, const Site& site) override {
        if (bytes > LentElement::kMostBytes) {
            wire::call(wire::number_of<&element_referred>, view, offset, bytes, site);
            return view.data + offset;
        }
        uint8_t element[LentElement::kMostBytes];
        ask_bytes(element, sizeof element, wire::number_of<&element_referred>, view, offset, bytes, site);
        KernelPage page;
        page.kind = KernelPage::Kind::reference;
        page.offset = core().lent_count++ % kReferences;
        page.begin = current_->memory.references + page.offset * kPage;
        open(page, element, sizeof element);
        let_store(page_at(page.begin));
        return page.begin;
    }

    /// For the handler of faults: makes a page of the simulator's memory accessible.
    bool open_page(const uint8_t* address) {
        if (current_ == nullptr || current_core == nullptr) return false;
        if (is_in_state(*current_core, address)) not_on_the_wire("one that reads or sets a register");
        uint8_t* const begin = const_cast<uint8_t*>(address) - reinterpret_cast<uintptr_t>(address) % kPage;
        KernelPage* const known = page_at(begin);
        if (known != nullptr && known->is_open) return let_store(known);
        KernelPage page;
        if (!find(begin, page)) return false;
        tell_stores();
        Writer& writer = *writer_;
        if (page.kind == KernelPage::Kind::reference) {
            writer.plain(wire::number_of<&reference_touched>);
            writer.plain(page.offset);
        } else if (page.kind == KernelPage::Kind::local) {
            writer.plain(wire::number_of<&local_page_touched>);
            Form<MemoryKind>::write(writer, page.memory);
            writer.plain(page.offset);
        } else {
            writer.plain(wire::number_of<&global_page_touched>);
            writer.plain(page.place);
        }
        if (known != nullptr && writer.records().size() < kBatchBytes) {
            known->is_open = true;
            return mprotect(begin, kPage, PROT_READ) == 0;
        }
        if (known != nullptr) pages_.erase(pages_.begin() + (known - pages_.data()));
        std::vector<uint8_t> content(kPage + 1);
        ask(content.data(), content.size());
        page.lasts = content[kPage] != 0;
        open(page, content.data(), kPage);
        return true;
    }

    /// Says why the process ends.
    void crash(const std::string& message) {
        if (current_ == nullptr || current_core == nullptr) _exit(70);
        leave_with(wire::number_of<&kernel_crashed>, message.substr(0, kMostText));
    }
    /// A division the device does not stop at and documents no result for; the first is told.
    void tell_division() {
        if (std::exchange(told_division_, true) || current_ == nullptr || current_core == nullptr) return;
        writer_->plain(wire::number_of<&division_trapped>);
    }
    [[noreturn]] void not_on_the_wire(const char* name) override {
        leave_with(wire::number_of<&call_unknown>, std::string(name).substr(0, kMostText));
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
    const std::vector<uint8_t>& answered() const override { return answer_; }
    void ask(void* answer, size_t bytes) override {
        exchange(State::asks);
        const size_t given = std::min(bytes, answer_.size());
        std::memcpy(answer, answer_.data(), given);
        std::memset(static_cast<uint8_t*>(answer) + given, 0, bytes - given);
    }

    void forget_pages() override {
        tell_stores();
        shut_pages();
    }

    void settle_known_pages(const uint8_t* at, size_t bytes, bool is_write) override {
        const auto refers = [](const KernelPage& page) { return page.kind == KernelPage::Kind::reference; };
        const auto is_stored = [](const KernelPage& page) { return page.is_writable; };
        const bool has_references = std::any_of(pages_.begin(), pages_.end(), refers);
        if (has_references || std::any_of(pages_.begin(), pages_.end(), is_stored)) forget_ahead();
        if (has_references) return forget_pages();  // what they lead to is stored by the next instruction
        tell_stores();
        const auto is_written = [&](const KernelPage& page) {
            return is_write && at < page.begin + kPage && page.begin < at + bytes;
        };
        for (KernelPage& page : pages_) {
            if (page.is_open && (!page.lasts || is_written(page))) {
                mprotect(page.begin, kPage, PROT_NONE);
                page.is_open = false;
            }
        }
        pages_.erase(std::remove_if(pages_.begin(), pages_.end(), is_written), pages_.end());
    }

private:
    static constexpr size_t kStack = 8 << 20, kSignalStack = 64 << 10;
    const size_t kPage = page_bytes();

    [[noreturn]] void leave_with(uint32_t number, const std::string& why) {
        Writer& writer = current_->writer;
        const size_t before = writer.records().size();
        writer.plain(number);
        Form<std::string>::write(writer, why);
        writer.plain(static_cast<uint32_t>(writer.records().size() - before));
        reply(State::left, writer);
        send_all(replies_, out_.data(), out_.size());
        _exit(0);
    }

    // Pages of the simulator's memory.

    KernelPage* page_at(const uint8_t* begin) {
        for (KernelPage& page : pages_) {
            if (page.begin == begin) return &page;
        }
        return nullptr;
    }

    /// What lies at an address of this process; false where nothing of the simulator's does.
    bool find(uint8_t* begin, KernelPage& page) const {
        page.begin = begin;
        const uint8_t* const references = current_->memory.references;
        if (begin >= references && begin < references + kReferences * kPage) {
            page.kind = KernelPage::Kind::reference;
            page.offset = static_cast<uint64_t>(begin - references) / kPage;
            return true;
        }
        for (const LocalMemory& memory : current_core->memories) {
            if (memory.base() == nullptr || begin < memory.base() ||
                begin >= memory.base() + memory.addresses())
                continue;
            page.kind = KernelPage::Kind::local;
            page.memory = static_cast<MemoryKind>(&memory - current_core->memories.data());
            page.offset = static_cast<uint64_t>(begin - memory.base());
            return true;
        }
        page.place = page_of_global(begin);
        return page.place.region != kNoRegion;
    }

    void open(const KernelPage& page, const uint8_t* content, size_t bytes) {
        mprotect(page.begin, kPage, PROT_READ | PROT_WRITE);
        std::memcpy(page.begin, content, bytes);
        mprotect(page.begin, kPage, PROT_READ);
        pages_.push_back(page);
        has_pages_ = true;
    }

    /// The kernel may store on a page that it can read; false where it can do both already.
    bool let_store(KernelPage* page) {
        if (page->is_writable) return false;
        page->known.assign(page->begin, page->begin + kPage);
        page->is_writable = true;
        return mprotect(page->begin, kPage, PROT_READ | PROT_WRITE) == 0;
    }

    void tell_stores() {
        for (KernelPage& page : pages_) {
            if (!page.is_writable) continue;
            tell_stores(page);
            page.is_writable = false;
            mprotect(page.begin, kPage, PROT_READ);
        }
    }

    /// The words of a page that changed, those that adjoin together.
    void tell_stores(const KernelPage& page) {
        constexpr size_t kWord = 4;
        const auto changed = [&](size_t at) {
            return at < kPage && std::memcmp(page.begin + at, page.known.data() + at, kWord) != 0;
        };
        for (size_t at = 0; at < kPage; at += kWord) {
            if (!changed(at)) continue;
            const size_t first = at;
            while (changed(at)) at += kWord;
            tell_store(page, first, Bytes(page.begin + first, at - first));
        }
    }

    void tell_store(const KernelPage& page, size_t first, const Bytes& bytes) {
        Writer& writer = *writer_;
        if (page.kind == KernelPage::Kind::reference) {
            writer.plain(wire::number_of<&reference_stored>);
            writer.plain(page.offset);
            writer.plain(static_cast<uint64_t>(first));
        } else if (page.kind == KernelPage::Kind::local) {
            writer.plain(wire::number_of<&local_bytes_stored>);
            Form<MemoryKind>::write(writer, page.memory);
            writer.plain(page.offset + first);
        } else {
            writer.plain(wire::number_of<&global_bytes_stored>);
            writer.plain(GlobalPlace{page.place.region, page.place.offset + first});
        }
        Form<Bytes>::write(writer, bytes);
    }

    void shut_pages() {
        for (const KernelPage& page : pages_) {
            if (page.is_open) mprotect(page.begin, kPage, PROT_NONE);
        }
        pages_.clear();
        has_pages_ = false;
    }

    bool take() {
        if (!send_all(replies_, out_.data(), out_.size())) _exit(0);
        out_.clear();
        if (!commands_.take(&command_, sizeof command_)) _exit(0);
        answer_.resize(command_.answer);
        if (!commands_.take(answer_.data(), answer_.size())) _exit(0);
        slot_ = command_.slot;
        return true;
    }

    void reply(State state, const Writer& writer, bool waits = true) {
        Writer texts;
        for (const char* text : new_texts_) {
            texts.plain(wire::number_of<&text_told>);
            Form<std::string>::write(texts, text);
        }
        new_texts_.clear();
        const size_t bytes = texts.records().size() + writer.records().size();
        append(out_, Reply{state, slot_, waits ? 1u : 0u, static_cast<uint32_t>(bytes)});
        out_.insert(out_.end(), texts.records().begin(), texts.records().end());
        out_.insert(out_.end(), writer.records().begin(), writer.records().end());
    }

    /// Hands over what the current core did; returns when it is to go on.
    void exchange(State state) {
        Strand& mine = *current_;
        reply(state, mine.writer);
        mine.writer.clear();
        take();
        if (command_.order == Order::go_on && &wanted() == &mine) return;
        mine.depth = depth;
        mine.passes = loop_passes - passes_seen_;
        shut_pages();  // all they hold was told
        if (command_.order == Order::leave) _exit(0);
        Strand& next = wanted();
        current_ = &next;
        swapcontext(&mine.context, &next.context);
        resume(mine);
    }

    void resume(Strand& strand) {
        current_ = &strand;
        forget_ahead();
        current_core = strand.core.get();
        writer_ = &strand.writer;
        call_ = &strand.call;
        stack_t signals{};
        signals.ss_sp = strand.memory.signals;
        signals.ss_size = kSignalStack;
        sigaltstack(&signals, nullptr);
        depth = strand.depth;
        passes_seen_ = loop_passes - strand.passes;
    }

    /// The strand the command is about; a new one for a core that begins.
    Strand& wanted() {
        if (command_.order == Order::go_on) {
            const auto strand = strands_.find(command_.slot);
            if (strand == strands_.end()) _exit(70);  // the simulator answers what was not said here
            return *strand->second;
        }
        if (state_ == nullptr || command_.launch != started_) {
            started_ = command_.launch;
            // Their contexts are left where they are: one of them runs this.
            for (auto& [slot, strand] : strands_) abandoned_.push_back(std::move(strand));
            strands_.clear();
            if (state_ != nullptr) former_.push_back(std::move(state_));
            state_ = std::make_unique<LaunchState>(launch_, *find_soc(launch_.soc.c_str()), entry_,
                                                   Task{command_.cubes, command_.vectors, true},
                                                   static_cast<TaskSource>(command_.source));
        }
        auto strand = std::make_unique<Strand>();
        if (spare_.empty()) {
            const size_t references = kReferences * kPage;
            spare_.push_back({new_memory(kStack), new_memory(kSignalStack), new_memory(references)});
            mprotect(spare_.back().references, references, PROT_NONE);
        }
        strand->memory = spare_.back();
        spare_.pop_back();
        strand->core = new_core(*state_, slot_);
        getcontext(&strand->context);
        strand->context.uc_stack.ss_sp = strand->memory.stack;
        strand->context.uc_stack.ss_size = kStack;
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
        while (ends(mine)) {
            auto place = strands_.extract(slot_++);
            place.key() = slot_;
            strands_.insert(std::move(place));
            mine.core = new_core(*state_, slot_);
            mine.writer.clear();
            mine.depth = 0;
            mine.passes = 0;
            resume(mine);
            run_one(*mine.core);
        }
        current_core = nullptr;
        const int32_t slot = slot_;
        // The stack is free once another one is in use.
        std::unique_ptr<Strand> ended = std::move(strands_[slot]);
        strands_.erase(slot);
        retired_.push_back(std::move(ended));
        setcontext(&home_);
    }

    /// Replies with what the core did to its end; whether the next one begins on the same stack.
    bool ends(Strand& mine) {
        close_pages();
        if (loop_passes != passes_seen_) note_passes(mine.writer);
        const bool goes_on = slot_ < command_.last_slot && out_.size() < kBatchBytes;
        reply(State::ended, mine.writer, !goes_on);
        return goes_on;
    }

    void run_one(Core& core) {
        clear_stack();
        std::jmp_buf way_out;
        core.way_out = &way_out;
        if (setjmp(way_out) == 0) core.launch.entry();
    }

    /// What a core left on the stack is not for the next one: what is near is overwritten, the pages below
    /// are given back.
    __attribute__((noinline)) void clear_stack() {
        const uintptr_t cleared = clear_near();
        uint8_t* const stack = current_->memory.stack;
        const uintptr_t end = cleared / kPage * kPage + kPage;  // the rest of that page is cleared and free
        madvise(stack, end - reinterpret_cast<uintptr_t>(stack), MADV_DONTNEED);
    }
    /// Where the part that was cleared begins; it ends at the caller's frame.
    __attribute__((noinline)) static uintptr_t clear_near() {
        uint8_t below[16 << 10];
        std::memset(below, 0, sizeof below);
        __asm__ volatile("" : : "r"(below) : "memory");
        return reinterpret_cast<uintptr_t>(below);
    }

    /// Stacks of cores that ended serve the next.
    void tidy() {
        for (auto& ended : retired_) spare_.push_back(ended->memory);
        retired_.clear();
    }

    Inbox commands_;
    int replies_;
    const Launch& launch_;
    const Entry& entry_;
    Command command_;
    std::vector<uint8_t> answer_;  // that came with it
    int32_t slot_ = 0;             // of the core that runs: a command may begin several
    std::vector<uint8_t> out_;
    ucontext_t home_{};
    std::unique_ptr<LaunchState> state_;
    std::vector<std::unique_ptr<LaunchState>> former_;
    uint32_t started_ = 0;
    bool told_division_ = false;
    Strand* current_ = nullptr;
    std::unordered_map<int32_t, std::unique_ptr<Strand>> strands_;
    std::vector<std::unique_ptr<Strand>> retired_, abandoned_;
    std::vector<StrandMemory> spare_;
    std::vector<KernelPage> pages_;  // of the current strand
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

/// A sentence on what the kernel of this core did.
/// Something that the kernel did on a block.
std::string of_block(int block, const std::string& what) {
    return "kernel " + core().launch.launch.kernel + ", core " + std::to_string(block) + ": " + what;
}

std::string of_kernel(const std::string& what) {
    const Core& here = core();
    const std::string call = here.last_name();
    const bool has_line = here.last_call.line.load() != 0;
    return of_block(here.block, what) + (has_line ? " after " + call : std::string());
}

/// What a core's kernel was told of elements before it read them.
///
/// Its process holds them then, and could use them without telling. So that this is worth nothing, what was
/// told and not read may only ever be a small part of what was read, both in cycles.
class AheadAccount {
public:
    static constexpr double kShare = 1.0 / 128;

    /// An element was read at `cycles`.
    void note_read(const uint8_t* at, uint32_t bytes, double cycles) {
        Stream* const stream = stream_at(at, bytes);
        if (stream == nullptr) {
            last_ = &streams_[next_++ % kStreams];
            lose(*last_);
            *last_ = {at, bytes};
        } else {
            last_ = stream;
            paid_ += cycles;
            if (!stream->left.empty()) stream->left.pop_front();
        }
        last_->next = at + bytes;
    }
    /// The kernel asked for that element: it has nothing more of what was told behind it. Tells how many of
    /// those behind it, at most `most`, it may be told now; `cycles_of(n)` is what the n-th of them costs.
    template <class CyclesOf>
    size_t grant(size_t most, CyclesOf cycles_of) {
        lose(*last_);
        double held = 0;
        for (const Stream& stream : streams_) held += stream.cycles();
        double room = paid_ * kShare - lost_ - held;
        while (last_->left.size() < most && room >= cycles_of(last_->left.size())) {
            room -= cycles_of(last_->left.size());
            last_->left.push_back(cycles_of(last_->left.size()));
        }
        return last_->left.size();
    }

private:
    struct Stream {
        const uint8_t* next = nullptr;
        uint32_t bytes = 0;
        std::deque<double> left{};  ///< cycles of what was told and not read

        double cycles() const { return std::accumulate(left.begin(), left.end(), 0.0); }
    };

    Stream* stream_at(const uint8_t* at, uint32_t bytes) {
        for (Stream& stream : streams_) {
            if (stream.next == at && stream.bytes == bytes) return &stream;
        }
        return nullptr;
    }
    void lose(Stream& stream) {
        lost_ += stream.cycles();
        stream.left.clear();
    }

    std::array<Stream, kStreams> streams_{};
    Stream* last_ = nullptr;
    size_t next_ = 0;
    double paid_ = 0, lost_ = 0;
};

/// What the simulator keeps of one core's other half.
struct Half {
    State state = State::more;
    bool was_begun = false;
    bool is_here = false;  ///< a reply that was not asked for yet
    std::vector<uint8_t> batch;
    const Reader* calls = nullptr;  ///< of the batch that are left
    AheadAccount ahead;
    std::deque<QueueCore> queues;
    std::unordered_map<uint64_t, MatmulSums> sums;
};

/// The wire to one process of the kernel, with the texts it told.
struct Wire {
    int commands;
    Inbox replies;
    std::deque<std::string> texts{};
    std::vector<uint8_t> last_call{};  ///< why the process ended, where it said so
    int last_block = -1;
};

class SimulatorEnd {
public:
    /// One wire, or a second one to the process that runs the blocks of `apart`.
    SimulatorEnd(const std::vector<KernelWire>& wires, const std::vector<bool>& apart) : apart_(apart) {
        for (const KernelWire& wire : wires) wires_.push_back({wire.commands, Inbox(wire.replies)});
    }

    /// Makes the calls of the current core, until it ends.
    void run_core() {
        Core& here = core();
        if (here.launch.stop.load()) stop_core();
        if (launch_ != &here.launch) {
            ++launches_;
            halves_.clear();
        }
        launch_ = &here.launch;
        Half& half = half_of(here.slot);
        Command command;
        command.order = Order::begin;
        command.slot = here.slot;
        command.launch = launches_;
        command.cubes = here.launch.task.cubes;
        command.vectors = here.launch.task.vectors;
        command.source = static_cast<uint32_t>(here.launch.task_source);
        const auto cores = static_cast<int32_t>(here.launch.cross.size());
        command.last_slot = here.slot;
        while (command.last_slot + 1 < cores && !half_of(command.last_slot + 1).was_begun &&
               &wire_of(command.last_slot + 1) == &wire_of(here.slot))
            ++command.last_slot;
        if (!half.is_here) exchange(command);
        half.is_here = false;
        State state = half.state;
        while (state == State::more || state == State::asks) {
            make_calls(half);
            command.order = Order::go_on;
            command.last_slot = 0;
            command.answer = state == State::asks ? answer_bytes_ : 0;
            exchange(command);
            half.is_here = false;
            state = half.state;
        }
        if (state != State::ended) refuse("an answer that is none");
        make_calls(half);
    }

    void leave() {
        Command command;
        command.order = Order::leave;
        for (const Wire& wire : wires_) send_all(wire.commands, &command, sizeof command);
    }

    void answer(const void* value, size_t bytes) {
        if (bytes > kMostAnswer) refuse("an answer that is too long");
        core().launch.told = true;
        std::memcpy(answer_.data(), value, bytes);
        answer_bytes_ = static_cast<uint32_t>(bytes);
    }

    const char* text(uint32_t number) {
        const std::deque<std::string>& texts = wire_of(core().slot).texts;
        if (number >= texts.size()) refuse("a text that was never told");
        return texts[number].c_str();
    }
    Half& half() { return half_of(core().slot); }
    /// Whether the kernel waits for the answer to the call that is made.
    bool is_asked() {
        Half& mine = half();
        return mine.state == State::asks && mine.calls->is_done();
    }

    /// Ends the core for what its kernel did.
    [[noreturn]] static void finish(const Rule& rule, const std::string& why) {
        const LastCallSlot& last = core().last_call;
        report(rule, last.call.load(), core().last_site(), {why, "", ""});
        stop_core();
    }

    /// The same for all cores: their process is gone.
    [[noreturn]] static void finish_all(const Rule& rule, const std::string& why) {
        core().launch.stop.store(true);
        finish(rule, why);
    }

private:
    /// One command and what comes of it.
    void exchange(const Command& command) {
        Wire& wire = wire_of(command.slot);
        out_.clear();
        append(out_, command);
        out_.insert(out_.end(), answer_.begin(), answer_.begin() + command.answer);
        const bool sent = send_all(wire.commands, out_.data(), out_.size());
        Reply reply;
        for (int32_t slot = command.slot; sent; ++slot) {
            if (!wire.replies.take(&reply, sizeof reply)) break;
            const bool is_expected = reply.slot == slot && slot <= std::max(command.slot, command.last_slot);
            if (!is_expected || reply.bytes > kMostBatch) refuse("an answer to another question");
            Half& half = half_of(slot);
            if (slot != command.slot && half.was_begun) refuse("a core begins twice");
            half.was_begun = half.is_here = true;
            half.state = reply.state;
            half.batch.resize(reply.bytes);
            if (!wire.replies.take(half.batch.data(), half.batch.size())) break;
            take_texts(wire, half.batch);
            if (reply.state == State::left) take_last_call(wire, half, slot);
            if (reply.waits != 0) return;
        }
        finish_gone(wire);
    }

    /// Why the process of a wire ended, which one of its cores said while this one was not simulated.
    [[noreturn]] static void finish_gone(const Wire& wire) {
        if (wire.last_call.empty()) finish_all(rules::crash, of_kernel("its process ended"));
        Reader last(wire.last_call.data(), wire.last_call.size());
        const auto number = last.plain<uint32_t>();
        const std::string why = Form<std::string>::read(last);
        if (number == wire::number_of<&call_unknown>) call_unknown(why);
        finish_all(rules::crash, of_block(wire.last_block, why));
    }

    static void take_last_call(Wire& wire, Half& half, int slot) {
        std::vector<uint8_t>& batch = half.batch;
        uint32_t length = 0;
        if (batch.size() < sizeof length) refuse("an end without its length");
        std::memcpy(&length, batch.data() + batch.size() - sizeof length, sizeof length);
        batch.resize(batch.size() - sizeof length);
        if (length > batch.size()) refuse("an end that is longer than its batch");
        wire.last_call.assign(batch.end() - static_cast<std::ptrdiff_t>(length), batch.end());
        wire.last_block = slot / static_cast<int>(core().launch.task.cores());
        half.state = State::ended;
    }

    /// Takes the texts at the beginning of a batch: other cores use them, which may be simulated before this
    /// one.
    static void take_texts(Wire& wire, std::vector<uint8_t>& batch) {
        Reader from(batch.data(), batch.size());
        while (!from.is_done()) {
            Reader next = from;
            if (next.plain<uint32_t>() != wire::number_of<&text_told>) break;
            std::string text = Form<std::string>::read(next);
            if (wire.texts.size() == kMostTexts || text.size() > kMostText) refuse("too many texts");
            wire.texts.push_back(std::move(text));
            from = next;
        }
        batch.erase(batch.begin(), batch.end() - static_cast<std::ptrdiff_t>(from.left()));
    }

    Half& half_of(int slot) {
        auto& half = halves_[slot];
        if (half == nullptr) half = std::make_unique<Half>();
        return *half;
    }

    /// The wire to the process that runs a core.
    Wire& wire_of(int slot) {
        const size_t block = static_cast<size_t>(slot) / core().launch.task.cores();
        return wires_[block < apart_.size() && apart_[block] ? wires_.size() - 1 : 0];
    }

    void make_calls(Half& half);

    const std::vector<bool>& apart_;
    std::vector<Wire> wires_;
    const LaunchState* launch_ = nullptr;
    uint32_t launches_ = 0;
    std::unordered_map<int, std::unique_ptr<Half>> halves_;
    std::vector<uint8_t> answer_ = std::vector<uint8_t>(kMostAnswer);
    uint32_t answer_bytes_ = 0;
    std::vector<uint8_t> out_;
};

SimulatorEnd* simulator_end = nullptr;

template <auto... functions>
const MadeCall* made_calls(FunctionList<functions...>) {
    static constexpr MadeCall all[] = {&RuntimeCall<functions>::make...};
    return all;
}

}  // namespace

/// In a program that is no simulator they are not there; further ones are there for some kernels.
extern __attribute__((weak)) const MadeCall usual_calls[];
extern __attribute__((weak)) const uint32_t usual_call_count;
extern __attribute__((weak)) const MadeCall further_calls[];
extern __attribute__((weak)) const uint32_t further_call_count;

namespace {

uint32_t count_of(const uint32_t* count) { return count == nullptr ? 0 : *count; }

/// What makes the call of a number.
MadeCall made_call(uint32_t number) {
    uint32_t place = number - 1;
    if (place < RuntimeCalls::count) return made_calls(RuntimeCalls())[place];
    place -= RuntimeCalls::count;
    const uint32_t usual = count_of(&usual_call_count);
    if (place < usual) return usual_calls[place];
    place -= usual;
    if (place < count_of(&further_call_count)) return further_calls[place];
    refuse("a call that there is not");
}

void SimulatorEnd::make_calls(Half& half) {
    Reader from(half.batch.data(), half.batch.size());
    half.calls = &from;
    while (!from.is_done()) made_call(from.plain<uint32_t>())(from);
    half.calls = nullptr;
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

void refuse(const char* what) { SimulatorEnd::finish(rules::bad_record, what); }

GlobalPlace place_of(const void* address) {
    constexpr size_t kBehind = 16 << 20;  // nothing lies there; addresses past the end are worth a finding
    const auto* at = static_cast<const uint8_t*>(address);
    const Launch& launch = core().launch.launch;
    for (uint32_t number = 0; number < launch.arguments.size() + 2; ++number) {
        const Region found = region(launch, number);
        if (found.begin == nullptr || at < found.begin ||
            at >= found.begin + padded_bytes(found.bytes) + kBehind)
            continue;
        return {number, static_cast<uint64_t>(at - found.begin)};
    }
    return {kNoRegion, reinterpret_cast<uint64_t>(at)};
}

GlobalPlace page_of_global(const uint8_t* begin) {
    const Launch& launch = core().launch.launch;
    for (uint32_t number = 0; number <= launch.arguments.size(); ++number) {
        const Region found = region(launch, number);
        if (found.begin == nullptr || begin < found.begin || begin >= found.begin + padded_bytes(found.bytes))
            continue;
        return {number, static_cast<uint64_t>(begin - found.begin)};
    }
    return {kNoRegion, 0};
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
    if (place.offset > -kMost && place.offset < kMost)
        view.data = core().memory(view.kind).base() + place.offset;
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

namespace {

/// Element types with an atomic copy, by number.
constexpr Combine kCombines[] = {nullptr,
                                 combine_elements<float>,
                                 combine_elements<half>,
                                 combine_elements<bfloat16_t>,
                                 combine_elements<int8_t>,
                                 combine_elements<int16_t>,
                                 combine_elements<int32_t>};

}  // namespace

uint8_t number_of_combine(Combine combine) {
    uint8_t number = 0;
    while (kCombines[number] != combine) ++number;
    return number;
}
Combine combine_of_number(uint8_t number) {
    if (number >= std::size(kCombines)) refuse("a type that there is not");
    return kCombines[number];
}

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

constexpr size_t kMostMade = 1 << 12;  // queues, and buffers, of one core

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
void queue_released(uint32_t queue, Buffer* buffer, const Site& site) {
    queue_of(queue).release(buffer, site);
}
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
void text_told(const std::string&) { refuse("a text among calls"); }
void text_printed(const std::string& text) { print_text("%s", text.c_str()); }
void kernel_crashed(const std::string& why) { SimulatorEnd::finish_all(rules::crash, of_kernel(why)); }
void division_trapped() {
    core().launch.findings.add(rules::integer_division, rules::integer_division.severity, -1, "", Site{}, [] {
        return FindingText{
            "the kernel divided an integer by zero (or the smallest number by -1). A scalar unit does not "
            "stop "
            "there, but what it gives is not documented: the simulator went on with quotient 0",
            "", ""};
    });
}
void call_unknown(const std::string& name) {
    SimulatorEnd::finish_all(rules::not_on_the_wire,
                             "the simulator does not know this call of the kernel's: " + name);
}
void loops_passed(uint64_t passes) {
    constexpr uint64_t kMostPasses = uint64_t(1) << 40;  // more than the CPU time of a kernel has room for
    if (passes > kMostPasses) refuse("a count of loops that went back");
    loop_passes += passes;
}
void barrier_of_core() { barrier_all_pipes(core()); }

namespace {

uint32_t checked_element(uint32_t bytes) {
    if (bytes == 0 || bytes > kMostElementBytes) refuse("an element of no size that an element has");
    return bytes;
}

/// What the kernel reads of a page of global memory is not known: it may be what another core writes.
void note_page_read(const uint8_t* begin, uint64_t bytes) {
    const Launch& launch = core().launch.launch;
    const GmHit hit = core().launch.gm.find(begin, 1);
    if (launch.fast || hit.region == nullptr || begin >= hit.region->begin + hit.region->bytes) return;
    const auto left = static_cast<uint64_t>(hit.region->begin + hit.region->bytes - begin);
    core().launch.gm.note_read(begin, std::min(bytes, left));
    log_gm_poll(*hit.region, begin, std::min(bytes, left));
}

/// Where bytes of global memory begin that the kernel touches through a pointer, as it addresses them, and
/// how many its tensor has from there.
std::pair<uint8_t*, size_t> touched_bytes(const GlobalPlace& place, size_t bytes) {
    const Launch& launch = core().launch.launch;
    const bool is_tensor = place.region <= launch.arguments.size();
    const size_t size = is_tensor ? padded_bytes(region(launch, place.region).bytes) : 0;
    uint8_t* const begin = is_tensor ? region(launch, place.region).begin : nullptr;
    if (begin == nullptr || place.offset >= size || bytes > size - place.offset)
        refuse("a place in global memory that there is not");
    return {begin + place.offset, size - place.offset};
}

LocalMemory& watched_memory(MemoryKind kind, uint64_t offset, size_t bytes) {
    LocalMemory& memory = core().memory(kind);
    if (offset >= memory.addresses() || bytes > memory.addresses() - offset)
        refuse("a place in on-chip memory that there is not");
    const size_t page = page_bytes();
    for (uint64_t at = offset / page * page; at < offset + bytes; at += page) charge_local_page(memory, at);
    return memory;
}

/// What a reference leads to. One that is used again behind an instruction is one more access to its element.
LentElement& referred_element(uint64_t index) {
    Core& here = core();
    if (index >= std::min(here.lent_count, kReferences)) refuse("a reference to nothing");
    LentElement& lent = here.lent[index];
    const uint64_t known = here.lent_known, own = uint64_t{1} << index;
    if ((known & own) != 0) return lent;
    View view;
    view.kind = static_cast<MemoryKind>(lent.memory - here.memories.data());
    view.data = lent.memory->base() + lent.offset;
    view.limit = lent.bytes;
    Instruction access(Pipe::S, "LocalTensor::operator()", after_last_call());
    access.read_any(view, 0, lent.bytes);
    access.issue(local_cost(lent.bytes), 0);
    ++here.references_used;
    here.lent_known = known | own;
    return lent;
}

}  // namespace

namespace {

constexpr size_t kMostAhead = 4096;  ///< bytes

/// Answers with the element at `at`, whose bytes are at `kept`, and with some of the `left` bytes behind it.
template <class CyclesOf>
void answer_with_element(const uint8_t* at, const uint8_t* kept, uint32_t bytes, size_t left, double cycles,
                         CyclesOf cycles_of) {
    AheadAccount& account = simulator_end->half().ahead;
    account.note_read(at, bytes, cycles);
    size_t count = 0;
    // In another order of the pipes what lies there may change while nothing is called.
    if (simulator_end->is_asked() && core().launch.launch.schedule == 0)
        count = account.grant(std::min(left, kMostAhead) / bytes, cycles_of);
    answer_with(kept, bytes * (1 + count));
}

}  // namespace

void element_read(const View& view, uint64_t offset, uint32_t bytes, const Site& site) {
    uint8_t value[kMostElementBytes];
    read_local(view, offset, checked_element(bytes), site, value);
    const uint8_t* const at = view.data + offset;
    const LocalMemory& memory = core().memory(view.kind);
    const auto held = static_cast<uint64_t>(memory.base() + memory.capacity() - at);
    const bool is_inside = memory.holds(at) && offset + bytes <= view.limit && bytes <= held;
    const uint64_t left = is_inside ? std::min(view.limit - offset, held) - bytes : 0;
    answer_with_element(at, is_inside ? at : value, bytes, left, local_cost(bytes),
                        [&](size_t) { return local_cost(bytes); });
}
void element_written(const View& view, uint64_t offset, const Bytes& value, const Site& site) {
    write_local(view, offset, checked_element(value.count), site, value.data);
}
void element_referred(const View& view, uint64_t offset, uint32_t bytes, const Site& site) {
    Core& here = core();
    const uint64_t known = here.lent_known;
    refer_to_local(view, offset, checked_element(bytes), site);
    if (bytes > LentElement::kMostBytes) return;
    ++here.references_used;
    const size_t index = (here.lent_count - 1) % kReferences;
    here.lent_known = known | uint64_t{1} << index;
    answer_with(here.lent[index].copy, LentElement::kMostBytes);
}
void global_element_read(const uint8_t* element, uint32_t bytes, const Site& site) {
    uint8_t value[kMostElementBytes];
    const double cycles = global_cost(element, checked_element(bytes), core().gm.cached_line);
    read_global(element, bytes, site, value);
    const GmHit hit = core().launch.gm.find(element, bytes);
    // What a core may write is asked for each time.
    const bool is_input = hit.region != nullptr && hit.place == GmPlace::inside && !hit.region->writable;
    const auto held = is_input ? static_cast<size_t>(hit.region->begin + hit.region->bytes - element) : bytes;
    answer_with_element(element, is_input ? kept(element) : value, bytes, held - bytes, cycles,
                        [&](size_t number) {
                            const uint8_t* const at = element + (number + 1) * bytes;
                            return global_cost(at, bytes, line_of(at - 1));
                        });
}
void global_element_written(const uint8_t* element, const Bytes& value, const Site& site) {
    write_global(element, checked_element(value.count), site, value.data);
}
void global_element_referred(const uint8_t* element, uint32_t bytes, const Site& site) {
    refer_to_global(element, checked_element(bytes), site);
}

void global_page_touched(const GlobalPlace& page) {
    if (page.offset % page_bytes() != 0) refuse("a page that there is not");
    const auto [begin, left] = touched_bytes(page, 1);
    const size_t count = std::min(left, page_bytes());
    const GmHit hit = core().launch.gm.find(begin, 1);
    // No core changes an input, and one that was charged with one of its pages may touch it again.
    const bool lasts = hit.region != nullptr && !hit.region->writable;
    if (!lasts)
        Instruction(Pipe::S, "a read through a pointer", after_last_call()).await_stores(begin, count);
    charge_global_page(begin);
    note_page_read(begin, count);
    std::vector<uint8_t> answer(page_bytes() + 1);
    std::memcpy(answer.data(), kept(begin), count);
    answer.back() = lasts;
    answer_with(answer.data(), answer.size());
}
void local_page_touched(MemoryKind kind, uint64_t page) {
    if (page % page_bytes() != 0) refuse("a page that there is not");
    answer_with(watched_memory(kind, page, page_bytes()).base() + page, page_bytes());
}
void reference_touched(uint64_t index) { answer_with(referred_element(index).copy, LentElement::kMostBytes); }
void global_bytes_stored(const GlobalPlace& place, const Bytes& bytes) {
    uint8_t* const begin = touched_bytes(place, bytes.count).first;
    charge_global_store(bytes.count);
    const GmHit hit = core().launch.gm.find(begin, 1);
    if (hit.region != nullptr) hit.region->is_stored = true;
    if (!core().launch.launch.fast) log_gm_store(begin, bytes.count, bytes.data);
    std::memcpy(kept(begin), bytes.data, bytes.count);
}
void local_bytes_stored(MemoryKind kind, uint64_t offset, const Bytes& bytes) {
    std::memcpy(watched_memory(kind, offset, bytes.count).base() + offset, bytes.data, bytes.count);
}
void reference_stored(uint64_t index, uint64_t offset, const Bytes& bytes) {
    constexpr size_t kMost = LentElement::kMostBytes;
    if (offset > kMost || bytes.count > kMost - offset) refuse("a reference to nothing");
    std::memcpy(referred_element(index).copy + offset, bytes.data, bytes.count);
}

namespace {

// The structures of a product come as the kernel's process made them: every number is one that the library
// gives, and small enough that no sum or product of them leaves 64 bits.
constexpr uint64_t kMostOfProduct = uint64_t(1)
                                    << 30;  // sides, steps and elements between rows; all of a matrix

bool is_element(uint64_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4; }

void check_operand(const MatmulOperand& x, bool is_bias) {
    const bool is_known = x.type < CubeType::i32 || (is_bias && x.type == CubeType::i32);
    if (!is_known || x.row_stride > kMostOfProduct || (is_bias && (x.nz || x.transposed)))
        refuse("an operand that no product has");
}

void check_job(const MatmulJob& job) {
    for (const uint64_t side : {job.m, job.n, job.k})
        if (side > kMostOfProduct) refuse("a product that no memory holds");
    for (const uint64_t size : {job.base_m, job.base_n, job.base_k, job.step_ka, job.step_kb})
        if (size == 0 || size > kMostOfProduct) refuse("a base block that there is not");
    if (std::max({job.m * job.n, job.m * job.k, job.k * job.n}) > kMostOfProduct || !is_element(job.c_bytes))
        refuse("a product that no memory holds");
    check_operand(job.a, false);
    check_operand(job.b, false);
    if (job.has_bias) check_operand(job.bias, true);
}

void check_target(const MatmulTarget& target, uint64_t n) {
    const FixTransfer& fix = target.fix;
    const bool is_wide = target.nz_width == 8 || target.nz_width == 16 || target.nz_width == 32;
    if (!is_element(target.bytes) || fix.target_bytes != target.bytes || !is_wide ||
        target.row_stride > kMostOfProduct || target.atomic > AtomicMode::min || n == 0)
        refuse("a place for sums that there is not");
    if (per_column(fix.quant) && target.factors == nullptr) refuse("factors of columns that there are not");
}

/// The object of a core's kernel that is known by this key.
MatmulSums& sums_of(uint64_t key) {
    constexpr size_t kMostObjects = 1024;
    auto& all = simulator_end->half().sums;
    if (all.size() >= kMostObjects && all.count(key) == 0) refuse("too many Matmul objects");
    return all[key];
}

}  // namespace

void operand_brought(uint64_t object, uint32_t operand, const View& view, uint64_t bytes, const char* call,
                     const Site& site) {
    if (operand >= kMatmulOperands) refuse("an operand that no product has");
    matmul_bring(sums_of(object), operand, view, bytes, call, site);
}
void product_made(uint64_t object, const char* call, const Site& site, const MatmulJob& job, bool add) {
    check_job(job);
    matmul_multiply(call, site, job, sums_of(object), add);
}
void product_awaited(uint64_t object, const char* call, const Site& site) {
    matmul_wait(sums_of(object), call, site);
}
void product_stored(uint64_t object, const char* call, const Site& site, const MatmulTarget& target,
                    uint64_t m, uint64_t n, bool from_integer, bool sync) {
    MatmulSums& sums = sums_of(object);
    if (m > sums.values.size() || n > sums.values.size() || m * n != sums.values.size() ||
        target.bytes != sums.c_bytes)
        refuse("a product of another size");
    check_target(target, n);
    matmul_store(call, site, target, sums, m, n, from_integer, sync);
}

namespace {

/// Rules a kernel's own end reports.
constexpr const Rule* kToldRules[] = {&rules::tiling_size,  &rules::empty_buffer, &rules::event_id,
                                      &rules::pipe_misuse,  &rules::ub_capacity,  &rules::assertion,
                                      &rules::trap,         &rules::collective,   &rules::vector_limit,
                                      &rules::vector_count, &rules::cube_limit,   &rules::copy_limit,
                                      &rules::cast_mode,    &rules::core_type,    &rules::launch_setup};

}  // namespace

void finding_told(const char* rule, Severity severity, const char* call, const Site& site,
                  const std::string& message, const std::string& tensor, const std::string& limit) {
    for (const Rule* known : kToldRules) {
        if (std::strcmp(known->name, rule) == 0 && severity <= Severity::error)
            return report_as(
                *known, severity, call, site,
                {message.substr(0, kMostText), tensor.substr(0, kMostText), limit.substr(0, kMostText)});
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

bool open_kernel_page(const void* address) {
    return wire::kernel_process().open_page(static_cast<const uint8_t*>(address));
}

void tell_crash(const std::string& message) { wire::kernel_process().crash(message); }
void tell_division() { wire::kernel_process().tell_division(); }

LaunchReport run_remote_kernel(const std::vector<KernelWire>& wires, const Launch& launch) {
    signal(SIGPIPE, SIG_IGN);  // a kernel that is gone is noticed by what it does not answer
    static wire::SimulatorEnd end(wires, launch.apart);
    wire::simulator_end = &end;
    LaunchReport report = run_kernel(launch, [] { wire::simulator_end->run_core(); });
    end.leave();
    return report;
}

}  // namespace twin
