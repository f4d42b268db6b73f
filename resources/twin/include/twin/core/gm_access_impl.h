// The checks of an instruction's reads and writes of global memory. Part of twin/device.h.
#pragma once

#include "twin/core/instruction.h"

namespace twin {

namespace {

FindingText gm_text(const char* action, const uint8_t* address, uint64_t bytes, const GmHit& hit) {
    const GmRegion* closest = hit.region != nullptr ? hit.region : core().launch.gm.nearest(address);
    if (closest == nullptr) {
        return {format("%s of %llu bytes at an address before every global tensor", action,
                       static_cast<unsigned long long>(bytes)),
                "", ""};
    }
    const GmRegion& region = *closest;
    const auto offset = static_cast<unsigned long long>(address - region.begin);
    return {format("%s of %llu bytes at byte offset %llu of '%s' ends %llu bytes behind its end (%zu bytes)",
                   action, static_cast<unsigned long long>(bytes), offset, region.name.c_str(),
                   offset + bytes - region.bytes, region.bytes),
            region.name, format("%zu bytes of '%s'", region.bytes, region.name.c_str())};
}

/// Bytes that come along because requests are made of whole units of 512 bytes: a range that begins within
/// one takes part in one more than it fills.
double partial_units(const uint8_t* begin, uint64_t bytes) {
    constexpr uint64_t kRest = kGmUnitBytes - 1;
    const uint64_t offset = reinterpret_cast<uintptr_t>(begin) % kGmUnitBytes;
    const uint64_t touched = (offset + bytes + kRest) / kGmUnitBytes, filled = (bytes + kRest) / kGmUnitBytes;
    return static_cast<double>((touched - filled) * kGmUnitBytes);
}

void note_unsignalled(const GmTransfer& transfer) {
    constexpr size_t kMost = 1u << 16;
    std::deque<GmTransfer>& transfers = core().gm.unsignalled;
    if (core().launch.cross.size() == 1) return;
    transfers.push_back(transfer);
    if (transfers.size() > kMost) transfers.pop_front();
}

}  // namespace

GmUser Instruction::user() const { return {{call_, site_}, pipe_, AccessTag::sequence(tag_)}; }

void Instruction::read_global(const void* address, uint64_t bytes) {
    if (bytes == 0) return;
    const auto* begin = static_cast<const uint8_t*>(address);
    Core& here = core();
    const GmHit hit = here.launch.gm.find(begin, bytes);
    if (hit.place == GmPlace::outside) fail(rules::gm_out_of_bounds, gm_text("read", begin, bytes, hit));
    if (hit.place == GmPlace::padding) fail(rules::gm_overread, gm_text("read", begin, bytes, hit));
    if (pipe_ == Pipe::MTE2) {
        touched_ += static_cast<double>(bytes);
        read_from_ = hit.region;
        const double missed = here.launch.l2_lacks(begin, bytes);
        missed_ += missed, here.launch.hbm_moved += missed;
        if (here.type == CoreType::cube) partial_ += partial_units(begin, bytes);
    } else if (pipe_ == Pipe::S) {
        here.launch.hbm_moved += here.launch.l2_lacks(begin, bytes);
    }
    // The compiler's automatic synchronisation orders the scalar unit after its own core.
    if (pipe_ == Pipe::S) await_stores(begin, bytes);
    if (here.launch.launch.fast) return;
    here.launch.gm.note_read(begin, bytes);
    read_uncached(*hit.region, begin, bytes, {call_, site_}, pipe_);
    if (here.late && pipe_ == Pipe::S)
        here.late->settle_all();          // the compiler orders it after all its core wrote
    constexpr uint64_t kScalarBytes = 8;  // a kernel may poll with these: no race
    if (pipe_ == Pipe::S && bytes <= kScalarBytes) {
        log_gm_poll(*hit.region, begin, bytes);
    } else {
        log_gm_read(*hit.region, begin, bytes, user());
    }
    if (pipe_ != Pipe::S && hit.region->writable) note_unsignalled({begin, bytes, tag_, false});
    if (hit.region->writable && pipe_ == Pipe::MTE2) here.gm.reads.put(begin, begin + bytes, tag_);
    if (hit.region->writable && is_of_library(here, pipe_))
        here.gm.product_reads.put(begin, begin + bytes, tag_);
    here.gm.writes.overlapping(begin, begin + bytes, [&](uint64_t earlier) {
        require_global_order(earlier, *hit.region, "read", "write");
    });
}

/// A finding where the access `earlier` of another pipe of this core to the same memory need not be finished.
void Instruction::require_global_order(uint64_t earlier, const GmRegion& region, const char* action,
                                       const char* earlier_action) const {
    Core& here = core();
    const Pipe other = AccessTag::pipe(earlier);
    const uint64_t sequence = AccessTag::sequence(earlier);
    if (other == pipe_ || comes_after(here, pipe_, other, sequence)) return;
    if (is_of_library(here, pipe_)) return;  // a cube core begins a product when its vector core is done
    const bool library = is_of_library(here, other);
    here.order[static_cast<int>(pipe_)][static_cast<int>(other)] = sequence;
    const CallSite& site = here.sites[AccessTag::site(earlier)];
    fail(rules::race,
         {format("%s %s of global memory is not ordered after the %s by %s (%s, %s): %s is missing",
                 pipe_name(pipe_), action, earlier_action, library ? "the cube core" : pipe_name(other),
                 site.call, site.site.text().c_str(), library ? "WaitIterateAll" : "SetFlag/WaitFlag"),
          region.name, ""});
}

void Instruction::await_stores(const uint8_t* begin, uint64_t bytes) const {
    Core& here = core();
    here.gm.writes.overlapping(begin, begin + bytes, [&](uint64_t earlier) {
        const Pipe other = AccessTag::pipe(earlier);
        const bool is_own = here.type == CoreType::cube || other != Pipe::FIX;
        if (is_own && other != pipe_) await(other, AccessTag::sequence(earlier));
    });
}

void Instruction::write_global(const void* address, uint64_t bytes, const void* data) {
    if (bytes == 0) return;
    const auto* begin = static_cast<const uint8_t*>(address);
    Core& here = core();
    const GmHit hit = here.launch.gm.find(begin, bytes);
    if (hit.place == GmPlace::outside) fail(rules::gm_out_of_bounds, gm_text("write", begin, bytes, hit));
    if (hit.place == GmPlace::padding) fail(rules::gm_overwrite, gm_text("write", begin, bytes, hit));
    if (!hit.region->writable) {
        fail(rules::gm_input_write,
             {format("writes to the input '%s'", hit.region->name.c_str()), hit.region->name, ""});
    }
    const double missed = here.launch.l2_lacks(begin, bytes);
    // Stores of kernels with cube cores stay in L2, see docs/time.md.
    if (pipe_ == Pipe::MTE3 && here.type == CoreType::vector && !here.launch.task.mixed()) {
        touched_ += static_cast<double>(bytes);
        missed_ += missed, here.launch.hbm_moved += missed;
    } else if (pipe_ == Pipe::S) {
        here.launch.hbm_moved += missed;
    }
    // Additions of several cores must meet in memory.
    if (here.late && here.gm.atomic == AtomicMode::none) here.late->save(here.launch.gm.kept(begin), bytes);
    hit.region->is_stored = true;
    if (pipe_ != Pipe::S && !here.launch.launch.fast) {  // the compiler orders the scalar unit
        const auto require_order = [&](const GmAccesses& accesses, const char* earlier_action) {
            accesses.overlapping(begin, begin + bytes, [&](uint64_t earlier) {
                require_global_order(earlier, *hit.region, "write", earlier_action);
            });
        };
        require_order(here.gm.writes, "write");
        require_order(here.gm.reads, "read");
        require_order(here.gm.product_reads, "read");
    }
    if (pipe_ != Pipe::S) here.gm.writes.put(begin, begin + bytes, tag_);
    if (here.launch.launch.fast) return;
    here.launch.gm.note_written(begin, bytes);
    log_gm_write(*hit.region, begin, bytes, user(), static_cast<const uint8_t*>(data));
    if (pipe_ != Pipe::S) note_unsignalled({begin, bytes, tag_, true});
}

}  // namespace twin
