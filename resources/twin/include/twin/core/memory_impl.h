// Buffers and queues, untemplated. Part of twin/device.h.
#pragma once

#include "twin/api/queue.h"
#include "twin/wire/calls.h"

namespace twin {

namespace {

/// A buffer changes hands.
void note_turn(TraceKind kind, const Buffer& buffer, double time, const char* call, const Site& site) {
    if (core().trace) core().trace->turn(kind, buffer.index, time, call, site);
}

/// Gives back the event id that a buffer holds.
void drop_event(Buffer& buffer) {
    if (buffer.event_from == buffer.event_to) return;
    --core().queue_events[static_cast<size_t>(buffer.event_from)][static_cast<size_t>(buffer.event_to)];
    buffer.event_to = buffer.event_from;
}

}  // namespace

Buffer* place_buffer(MemoryKind kind, uint32_t offset, uint32_t bytes, const char* role, int number,
                     const Site& site) {
    const wire::Note note(wire::number_of<&wire::buffer_placed>, kind, offset, bytes, role, number, site);
    Core& here = core();
    Buffer buffer;
    buffer.kind = kind;
    buffer.offset = offset;
    buffer.length = round_up_block(bytes);
    buffer.role = role;
    buffer.number = number;
    buffer.site = site;
    buffer.index = static_cast<uint32_t>(here.buffers.size());
    here.buffers.push_back(buffer);
    if (here.trace) {
        here.trace->buffer(buffer.index, static_cast<uint8_t>(kind), number, offset, buffer.length,
                           here.now(), role, site);
    }
    return &here.buffers.back();
}

Buffer* allocate_buffer(MemoryKind kind, uint32_t bytes, const char* role, int number, const Site& site) {
    const wire::Note note(wire::number_of<&wire::buffer_allocated>, kind, bytes, role, number, site);
    Core& here = core();
    uint64_t& top = here.allocated[static_cast<size_t>(kind)];
    const auto offset = static_cast<uint32_t>(top);
    top += round_up_block(bytes);
    if (top > memory_bytes(kind)) {
        report(
            rules::ub_capacity, "InitBuffer", site,
            {format(
                 "buffers of this kernel need %llu bytes of %s, which has %zu: accessing the rest will fail",
                 static_cast<unsigned long long>(top), memory_name(kind), memory_bytes(kind)),
             format("%s buffer %d", role, number),
             format("%zu bytes of %s", memory_bytes(kind), memory_name(kind))});
    }
    return place_buffer(kind, offset, bytes, role, number, site);
}

std::string QueueCore::name() const {
    if (count_ == 0) return format("%s queue without buffers", role_);
    return format("%s queue (%d buffer%s, initialised at line %d)", role_, count_, count_ == 1 ? "" : "s",
                  buffers_[0]->site.line);
}

void reset_buffers() {
    const wire::Note note(wire::number_of<&wire::memory_reset>);
    core().allocated.fill(0);
    for (Buffer& buffer : core().buffers) buffer.event_to = buffer.event_from;
    core().queue_events = {};
}

/// EnQue takes an event id until DeQue, FreeTensor one until the buffer is allocated again.
void QueueCore::hold_event(Buffer& buffer, Pipe from, Pipe to, const char* call, const Site& site) const {
    drop_event(buffer);
    if (from == to || depth_ == 0 || buffer.kind != MemoryKind::UB) return;
    int& held = core().queue_events[static_cast<size_t>(from)][static_cast<size_t>(to)];
    if (held == kEventIds) {
        report_as(rules::event_id, Severity::hazard, call, site,
                  {format("buffers of queues hold all ids of the event from %s to %s already: queues of one "
                          "position have at most %d buffers in all",
                          pipe_name(from), pipe_name(to), kEventIds),
                   name(), format("%d event ids", kEventIds)});
        return;
    }
    ++held;
    buffer.event_from = from, buffer.event_to = to;
}

void poison_temporary(const View& temporary, uint64_t bytes, const Site& site) {
    TWIN_FORWARD(poison_temporary, temporary, bytes, site)
    Core& here = core();
    if (temporary.data == nullptr || temporary.kind != MemoryKind::UB || here.launch.launch.fast) return;
    LocalMemory& memory = here.memory(temporary.kind);
    memory.poison(static_cast<size_t>(temporary.data - memory.base()), std::min(bytes, temporary.limit));
}

void QueueCore::clear() {
    const wire::Note note(wire::number_of<&wire::queue_cleared>, number_);
    for (int index = 0; index < count_; ++index) drop_event(*buffers_[static_cast<size_t>(index)]);
    count_ = 0;
    next_ = 0;
    first_ = 0;
    waiting_ = 0;
}

void QueueCore::attach(Buffer* buffer) {
    const wire::Note note(wire::number_of<&wire::queue_attached>, number_, buffer);
    if (count_ == kMaxBuffers) {
        report(rules::pipe_misuse, "InitBuffer", buffer->site,
               {"a queue may have at most 64 buffers", name(), "64 buffers of one TPipe"});
    }
    buffer->state = BufferState::free;
    buffers_[static_cast<size_t>(count_++)] = buffer;
}

bool QueueCore::has_free() const {
    for (int index = 0; index < count_; ++index) {
        if (buffers_[static_cast<size_t>(index)]->state == BufferState::free) return true;
    }
    return false;
}

Buffer* QueueCore::allocate(const Site& site) {
    const wire::Note note(wire::number_of<&wire::queue_allocated>, number_, site);
    enter("AllocTensor", site);
    const OpenCall open;
    for (int step = 0; step < count_; ++step) {
        const int index = (next_ + step) % count_;
        Buffer* buffer = buffers_[static_cast<size_t>(index)];
        if (buffer->state != BufferState::free) continue;
        next_ = (index + 1) % count_;
        buffer->state = BufferState::allocated;
        Core& here = core();
        if (buffer->was_released) await_event(here, producer_, buffer->released);
        drop_event(*buffer);
        note_turn(TraceKind::taken, *buffer, std::max(here.now(), buffer->released.time), "AllocTensor",
                  site);
        if (!here.launch.launch.fast) here.memory(buffer->kind).poison(buffer->offset, buffer->length);
        return buffer;
    }
    report(rules::queue_exhausted, "AllocTensor", site,
           {count_ == 0 ? std::string("the queue was never given to InitBuffer")
                        : format("all %d buffers of the queue are in use: FreeTensor is missing", count_),
            name(), format("%d buffers", count_)});
    return nullptr;
}

void QueueCore::require_ours(const Buffer* buffer, const char* call, const Site& site) const {
    for (int index = 0; index < count_; ++index) {
        if (buffers_[static_cast<size_t>(index)] == buffer) return;
    }
    const bool allocated = buffer != nullptr && buffer->state != BufferState::plain;
    // The buffer itself knows its state, so the device takes it through any queue.
    report(allocated ? rules::queue_foreign : rules::queue_order, call, site,
           {"the tensor does not belong to this queue", name(), ""});
}

void QueueCore::enqueue(Buffer* buffer, Pipe producer, const Site& site) {
    const wire::Note note(wire::number_of<&wire::queue_enqueued>, number_, buffer, producer, site);
    enter("EnQue", site);
    require_ours(buffer, "EnQue", site);
    if (buffer->state != BufferState::allocated && buffer->state != BufferState::dequeued) {
        report(rules::queue_order, "EnQue", site,
               {format("EnQue of a tensor that is %s; it must come from AllocTensor or DeQue",
                       state_name(buffer->state)),
                name(), ""});
    }
    if (depth_ > 0 && waiting_ >= depth_) {
        report(rules::queue_full, "EnQue", site,
               {format("EnQue of tensor %d into a queue of depth %d without DeQue", waiting_ + 1, depth_),
                name(), format("depth %d", depth_)});
    }
    buffer->state = BufferState::enqueued;
    hold_event(*buffer, producer, consumer_, "EnQue", site);
    buffer->filled = event_of(core(), producer);
    note_turn(TraceKind::filled, *buffer, buffer->filled.time, "EnQue", site);
    fifo_[static_cast<size_t>((first_ + waiting_++) % kMaxBuffers)] = buffer;
}

Buffer* QueueCore::dequeue(Pipe consumer, const Site& site) {
    const wire::Note note(wire::number_of<&wire::queue_dequeued>, number_, consumer, site);
    enter("DeQue", site);
    if (waiting_ == 0) {
        report(rules::queue_undelivered, "DeQue", site,
               {"DeQue from an empty queue: no EnQue delivered a tensor, the core would read undefined data "
                "or hang",
                name(), ""});
    }
    Buffer* buffer = fifo_[static_cast<size_t>(first_)];
    first_ = (first_ + 1) % kMaxBuffers;
    --waiting_;
    buffer->state = BufferState::dequeued;
    drop_event(*buffer);
    await_event(core(), consumer, buffer->filled);
    note_turn(TraceKind::given, *buffer, std::max(core().now(), buffer->filled.time), "DeQue", site);
    return buffer;
}

void QueueCore::release(Buffer* buffer, const Site& site) {
    const wire::Note note(wire::number_of<&wire::queue_released>, number_, buffer, site);
    enter("FreeTensor", site);
    require_ours(buffer, "FreeTensor", site);
    if (buffer->state == BufferState::free) {
        report(rules::queue_order, "FreeTensor", site,
               {"FreeTensor of a tensor that is already free", name(), ""});
    }
    if (buffer->state == BufferState::enqueued) {
        report(rules::queue_order, "FreeTensor", site,
               {"FreeTensor of a tensor that is still in the queue: DeQue is missing", name(), ""});
    }
    buffer->state = BufferState::free;
    buffer->released = event_of(core(), consumer_);
    hold_event(*buffer, consumer_, producer_, "FreeTensor", site);
    note_turn(TraceKind::released, *buffer, buffer->released.time, "FreeTensor", site);
    buffer->was_released = true;
}

}  // namespace twin
