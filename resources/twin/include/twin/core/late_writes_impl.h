// Definitions of late_writes.h. Part of twin/device.h.
#pragma once

#include <cstring>
#include <utility>

#include "twin/core/late_reads_impl.h"
#include "twin/core/late_writes.h"

namespace twin {

bool LateWrites::is_late() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;  // xorshift64
    return all_ || (state_ >> 20 & 1) != 0;
}

uint8_t* LateWrites::place(MemoryKind kind, uint64_t offset) const {
    if (kind == MemoryKind::GM) return reinterpret_cast<uint8_t*>(offset);
    return memories_[static_cast<size_t>(kind)].base() + offset;
}

void LateWrites::begin(Pipe pipe, uint64_t sequence) {
    before_.clear();
    pairs_.clear();
    if (pipe == Pipe::V || pipe == Pipe::M) settle(pipe);  // they use what they made before
    const std::vector<Overwriting>* found = reads_.found_by({slot_, static_cast<int>(pipe), sequence});
    if (found == nullptr) return;
    for (const Overwriting& written : *found) {
        uint8_t* at = place(written.kind, written.offset);
        hidden_.push_back({at, {at, at + written.bytes.size()}});
        std::memcpy(at, written.bytes.data(), written.bytes.size());
    }
}

void LateWrites::overwrites(const InstructionNumber& reader, MemoryKind kind, uint64_t offset, size_t bytes) {
    pairs_.push_back({reader, {kind, offset, std::vector<uint8_t>(bytes)}});
}

/// Notes what really changes of what others may read too late; memory is as it was before.
void LateWrites::note_pairs() {
    for (auto& [reader, written] : pairs_) {
        const uint8_t* at = place(written.kind, written.offset);
        if (std::memcmp(at, written.bytes.data(), written.bytes.size()) != 0)
            reads_.note(reader, std::move(written));
    }
    pairs_.clear();
}

void LateWrites::save(uint8_t* at, size_t bytes) { before_.push_back({at, {at, at + bytes}}); }

void LateWrites::end(Pipe pipe, uint64_t sequence) {
    for (auto& [reader, written] : pairs_) {
        const uint8_t* at = place(written.kind, written.offset);
        written.bytes.assign(at, at + written.bytes.size());
    }
    Late late{sequence, {}};
    for (const Part& part : before_) late.parts.push_back({part.at, {part.at, part.at + part.bytes.size()}});
    for (size_t at = before_.size(); at-- > 0;)
        std::memcpy(before_[at].at, before_[at].bytes.data(), before_[at].bytes.size());
    note_pairs();
    while (!hidden_.empty()) {  // several may lie over each other
        std::memcpy(hidden_.back().at, hidden_.back().bytes.data(), hidden_.back().bytes.size());
        hidden_.pop_back();
    }
    if (before_.empty()) return;
    before_.clear();
    late_[static_cast<size_t>(pipe)].push_back(std::move(late));
    if (pipe == Pipe::S || !is_late()) settle(pipe);  // at once, after those of its pipe before it
}

void LateWrites::put(const std::vector<Part>& parts) {
    for (const Part& part : parts) std::memcpy(part.at, part.bytes.data(), part.bytes.size());
}

void LateWrites::settle(const Clock& done) {
    for (size_t pipe = 0; pipe < kPipes; ++pipe) {
        std::deque<Late>& late = late_[pipe];
        while (!late.empty() && late.front().sequence <= done[pipe]) {
            put(late.front().parts);
            late.pop_front();
        }
    }
}

void LateWrites::settle(Pipe pipe) {
    std::deque<Late>& late = late_[static_cast<size_t>(pipe)];
    for (const Late& one : late) put(one.parts);
    late.clear();
}

void LateWrites::settle_all() {
    for (int pipe = 0; pipe < kPipes; ++pipe) settle(static_cast<Pipe>(pipe));
}

}  // namespace twin
