// Definitions of late_writes.h. Part of twin/device.h.
#pragma once

#include <cstring>
#include <utility>

#include "twin/core/late_writes.h"

namespace twin {

bool LateWrites::is_late() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;  // xorshift64
    return all_ || (state_ >> 20 & 1) != 0;
}

void LateWrites::begin(Pipe pipe) {
    before_.clear();
    if (pipe == Pipe::V || pipe == Pipe::M) settle(pipe);  // they use what they made before
}

void LateWrites::save(uint8_t* at, size_t bytes) { before_.push_back({at, {at, at + bytes}}); }

void LateWrites::end(Pipe pipe, uint64_t sequence) {
    if (before_.empty()) return;
    Late late{sequence, {}};
    for (const Part& part : before_) late.parts.push_back({part.at, {part.at, part.at + part.bytes.size()}});
    for (size_t at = before_.size(); at-- > 0;) std::memcpy(before_[at].at, before_[at].bytes.data(), before_[at].bytes.size());
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
