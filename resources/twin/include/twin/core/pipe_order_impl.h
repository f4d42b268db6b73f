// What the pipes of a core know of each other: which instructions are finished when another one starts. Part
// of twin/device.h.
#pragma once

#include "twin/core/instruction.h"

namespace twin {

Clock issued_by(const Core& core) {
    Clock issued{};
    for (int pipe = 0; pipe < kPipes; ++pipe) {
        const bool library = is_of_library(core, static_cast<Pipe>(pipe));
        issued[pipe] = library ? core.order[0][pipe] : core.issued[pipe];
    }
    return issued;
}

Event event_of(Core& core, Pipe from) {
    Event event;
    event.clock = core.order[static_cast<int>(from)];
    event.clock[static_cast<int>(from)] = issued_by(core)[static_cast<int>(from)];
    // A pipe that has nothing to do passes on what it waits for.
    event.time = std::max(core.pipe(from).done, core.pipe(from).ready);
    if (core.trace) event.record = core.trace->last(from);
    return event;
}

namespace {

void join(Clock& known, const Clock& other) {
    for (int pipe = 0; pipe < kPipes; ++pipe) known[pipe] = std::max(known[pipe], other[pipe]);
}

}  // namespace

Clock finished_with(const Core& core, Pipe pipe, uint64_t sequence) {
    Clock clock{};
    for (const HeldSince& held : core.held[static_cast<int>(pipe)]) {
        if (held.first <= sequence) clock = held.clock;
    }
    clock[static_cast<int>(pipe)] = sequence;
    return clock;
}

bool comes_after(const Core& core, Pipe pipe, Pipe other, uint64_t sequence) {
    const int at = static_cast<int>(other);
    return core.order[static_cast<int>(pipe)][at] >= sequence ||
           core.order[static_cast<int>(Pipe::S)][at] >= sequence;
}

void await_event(Core& core, Pipe to, const Event& event) {
    constexpr size_t kRemembered = 64;
    if (core.late) core.late->settle(event.clock);
    join(core.order[static_cast<int>(to)], event.clock);
    if (to != Pipe::S) {  // what the scalar unit knows it keeps
        std::deque<HeldSince>& held = core.held[static_cast<int>(to)];
        held.push_back({core.issued[static_cast<int>(to)] + 1, core.order[static_cast<int>(to)]});
        if (held.size() > kRemembered) held.pop_front();
    }
    PipeTime& waiting = core.pipe(to);
    if (to == Pipe::S) {
        core.pause(event.time, event.record);
    } else if (core.trace) {
        core.trace->wait(to, event.record, event.time, core.last_name(), core.last_site());
    }
    waiting.ready = std::max(waiting.ready, event.time);
    if (to == Pipe::S) waiting.done = std::max(waiting.done, event.time);
}

void order_pipes(Core& core, Pipe from, Pipe to) { await_event(core, to, event_of(core, from)); }

void order_pipes(Core& core, Pipe from, Pipe to, double time) {
    Event event = event_of(core, from);
    event.time = std::min(event.time, time);
    await_event(core, to, event);
}

}  // namespace twin
