// Definitions of what a launch and its cores hold: core.h, findings.h, the memories and the bus. Part of
// twin/device.h.
//
// They are compiled once, into the runtime: what a kernel's own translation unit parses of the twin, it would
// also instantiate, containers and strings included, whether the kernel calls it or not.
#pragma once

#include <algorithm>
#include <cstring>

#include "twin/core/instruction.h"
#include "twin/core/late_writes_impl.h"
#include "twin/core/trace_impl.h"
#include "twin/wire/calls.h"

namespace twin {

double Bus::occupy(double start, double length) {
    start = std::max(start, forgotten_);
    double time = start, left = length;
    for (const Busy& busy : busy_) {
        if (busy.end <= time) continue;
        const double gap = std::max(0.0, busy.begin - time);
        if (gap >= left) break;
        left -= gap;
        time = busy.end;
    }
    const double end = time + left;
    mark(start, end);
    return end;
}

void Bus::mark(double start, double end) {
    auto first =
        std::find_if(busy_.begin(), busy_.end(), [&](const Busy& busy) { return busy.end >= start; });
    auto last = first;
    while (last != busy_.end() && last->begin <= end) {
        start = std::min(start, last->begin);
        end = std::max(end, last->end);
        ++last;
    }
    busy_.insert(busy_.erase(first, last), Busy{start, end});
    if (busy_.size() <= kRemembered) return;
    forgotten_ = busy_.front().end;
    busy_.pop_front();
}

GlobalMemory::GlobalMemory(const Launch& launch) {
    for (const GmArgument& argument : launch.arguments) {
        if (argument.data == nullptr) continue;
        GmRegion& region =
            add(argument.name, argument.data, argument.kept, argument.bytes, !argument.is_input);
        region.padded = padded_bytes(argument.bytes);
        region.in_place = !argument.is_input && is_input(launch, argument.data);
        if (!argument.is_input && argument.bytes <= kMostWatched) {
            region.written.assign(argument.bytes / 64 + 1, 0);
            region.before.assign(region.kept, region.kept + argument.bytes);
            region.expected = std::min(argument.expected, argument.bytes);
        }
        if (argument.is_input && !launch.fast) region.read.assign(argument.bytes / kBlockBytes / 64 + 1, 0);
    }
    if (launch.workspace != nullptr) {
        add("workspace", launch.workspace, launch.workspace_kept, launch.workspace_bytes, true);
    }
    if (launch.tiling != nullptr) {
        add("tiling", launch.tiling, nullptr, launch.tiling_bytes, false);
    }
}

GmHit GlobalMemory::find(const uint8_t* address, size_t bytes) const {
    GmHit best;
    for (const GmRegion& region : regions_) {
        if (address < region.begin || address >= region.begin + region.padded) continue;
        const size_t offset = static_cast<size_t>(address - region.begin);
        const auto ends_in = [&](size_t size) { return offset <= size && bytes <= size - offset; };
        const GmPlace place = ends_in(region.bytes)    ? GmPlace::inside
                              : ends_in(region.padded) ? GmPlace::padding
                                                       : GmPlace::outside;
        const bool better =
            best.region == nullptr || place < best.place ||
            (place == best.place && region.writable && !best.region->writable);  // changed in place
        if (better) best = {place, &region};
    }
    return best;
}

uint8_t* GlobalMemory::kept(const uint8_t* address) const {
    for (const GmRegion& region : regions_) {
        if (address < region.begin || address >= region.begin + region.padded) continue;
        return region.kept + (address - region.begin);
    }
    return const_cast<uint8_t*>(address);
}

const GmRegion* GlobalMemory::nearest(const uint8_t* address) const {
    const GmRegion* found = nullptr;
    for (const GmRegion& region : regions_) {
        if (region.begin <= address && (found == nullptr || region.begin > found->begin)) found = &region;
    }
    return found;
}

void GlobalMemory::note_written(const uint8_t* address, size_t bytes) {
    for (GmRegion& region : regions_) {
        if (region.written.empty() || address < region.begin || address >= region.begin + region.bytes)
            continue;
        const auto first = static_cast<size_t>(address - region.begin);
        mark(region.written, first, std::min(first + bytes, region.bytes));
    }
}

size_t GlobalMemory::bring_into_l2(const uint8_t* address, size_t bytes) {
    for (GmRegion& region : regions_) {
        if (bytes == 0 || address < region.begin || address >= region.begin + region.padded) continue;
        if (region.cached.empty()) region.cached.assign(region.padded / kBlockBytes / 64 + 1, 0);
        const auto offset = static_cast<size_t>(address - region.begin);
        const size_t first = offset / kBlockBytes;
        const size_t end = std::min(offset + bytes - 1, region.padded - 1) / kBlockBytes + 1;
        const size_t missing = mark(region.cached, first, end);
        return std::min(bytes, missing * bytes / (end - first));
    }
    return bytes;
}

bool GlobalMemory::restore_outputs() {
    const auto is_lost = [](const GmRegion& region) { return region.is_stored && region.before.empty(); };
    if (std::any_of(regions_.begin(), regions_.end(), is_lost)) return false;
    for (const GmRegion& region : regions_) {
        if (!region.before.empty()) std::memcpy(region.kept, region.before.data(), region.before.size());
    }
    return true;
}

void GlobalMemory::note_read(const uint8_t* address, size_t bytes) {
    for (GmRegion& region : regions_) {
        if (region.read.empty() || bytes == 0 || address < region.begin ||
            address >= region.begin + region.bytes)
            continue;
        const auto first = static_cast<size_t>(address - region.begin);
        const size_t last = std::min(first + bytes, region.bytes) - 1;
        mark(region.read, first / kBlockBytes, last / kBlockBytes + 1);
    }
}

std::vector<UnreadRecord> GlobalMemory::unread() const {
    std::vector<UnreadRecord> found;
    std::map<std::string, uint64_t> passed;  // tensors of a list have one name
    for (const GmRegion& region : regions_) {
        if (region.read.empty()) continue;
        const uint64_t number = passed[region.name]++;
        using Range = std::pair<size_t, size_t>;  // offset of the first byte and of the one behind
        std::vector<Range> ranges;
        for (size_t at = 0; at < region.bytes; at += kBlockBytes) {
            const size_t block = at / kBlockBytes, end = std::min(at + kBlockBytes, region.bytes);
            if ((region.read[block / 64] >> (block % 64) & 1) != 0) continue;
            if (!ranges.empty() && ranges.back().second == at) {
                ranges.back().second = end;
            } else {
                ranges.push_back({at, end});
            }
        }
        const auto is_longer = [](const Range& a, const Range& b) {
            return a.second - a.first > b.second - b.first;
        };
        // A kernel could leave many short ranges before a long one.
        std::stable_sort(ranges.begin(), ranges.end(), is_longer);
        ranges.resize(std::min(ranges.size(), kMostUnread));
        std::sort(ranges.begin(), ranges.end());
        UnreadRecord record{region.name, number, {}};
        for (const auto& [first, end] : ranges) record.bounds.insert(record.bounds.end(), {first, end});
        if (!record.bounds.empty()) found.push_back(record);
    }
    return found;
}

std::vector<GmGap> GlobalMemory::gaps() const {
    std::vector<GmGap> found;
    for (const GmRegion& region : regions_) {
        if (region.in_place) continue;
        GmGap gap{&region, 0, 0};
        for (size_t i = 0; i < region.expected; ++i) {
            if (i % 64 == 0 && region.written[i / 64] == ~0ull) {
                i += 63;
                continue;
            }
            if ((region.written[i / 64] >> (i % 64) & 1) != 0 || region.kept[i] != region.before[i]) continue;
            if (gap.bytes++ == 0) gap.first = i;
        }
        if (gap.bytes > 0) found.push_back(gap);
    }
    return found;
}

GmGap GlobalMemory::raw_writes() const {
    GmGap found;
    for (const GmRegion& region : regions_) {
        for (size_t i = 0; i < region.before.size(); ++i) {
            if (i % 64 == 0 && region.written[i / 64] == ~0ull) {
                i += 63;
                continue;
            }
            if ((region.written[i / 64] >> (i % 64) & 1) != 0 || region.kept[i] == region.before[i]) continue;
            if (found.bytes++ == 0) found.region = &region, found.first = i;
        }
    }
    return found;
}

bool GlobalMemory::is_input(const Launch& launch, const uint8_t* data) {
    const auto same = [data](const GmArgument& other) { return other.is_input && other.data == data; };
    return std::any_of(launch.arguments.begin(), launch.arguments.end(), same);
}

GmRegion& GlobalMemory::add(const std::string& name, uint8_t* begin, uint8_t* kept, size_t bytes,
                            bool writable) {
    regions_.emplace_back();
    GmRegion& region = regions_.back();
    region.name = name;
    region.begin = begin;
    region.kept = kept != nullptr ? kept : begin;
    region.bytes = region.padded = bytes;
    region.writable = writable;
    return region;
}

size_t GlobalMemory::mark(std::vector<uint64_t>& bits, size_t first, size_t end) {
    size_t cleared = 0;
    while (first < end) {
        const size_t shift = first % 64, count = std::min<size_t>(64 - shift, end - first);
        const uint64_t range = (count == 64 ? ~0ull : (1ull << count) - 1) << shift;
        uint64_t& word = bits[first / 64];
        cleared += static_cast<size_t>(__builtin_popcountll(range & ~word));
        word |= range;
        first += count;
    }
    return cleared;
}

FindingText::FindingText(const char* message_, const char* tensor_, const char* limit_)
    : message(message_), tensor(tensor_), limit(limit_) {}

FindingText::FindingText(std::string message_, const char* tensor_, const char* limit_)
    : message(std::move(message_)), tensor(tensor_), limit(limit_) {}

FindingText::FindingText(std::string message_, std::string tensor_, std::string limit_)
    : message(std::move(message_)), tensor(std::move(tensor_)), limit(std::move(limit_)) {}

FindingText::FindingText(const FindingText& other) = default;

FindingText::~FindingText() = default;

Findings::Findings(std::string source_root) : source_root_(std::move(source_root)) {}

std::vector<FindingRecord> Findings::take() {
    const std::lock_guard<std::mutex> guard(mutex_);
    return records_;
}

FindingRecord Findings::written(const Rule& rule, Severity severity, int core, const char* call,
                                const Site& site, FindingText text) const {
    FindingRecord record;
    record.rule = rule.name;
    record.severity = severity_name(severity);
    record.message = std::move(text.message);
    if (site.line < 0) record.message += " (called through a pointer or an operator after this line)";
    record.tensor = std::move(text.tensor);
    record.limit = std::move(text.limit);
    record.file = relative(site.file);
    record.line = site.number();
    record.core = core;
    record.call = call;
    record.link = rule.document;
    return record;
}

bool Findings::has_error() {
    const std::lock_guard<std::mutex> guard(mutex_);
    for (const FindingRecord& record : records_) {
        if (record.severity == severity_name(Severity::error)) return true;
    }
    return false;
}

std::string Findings::relative(const std::string& file) const {
    if (source_root_.empty() || file.compare(0, source_root_.size(), source_root_) != 0) return file;
    size_t start = source_root_.size();
    while (start < file.size() && file[start] == '/') ++start;
    return file.substr(start);
}

LaunchState::LaunchState(const Launch& launch_, const Soc& soc_, Entry entry_, Task task_, TaskSource source)
    : launch(launch_),
      entry(std::move(entry_)),
      findings(launch_.source_root),
      gm(launch_),
      soc(soc_),
      task(task_),
      task_source(source),
      cross(uint64_t(launch_.block_dim) * task_.cores()),
      services(launch_.block_dim) {}

std::unique_ptr<TraceLog> LaunchState::new_trace() const {
    if (launch.trace == nullptr) return nullptr;
    return std::make_unique<TraceLog>(launch.trace_bytes / sizeof(TraceRecord) / cross.size());
}

void note_copied(CoreWork& work, Pipe pipe, double bytes) {
    if (pipe == Pipe::MTE2) work.gm_read += bytes;
    if (pipe == Pipe::MTE3 || pipe == Pipe::FIX) work.gm_written += bytes;
}

void Core::spend(Pipe which, const PipeWork& spent) {
    pipe(which).busy += spent.cycles;
    note_copied(work, which, spent.bytes);
    lines.add(which, last_name(), last_site(), spent, work.vector_ops);
    if (trace && spent.cycles > 0)
        trace->work(which, spent.start, spent.cycles, spent.held, spent.bytes, last_name(), last_site());
}

void Core::pause(double end, uint32_t after, int from) {
    if (!trace || end <= now()) return;
    trace->wait(Pipe::S, after, end, last_name(), last_site(), from);
    trace->pause(now(), end, last_name(), last_site());
}

Core::Core(LaunchState& launch_, int slot_) : launch(launch_), slot(slot_), trace(launch_.new_trace()) {
    if (launch.launch.schedule != 0)
        late = std::make_unique<LateWrites>(launch.launch.schedule, slot, *launch.late_reads, memories);
    const Task& task = launch.task;
    const int cores = static_cast<int>(task.cores());
    group = slot / cores;
    const int index = slot % cores;
    type = index < static_cast<int>(task.cubes) ? CoreType::cube : CoreType::vector;
    sub_block = type == CoreType::cube ? 0 : index - static_cast<int>(task.cubes);
    block = type == CoreType::cube ? group : group * static_cast<int>(task.vectors) + sub_block;
    for (int pipe = 0; pipe < kPipes; ++pipe) order[pipe].fill(0);
    known.periods.assign(launch.cross.size(), 0);
    known[static_cast<size_t>(slot)] = 1;
    if (late) known.finished.resize(launch.cross.size());
}

void stop_core() { std::longjmp(*core().way_out, 1); }

void enter(const char* call, const Site& site) {
    TWIN_FORWARD(enter, call, site)
    Core& here = core();
    if (here.now() > here.counted_at) ++here.calls;  // what costs nothing explains no CPU time
    here.counted_at = here.now();
    if (here.passes_seen != loop_passes) charge_loops(here);
    if (raw_read_cycles != 0) charge_raw_reads(here);
    here.last_call.call.store(call, std::memory_order_relaxed);
    here.last_call.file.store(site.file, std::memory_order_relaxed);
    here.last_call.line.store(site.line, std::memory_order_relaxed);
    here.launch.ran.mark(site);
    if (here.launch.stop.load(std::memory_order_relaxed)) stop_core();
}

Instruction::Instruction(Pipe pipe, const char* call, const Site& site)
    : pipe_(pipe), call_(call), site_(site) {
    if (wire::kernel_end != nullptr) wire::kernel_end->not_on_the_wire(call);
    enter(call, site);
    settle_writes();
    core().lent_known = 0;
    if (core().lent_count > 0) take_lent(core());
    tag_ = next_tag();
    if (core().late) core().late->begin(pipe_, AccessTag::sequence(tag_));
}

Instruction::~Instruction() {
    if (core().late) core().late->end(pipe_, AccessTag::sequence(tag_));
    settle_writes();
    if (core().lent_count > 0) renew_lent(core());
}

void Instruction::settle_writes() {
    std::vector<OpenWrite>& open = core().open_writes;
    if (open.empty()) return;
    for (const OpenWrite& range : open) range.memory->settle(range.offset, range.bytes);
    open.clear();
}

}  // namespace twin
