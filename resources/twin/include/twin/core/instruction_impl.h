// Definitions of instruction.h and of the finding helpers. Part of twin/device.h.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <utility>

#include "twin/core/gm_access_impl.h"
#include "twin/core/instruction.h"
#include "twin/core/pipe_order_impl.h"
#include "twin/core/sync.h"
#include "twin/wire/calls.h"

namespace twin {

std::string format(const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    char buffer[512];
    const int needed = std::vsnprintf(buffer, sizeof buffer, text, arguments);
    va_end(arguments);
    if (needed < static_cast<int>(sizeof buffer)) return std::string(buffer);
    std::string longer(static_cast<size_t>(needed) + 1, '\0');
    va_start(arguments, text);
    std::vsnprintf(&longer[0], longer.size(), text, arguments);
    va_end(arguments);
    longer.pop_back();
    return longer;
}

void note_cut(int64_t assigned, int64_t kept, size_t bytes) {
    TWIN_FORWARD(note_cut, assigned, kept, bytes)
    core().cut = format("%lld does not fit the %zu-bit field it was assigned to, which keeps %lld",
                        static_cast<long long>(assigned), bytes * 8, static_cast<long long>(kept));
}

void report_cut(const char* call, const Site& site) {
    if (core().cut.empty()) return;
    const std::string message = std::exchange(core().cut, {});
    report(rules::field_cut, call, site, {message, "", ""});
}

void report_as(const Rule& rule, Severity severity, const char* call, const Site& site,
               const FindingText& text) {
    report_cut(call, site);  // the cause before its consequence
    Core& here = core();
    if (wire::kernel_end != nullptr) {
        if (wire::kernel_end->depth == 0)
            wire::call(wire::number_of<&wire::finding_told>, rule.name, severity, call, site, text.message,
                       text.tensor, text.limit);
        if (severity == Severity::error) stop_core();
        return;
    }
    here.launch.findings.add(rule, severity, here.block, call, site, [&] { return text; });
    if (severity == Severity::error) {
        here.failed = true;
        stop_core();
    }
}

void report(const Rule& rule, const char* call, const Site& site, const FindingText& text) {
    report_as(rule, rule.severity, call, site, text);
}

std::string describe(const View& view) {
    if (view.buffer == nullptr) return std::string(memory_name(view.kind)) + " tensor";
    const Buffer& buffer = *view.buffer;
    return format("%s buffer %d (%u bytes, initialised at line %d)", buffer.role, buffer.number,
                  buffer.length, buffer.site.line);
}

namespace {

/// Time of the scalar unit that no API call takes.
void charge_scalar(Core& core, double cycles) {
    PipeTime& scalar = core.pipe(Pipe::S);
    core.spend(Pipe::S, {scalar.done, cycles});
    scalar.done += cycles;
    scalar.free = scalar.done;
}

}  // namespace

void charge_loops(Core& core) {
    const uint64_t passes = loop_passes - core.passes_seen;
    core.passes_seen = loop_passes;
    if (passes <= kPassesPerCall) return;
    const uint64_t free = std::min(passes - kPassesPerCall, core.passes_free);
    core.passes_free -= free;
    charge_scalar(core, static_cast<double>(passes - kPassesPerCall - free) * kLoopPassCycles);
}

void charge_raw_reads(Core& core) {
    charge_scalar(core, raw_read_cycles);
    raw_read_cycles = 0;
}

uint64_t Instruction::next_tag() {
    Core& here = core();
    const uint64_t key = reinterpret_cast<uintptr_t>(site_.file) * 1000003u +
                         static_cast<uint64_t>(site_.line) * 4099u + reinterpret_cast<uintptr_t>(call_);
    auto found = here.site_numbers.find(key);
    if (found == here.site_numbers.end()) {
        found = here.site_numbers.emplace(key, static_cast<uint32_t>(here.sites.size())).first;
        here.sites.push_back({call_, site_});
    }
    const uint64_t sequence = ++here.issued[static_cast<int>(pipe_)];
    return AccessTag::pack(pipe_, found->second, sequence);
}

void Instruction::misaligned(const View& view, uint64_t offset, uint32_t alignment) const {
    const auto address = reinterpret_cast<uintptr_t>(view.data) + offset -
                         reinterpret_cast<uintptr_t>(core().memory(view.kind).base());
    fail(rules::alignment, {format("%s address 0x%llx is not a multiple of %u bytes", memory_name(view.kind),
                                   static_cast<unsigned long long>(address), alignment),
                            describe(view), format("%u-byte alignment", alignment)});
}

/// Offset of the access in its memory; findings for everything that leaves the memory, the tensor or a live
/// buffer.
uint64_t Instruction::checked_offset(const View& view, uint64_t offset, uint64_t bytes, bool write) const {
    const char* action = write ? "write" : "read";
    if (view.data == nullptr) {
        fail(rules::null_tensor, {format("%s of a tensor that was never allocated", action), "", ""});
    }
    if (pipe_ == Pipe::V && view.kind != MemoryKind::UB) {
        fail(rules::core_type,
             {format("%s of %s by the vector unit, which reaches UB alone", action, memory_name(view.kind)),
              describe(view), ""});
    }
    // On Atlas A2 the cores are apart: L1 and all behind it belong to cube cores.
    if (core().type == CoreType::vector && view.kind != MemoryKind::UB) {
        fail(rules::core_type,
             {format("%s of %s by a vector core, which has UB alone", action, memory_name(view.kind)),
              describe(view), ""});
    }
    LocalMemory& memory = core().memory(view.kind);
    const long long begin = view.data - memory.base() + static_cast<long long>(offset);
    const auto end = begin + static_cast<long long>(bytes);
    if (begin < 0 || bytes > memory.capacity() || end > static_cast<long long>(memory.capacity())) {
        fail(rules::ub_overflow,
             {format("%s of %llu bytes at %s offset %lld ends at %lld, beyond the %zu bytes of %s", action,
                     static_cast<unsigned long long>(bytes), memory_name(view.kind), begin, end,
                     memory.capacity(), memory_name(view.kind)),
              describe(view), format("%zu bytes of %s", memory.capacity(), memory_name(view.kind))});
    }
    if (offset + bytes > view.limit) {
        // A tensor at a raw address in L0 has whatever size its kernel wrote there: whole fractals may leave
        // it.
        const bool nominal =
            view.buffer == nullptr &&
            (view.kind == MemoryKind::L0A || view.kind == MemoryKind::L0B || view.kind == MemoryKind::L0C);
        const Rule& rule = write ? rules::tensor_overwrite : rules::tensor_overread;
        report_as(
            rule, nominal ? Severity::warning : rule.severity, call_, site_,
            {format("%s of %llu bytes at offset %llu of a tensor that has %llu bytes left in its buffer",
                    action, static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(offset),
                    static_cast<unsigned long long>(view.limit)),
             describe(view), format("%llu bytes", static_cast<unsigned long long>(view.limit))});
    }
    if (view.buffer != nullptr && view.buffer->state == BufferState::free) {
        fail(rules::use_after_free,
             {format("%s of a tensor after FreeTensor gave its buffer back", action), describe(view), ""});
    }
    charge_raw_stores(view.kind, static_cast<uint64_t>(begin), bytes, write);
    return static_cast<uint64_t>(begin);
}

/// Charges what the kernel itself stored in the range like SetValue.
void Instruction::charge_raw_stores(MemoryKind kind, uint64_t begin, uint64_t bytes, bool write) const {
    Core& here = core();
    LocalMemory& memory = here.memory(kind);
    if (!memory.is_lent()) return;
    charge_scalar(
        here, static_cast<double>(memory.take_raw_words(begin, bytes)) * here.launch.soc.scalar_local_cycles);
    if (write) here.open_writes.push_back({&memory, begin, bytes});
}

uint8_t* lend_address(MemoryKind kind, uint8_t* own) {
    if (current_core == nullptr || kind == MemoryKind::GM || own == nullptr) return own;
    return core().memory(kind).lend(own);
}

void* lend_element(MemoryKind kind, void* element, uint64_t bytes) {
    Core& here = core();
    LocalMemory& memory = here.memory(kind);
    if (bytes > LentElement::kMostBytes)
        return memory.is_lent() ? memory.lend(static_cast<uint8_t*>(element)) : element;
    LentElement& lent = here.lent[here.lent_count++ % here.lent.size()];
    lent.memory = &memory;
    lent.offset = static_cast<uint64_t>(static_cast<const uint8_t*>(element) - lent.memory->base());
    lent.bytes = bytes;
    std::memcpy(lent.copy, element, bytes);
    std::memcpy(lent.known, element, bytes);
    return lent.copy;
}

void take_lent(Core& core) {
    for (size_t i = 0; i < std::min(core.lent_count, core.lent.size()); ++i) {
        LentElement& lent = core.lent[i];
        if (std::memcmp(lent.copy, lent.known, lent.bytes) == 0) continue;
        std::memcpy(lent.memory->base() + lent.offset, lent.copy, lent.bytes);
        std::memcpy(lent.known, lent.copy, lent.bytes);
        if (lent.memory->is_lent()) lent.memory->settle(lent.offset, lent.bytes);
    }
}

void renew_lent(Core& core) {
    for (size_t i = 0; i < std::min(core.lent_count, core.lent.size()); ++i) {
        LentElement& lent = core.lent[i];
        std::memcpy(lent.copy, lent.memory->base() + lent.offset, lent.bytes);
        std::memcpy(lent.known, lent.copy, lent.bytes);
    }
}

void Instruction::await(Pipe other, uint64_t sequence) const {
    Core& here = core();
    if (comes_after(here, pipe_, other, sequence)) return;
    Event event = event_of(here, other);
    // Its flag may be as early as behind the access it is for: nothing later is sure.
    if (pipe_ == Pipe::S) event.clock = finished_with(here, other, sequence);
    await_event(here, pipe_, event);
}

void take_register(uint64_t instruction, const char* call, const Site& site) {
    Instruction access(Pipe::S, call, site);
    access.await(Pipe::V, instruction);
    access.issue(processor().scalar_local_cycles, 0);
}

/// Checks that the earlier access `tag` is finished before this one starts; whether it is.
bool Instruction::require_ordered(uint64_t tag, const View& view, uint64_t block, bool write,
                                  bool earlier_write) {
    const Pipe other = AccessTag::pipe(tag);
    Core& here = core();
    if (other == pipe_) {
        if (pipe_ == Pipe::V && AccessTag::sequence(tag) == here.vector.last_started) {
            here.vector.dependent = true;
        }
        return true;
    }
    const uint64_t sequence = AccessTag::sequence(tag);
    if (comes_after(here, pipe_, other, sequence)) return true;
    if (pipe_ == Pipe::S ||
        other == Pipe::S) {  // the compiler's automatic synchronisation orders the scalar pipe
        await(other, sequence);
        return true;
    }
    here.order[static_cast<int>(pipe_)][static_cast<int>(other)] = sequence;  // told once
    const CallSite& earlier = here.sites[AccessTag::site(tag)];
    fail(rules::race,
         {format("%s %s of %s offset 0x%llx is not ordered after the %s by %s (%s, %s): EnQue/DeQue or "
                 "SetFlag/WaitFlag is missing",
                 pipe_name(pipe_), write ? "write" : "read", memory_name(view.kind),
                 static_cast<unsigned long long>(block * kBlockBytes), earlier_write ? "write" : "read",
                 pipe_name(other), earlier.call, earlier.site.text().c_str()),
          describe(view), ""});
    return false;
}

long Instruction::first_unwritten(const View& view, uint64_t offset, uint64_t bytes) const {
    if (core().launch.launch.fast || offset >= view.limit) return -1;
    if (view.kind == MemoryKind::UB && core().type == CoreType::cube) return -1;  // it holds no data there
    if (view.buffer != nullptr && view.buffer->state == BufferState::free) return -1;
    LocalMemory& memory = core().memory(view.kind);
    const auto begin = static_cast<uint64_t>(view.data - memory.base()) + offset;
    return memory.first_unwritten(begin, std::min(bytes, view.limit - offset));
}

uint32_t Instruction::origin(const View& view, long unwritten) const {
    const uint32_t earlier = core().memory(view.kind).origin(static_cast<size_t>(unwritten));
    return earlier != LocalMemory::kNoOrigin ? earlier : AccessTag::site(tag_);
}

void Instruction::report_unwritten(const View& view, const std::string& what, long unwritten) const {
    const auto at = static_cast<unsigned long>(unwritten);
    const uint32_t maker = core().memory(view.kind).origin(static_cast<size_t>(unwritten));
    std::string why = "was never written";
    if (maker != LocalMemory::kNoOrigin) {
        const CallSite& made = core().sites[maker];
        why = format("is what %s (%s) made of bytes that were never written", made.call,
                     made.site.text().c_str());
    } else if (view.buffer != nullptr && view.buffer->state != BufferState::plain) {
        why = "was not written since AllocTensor handed the buffer out";
    }
    warn(rules::uninitialised_read, rules::uninitialised_read.severity,
         {format("reads %s; the byte at %s offset 0x%lx %s", what.c_str(), memory_name(view.kind), at,
                 why.c_str()),
          describe(view), ""});
}

void Instruction::read(const View& view, uint64_t offset, uint64_t bytes) {
    if (bytes == 0) return;
    const uint64_t begin = checked_offset(view, offset, bytes, false);
    if (core().launch.launch.fast) return;
    const long unwritten = first_unwritten(view, offset, bytes);
    if (unwritten >= 0) {
        report_unwritten(view,
                         format("%llu bytes at %s offset 0x%llx", static_cast<unsigned long long>(bytes),
                                memory_name(view.kind), static_cast<unsigned long long>(begin)),
                         unwritten);
        core().memory(view.kind).mark_written(begin, bytes);
    }
    note_read(view, begin, bytes);
}

void Instruction::read_any(const View& view, uint64_t offset, uint64_t bytes) {
    if (bytes == 0) return;
    const uint64_t begin = checked_offset(view, offset, bytes, false);
    if (!core().launch.launch.fast) note_read(view, begin, bytes);
}

/// Checks the order after the last writers of these bytes and records the read.
void Instruction::note_read(const View& view, uint64_t begin, uint64_t bytes) {
    LocalMemory& memory = core().memory(view.kind);
    const uint64_t first = begin / kBlockBytes, last = (begin + bytes - 1) / kBlockBytes;
    const uint64_t* writers = memory.writers();
    uint64_t* readers = memory.open_readers(pipe_);
    uint64_t seen = 0;
    for (uint64_t block = first; block <= last; ++block) {
        if (writers[block] != seen) {
            seen = writers[block];
            if (seen != 0) require_ordered(seen, view, block, false, true);
        }
        readers[block] = tag_;
    }
}

void Instruction::write(const View& view, uint64_t offset, uint64_t bytes) {
    if (bytes == 0) return;
    const uint64_t begin = checked_offset(view, offset, bytes, true);
    if (core().late) core().late->save(view.data + offset, bytes);
    if (core().launch.launch.fast) return;
    LocalMemory& memory = core().memory(view.kind);
    memory.mark_written(begin, bytes);
    const uint64_t first = begin / kBlockBytes, last = (begin + bytes - 1) / kBlockBytes;
    uint64_t* writers = memory.writers();
    uint64_t seen = 0;
    for (uint64_t block = first; block <= last; ++block) {
        if (writers[block] != seen) {
            seen = writers[block];
            if (seen != 0) require_ordered(seen, view, block, true, true);
        }
        writers[block] = tag_;
    }
    for (int pipe = 0; pipe < kPipes; ++pipe) {
        uint64_t* readers = memory.readers(pipe);
        if (readers == nullptr) continue;
        seen = 0;
        bool ordered = true;
        for (uint64_t block = first; block <= last; ++block) {
            if (readers[block] != seen) {
                seen = readers[block];
                ordered = seen == 0 || require_ordered(seen, view, block, true, false);
            }
            if (!ordered && core().late) {
                const uint64_t from = std::max<uint64_t>(begin, block * kBlockBytes);
                const uint64_t end = std::min<uint64_t>(begin + bytes, (block + 1) * kBlockBytes);
                core().late->overwrites({core().slot, pipe, AccessTag::sequence(seen)}, view.kind, from,
                                        end - from);
            }
            readers[block] = 0;
        }
    }
}

double Instruction::issue(double cycles, double latency, double bytes) {
    Core& here = core();
    if (pipe_ == Pipe::S) {
        charge_scalar(here, cycles);
        return here.now() - cycles;
    }
    PipeTime& unit = here.pipe(pipe_);
    double stalled = 0;
    const double start = start_on_pipe(stalled);
    unit.free = start + cycles;
    unit.done = std::max(unit.done, start + cycles + latency);
    here.spend(pipe_, {start, cycles, stalled, 0, bytes});
    return start;
}

/// Time the scalar unit has issued the instruction and its pipe can start it; `stalled` is how long only
/// flags held it back.
double Instruction::start_on_pipe(double& stalled) {
    report_cut(call_, site_);
    Core& here = core();
    const PipeTime& scalar = here.pipe(Pipe::S);
    const PipeTime& unit = here.pipe(pipe_);
    charge_scalar(here, kScalarIssueCycles);
    if (pipe_ == Pipe::V && here.type == CoreType::cube && !here.launch.task.mixed())
        settle_task(kMixedTask, TaskSource::inferred_mixed, call_, site_);
    double start = std::max(scalar.done, unit.free);
    stalled = std::max(0.0, unit.ready - start);
    start = std::max(start, unit.ready);
    if (pipe_ == Pipe::V) here.vector.last_started = AccessTag::sequence(tag_);
    if (pipe_ == Pipe::V && here.vector.dependent) start = std::max(start, unit.done);
    here.vector.dependent = false;
    return start;
}

/// Cycles the core's connection to global memory is busy with `bytes` bytes.
double Instruction::bus_cycles(double bytes) const {
    const LaunchState& launch = core().launch;
    if (core().type == CoreType::cube) return bytes / launch.cube_rates.l2_write;
    const double missed = missed_share();
    return bytes * missed / launch.bus_bytes_per_cycle + bytes * (1 - missed) / launch.vector_l2_per_cycle;
}

void Instruction::issue_l1_copy(double rows, double bytes, double least) {
    Core& here = core();
    join_readers(here, here.cube.reads);
    if (read_from_ != nullptr)
        missed_ = here.cube.fetched.charge(read_from_, read_from_->bytes, missed_, here.launch.cube_readers);
    issue(l1_copy_cycles(bytes + partial_, rows, missed_share(), least, here.launch.cube_rates), 0, bytes);
}

double Instruction::issue_store(double read, double written, double earliest_end) {
    const CubeRates& rates = core().launch.cube_rates;
    const PipeTime& unit = core().pipe(pipe_);
    const double start = std::max({core().now() + kScalarIssueCycles, unit.free, unit.ready});
    const double cycles = std::max(store_cycles(read, written, rates), earliest_end - start);
    return issue(cycles, rates.copy_latency, written);
}

void Instruction::issue_transfer(double cycles, double bytes) {
    Core& here = core();
    PipeTime& unit = here.pipe(pipe_);
    double stalled = 0;
    const double start = start_on_pipe(stalled);
    const double latency = here.launch.cube_rates.copy_latency;
    const double moving = bus_cycles(bytes);
    unit.free = here.gm.bus.occupy(start + cycles, moving);
    unit.done = std::max(unit.done, unit.free + latency);
    const double took = unit.free - start;
    const double blocked = std::max(0.0, took - cycles - moving);
    here.spend(pipe_, {start, took, stalled, blocked, bytes});
}

}  // namespace twin
