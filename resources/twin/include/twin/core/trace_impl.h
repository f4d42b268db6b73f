// Definitions of trace.h. Part of twin/device.h.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "twin/core/trace.h"

namespace twin {

uint32_t TraceLog::site_number(const char* call, const Site& site) {
    const uint64_t key = reinterpret_cast<uintptr_t>(site.file) * 1000003u +
                         static_cast<uint64_t>(site.line) * 4099u + reinterpret_cast<uintptr_t>(call);
    const auto found = numbers_.emplace(key, static_cast<uint32_t>(sites_.size()));
    if (found.second) sites_.push_back({call, site});
    return found.first->second;
}

TraceRecord* TraceLog::add(TraceKind kind, Pipe pipe, double start, const char* call, const Site& site) {
    if (records_.size() >= most_) {
        ++dropped_;
        return nullptr;
    }
    TraceRecord record;
    record.start = start;
    record.site = site_number(call, site);
    record.kind = kind;
    record.pipe = static_cast<uint8_t>(pipe);
    records_.push_back(record);
    return &records_.back();
}

void TraceLog::work(Pipe pipe, double start, double cycles, double stalled, double bytes, const char* call,
                    const Site& site) {
    constexpr double kLongestStretch = 4096;  // a float holds so many cycles of a stretch exactly
    uint32_t& last = last_[static_cast<size_t>(pipe)];
    if (pipe == Pipe::S && last != 0 && last == records_.size()) {
        TraceRecord& before = records_.back();
        const bool goes_on = before.kind == TraceKind::work && before.start + before.cycles == start &&
                             before.cycles < kLongestStretch && before.site == site_number(call, site);
        if (goes_on) {
            before.cycles += static_cast<float>(cycles);
            return;
        }
    }
    TraceRecord* const record = add(TraceKind::work, pipe, start, call, site);
    if (record == nullptr) return;
    record->cycles = static_cast<float>(cycles);
    record->stalled = static_cast<float>(stalled);
    record->bytes = static_cast<uint32_t>(std::min(bytes, 4294967295.0));
    last = static_cast<uint32_t>(records_.size());
}

void TraceLog::pause(double start, double end, const char* call, const Site& site) {
    if (end <= start) return;
    TraceRecord* const record = add(TraceKind::pause, Pipe::S, start, call, site);
    if (record != nullptr) record->cycles = static_cast<float>(end - start);
}

void TraceLog::wait(Pipe pipe, uint32_t after, double until, const char* call, const Site& site, int slot) {
    if (after == 0) return;
    TraceRecord* const record = add(TraceKind::wait, pipe, until, call, site);
    if (record == nullptr) return;
    record->link = after;
    record->extra = static_cast<uint16_t>(std::min(slot, 65534) + 1);
}

void TraceLog::buffer(uint32_t number, uint8_t memory, int place, uint32_t offset, uint32_t bytes,
                      double time, const char* role, const Site& site) {
    TraceRecord* const record = add(TraceKind::buffer, Pipe::S, time, role, site);
    if (record == nullptr) return;
    record->cycles = static_cast<float>(offset);
    record->bytes = bytes;
    record->link = number;
    record->extra = static_cast<uint16_t>(memory + 256 * (place & 255));
}

void TraceLog::wrote(const char* tensor, uint64_t offset, uint64_t bytes, const Site& site) {
    constexpr uint64_t kMost = 1u << 31;
    const auto begin = static_cast<double>(offset);
    if (wrote_ != 0 && wrote_ == records_.size()) {
        TraceRecord& before = records_.back();
        const bool goes_on = before.start + before.bytes == begin && before.bytes + bytes < kMost &&
                             before.site == site_number(tensor, site);
        if (goes_on) {
            before.bytes += static_cast<uint32_t>(bytes);
            return;
        }
    }
    TraceRecord* const record = add(TraceKind::wrote, Pipe::MTE3, begin, tensor, site);
    if (record == nullptr) return;
    record->bytes = static_cast<uint32_t>(std::min(bytes, kMost));
    wrote_ = records_.size();
}

void TraceLog::turn(TraceKind kind, uint32_t buffer, double time, const char* call, const Site& site) {
    TraceRecord* const record = add(kind, Pipe::S, time, call, site);
    if (record != nullptr) record->link = buffer;
}

void TraceLog::flush(TraceHeader& header, size_t bytes, TraceChunk chunk) const {
    std::string text;
    for (const Called& called : sites_) {
        text += std::string(called.call) + '\t' + called.site.file + '\t' + std::to_string(called.site.line) +
                '\n';
    }
    chunk.site_bytes = static_cast<uint32_t>(text.size());
    text.resize((text.size() + 7) / 8 * 8, '\0');
    const size_t around = sizeof chunk + text.size();
    if (header.used + around > bytes) {
        header.dropped += dropped_ + records_.size();
        return;
    }
    chunk.records = std::min<size_t>(records_.size(), (bytes - header.used - around) / sizeof(TraceRecord));
    chunk.dropped = dropped_ + records_.size() - chunk.records;
    uint8_t* const at = reinterpret_cast<uint8_t*>(&header) + header.used;
    std::memcpy(at, &chunk, sizeof chunk);
    std::memcpy(at + sizeof chunk, text.data(), text.size());
    if (chunk.records > 0) std::memcpy(at + around, records_.data(), chunk.records * sizeof(TraceRecord));
    header.dropped += chunk.dropped;
    header.used += around + chunk.records * sizeof(TraceRecord);
    ++header.chunks;
}

}  // namespace twin
