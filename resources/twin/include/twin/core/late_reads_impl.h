// Definitions of late_reads.h. Part of twin/device.h.
#pragma once

#include <cstring>
#include <utility>

#include "twin/core/late_reads.h"

namespace twin {

LateReads::LateReads(const Launch& launch) : schedule_(launch.schedule) {
    size_t total = launch.workspace_bytes;
    for (const GmArgument& argument : launch.arguments)
        total += argument.is_input ? 0 : padded_bytes(argument.bytes);
    keeps_ = total <= kMostMemory;
    if (!keeps_) return;
    const auto keep = [this](uint8_t* address, uint8_t* kept, size_t bytes) {
        uint8_t* at = kept != nullptr ? kept : address;
        if (at != nullptr) before_.push_back({at, {at, at + bytes}});
    };
    for (const GmArgument& argument : launch.arguments) {
        if (!argument.is_input) keep(argument.data, argument.kept, padded_bytes(argument.bytes));
    }
    keep(launch.workspace, launch.workspace_kept, launch.workspace_bytes);
}

bool LateReads::is_chosen(const InstructionNumber& reader) const {
    if (schedule_ == 1) return true;
    const auto [slot, pipe, sequence] = reader;
    uint64_t mixed =
        (sequence * 8 + static_cast<uint64_t>(pipe)) * 1024 + static_cast<uint64_t>(slot) + schedule_;
    mixed *= 0x9e3779b97f4a7c15u;
    return (mixed >> 40 & 1) != 0;
}

void LateReads::note(const InstructionNumber& reader, Overwriting written) {
    if (again_ || !keeps_ || bytes_ + written.bytes.size() > kMostBytes || !is_chosen(reader)) return;
    bytes_ += written.bytes.size();
    pairs_[reader].push_back(std::move(written));
}

const std::vector<Overwriting>* LateReads::found_by(const InstructionNumber& reader) const {
    if (!again_) return nullptr;
    const auto found = pairs_.find(reader);
    return found == pairs_.end() ? nullptr : &found->second;
}

bool LateReads::begins_again() {
    if (again_ || pairs_.empty()) return false;
    again_ = true;
    restore();
    return true;
}

void LateReads::forget() {
    pairs_.clear();
    bytes_ = 0;
    restore();
}

void LateReads::restore() {
    for (const Kept& kept : before_) std::memcpy(kept.at, kept.bytes.data(), kept.bytes.size());
}

}  // namespace twin
