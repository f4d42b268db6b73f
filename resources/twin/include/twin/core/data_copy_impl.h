// The transfer engine behind DataCopy and DataCopyPad. Part of twin/device.h.
//
// What a copy costs. Between global memory and UB: `block_cycles` below, then Instruction::issue_transfer and
// bus_cycles in instruction_impl.h, with the core's connection of bus.h. Into L1 of a cube core:
// issue_l1_copy there, l1_copy_cycles in cube_rates.h. Within a core: copy_inside below. The constants
// (kDma...) with their sources are in soc_data.h.
#pragma once

#include "twin/api/data_copy.h"

namespace twin {

namespace {

double block_cycles(const Transfer& transfer) {
    return processor().memory_copy_issue_cycles + kDmaBlockCycles * static_cast<double>(transfer.blocks - 1);
}

/// Issues a copy to or from global memory. Every block costs whole bursts, so tiny blocks waste the bus.
void issue_global(Instruction& instruction, const Transfer& transfer) {
    const uint64_t burst = std::max<uint64_t>(transfer.bytes, kDmaGranuleBytes);
    const auto bytes = static_cast<double>(burst * transfer.blocks);
    if (core().type == CoreType::cube && instruction.pipe() == Pipe::MTE2) {
        instruction.issue_l1_copy(static_cast<double>(transfer.blocks), bytes);
        return;
    }
    instruction.issue_transfer(block_cycles(transfer), bytes);
}

void fill_with(uint8_t* begin, uint64_t bytes, const uint8_t* element, uint64_t element_bytes) {
    for (uint64_t offset = 0; offset + element_bytes <= bytes; offset += element_bytes) {
        std::memcpy(begin + offset, element, element_bytes);
    }
}

/// Fills what of `whole` bytes at `to` the block from `source` does not. [guide] DataCopyPad: without left
/// and right padding the rest of the last 32 bytes repeats the block's first element; with them it is
/// padding, too.
void fill_around(uint8_t* to, uint64_t whole, const uint8_t* source, const Transfer& transfer) {
    const uint64_t behind = transfer.left + transfer.bytes;
    const uint64_t rest = whole - behind;
    if (transfer.left + transfer.right != 0) {
        if (transfer.fill == nullptr) return;
        fill_with(to, transfer.left, transfer.fill, transfer.fill_bytes);
        fill_with(to + behind, rest, transfer.fill, transfer.fill_bytes);
        return;
    }
    // Elements of 64 bits are moved as two of 32, of which the page says nothing.
    const bool whole_elements = transfer.bytes % transfer.fill_bytes == 0;
    if (whole_elements && transfer.fill_bytes <= sizeof(uint32_t)) {
        fill_with(to + behind, rest, source, transfer.fill_bytes);
    }
}

}  // namespace

uint64_t whole_blocks(uint64_t elements, size_t element_bytes, const char* call, const Site& site) {
    const uint64_t bytes = elements * element_bytes;
    const uint64_t rest = bytes % kBlockBytes;
    if (rest != 0) {
        const Severity severity = core().launch.launch.strict ? Severity::error : rules::copy_tail.severity;
        report_as(
            rules::copy_tail, severity, call, site,
            {format("%llu elements are %llu bytes, not a multiple of 32: the last %llu bytes are not copied; "
                    "DataCopyPad moves any length",
                    static_cast<unsigned long long>(elements), static_cast<unsigned long long>(bytes),
                    static_cast<unsigned long long>(rest)),
             "", "multiples of 32 bytes"});
    }
    return bytes / kBlockBytes;
}

void check_descriptor(uint64_t blocks, uint64_t bytes, uint64_t most_bytes, const char* call,
                      const Site& site) {
    constexpr uint64_t kMostBlocks = 4095;
    if (blocks >= 1 && blocks <= kMostBlocks && bytes <= most_bytes) return;
    report(rules::copy_limit, call, site,
           {format("blockCount %llu, blockLen %llu: the descriptor holds 1..%llu blocks of up to %llu",
                   static_cast<unsigned long long>(blocks), static_cast<unsigned long long>(bytes),
                   static_cast<unsigned long long>(kMostBlocks), static_cast<unsigned long long>(most_bytes)),
            "", format("%llu blocks", static_cast<unsigned long long>(kMostBlocks))});
}

void copy_in(const char* call, const Site& site, const View& target, const uint8_t* source,
             const Transfer& transfer) {
    if (!(target.kind == MemoryKind::UB ? runs_vector_copy(call, site) : runs_matrix(call, site))) return;
    Instruction instruction(Pipe::MTE2, call, site);
    instruction.require_aligned(target, 0, kBlockBytes);
    if (transfer.left > kBlockBytes || transfer.right > kBlockBytes) {
        instruction.fail(rules::copy_limit,
                         {format("padding of %llu and %llu bytes: at most 32 bytes on each side",
                                 static_cast<unsigned long long>(transfer.left),
                                 static_cast<unsigned long long>(transfer.right)),
                          describe(target), "32 bytes of padding"});
    }
    if (transfer.bytes == 0) return;
    const auto whole = static_cast<uint64_t>(align_block(transfer.left + transfer.bytes + transfer.right));
    for (uint64_t block = 0; block < transfer.blocks; ++block) {
        instruction.read_global(source + static_cast<int64_t>(block) * transfer.source_step, transfer.bytes);
        instruction.write(target, block * static_cast<uint64_t>(transfer.target_step), whole);
    }
    issue_global(instruction, transfer);
    for (uint64_t block = 0; block < transfer.blocks; ++block) {
        uint8_t* to = target.data + static_cast<int64_t>(block) * transfer.target_step;
        const uint8_t* from = kept(source + static_cast<int64_t>(block) * transfer.source_step);
        if (whole != transfer.bytes) {
            fill_poison(to, whole);
            fill_around(to, whole, from, transfer);
        }
        std::memcpy(to + transfer.left, from, transfer.bytes);
    }
}

void copy_out(const char* call, const Site& site, uint8_t* target, const View& source,
              const Transfer& transfer, Combine combine) {
    if (!(source.kind == MemoryKind::UB ? runs_vector_copy(call, site) : runs_matrix(call, site))) return;
    Instruction instruction(Pipe::MTE3, call, site);
    instruction.require_aligned(source, 0, kBlockBytes);
    if (transfer.bytes == 0) return;
    const AtomicMode mode = core().gm.atomic;
    if (mode != AtomicMode::none && combine == nullptr) {
        instruction.fail(rules::copy_limit, {"the data type has no atomic copy", describe(source), ""});
    }
    for (uint64_t block = 0; block < transfer.blocks; ++block) {
        instruction.read(source, block * static_cast<uint64_t>(transfer.source_step), transfer.bytes);
        const uint8_t* from = source.data + static_cast<int64_t>(block) * transfer.source_step;
        instruction.write_global(target + static_cast<int64_t>(block) * transfer.target_step, transfer.bytes,
                                 mode == AtomicMode::none ? from : nullptr);
    }
    issue_global(instruction, transfer);
    for (uint64_t block = 0; block < transfer.blocks; ++block) {
        uint8_t* to = kept(target + static_cast<int64_t>(block) * transfer.target_step);
        const uint8_t* from = source.data + static_cast<int64_t>(block) * transfer.source_step;
        if (mode == AtomicMode::none) {
            std::memcpy(to, from, transfer.bytes);
        } else {
            combine(to, from, transfer.bytes, mode);
        }
    }
}

void copy_inside(const char* call, const Site& site, const View& target, const View& source,
                 const Transfer& transfer) {
    const bool both_ub = target.kind == MemoryKind::UB && source.kind == MemoryKind::UB;
    const Pipe pipe = both_ub ? Pipe::V : source.kind == MemoryKind::UB ? Pipe::MTE3 : Pipe::MTE1;
    Instruction instruction(pipe, call, site);
    instruction.require_aligned(target, 0, kBlockBytes);
    instruction.require_aligned(source, 0, kBlockBytes);
    if (transfer.bytes == 0) return;
    for (uint64_t block = 0; block < transfer.blocks; ++block) {
        instruction.read(source, block * static_cast<uint64_t>(transfer.source_step), transfer.bytes);
        instruction.write(target, block * static_cast<uint64_t>(transfer.target_step), transfer.bytes);
    }
    if (both_ub) {
        issue_vector(instruction, kFullRate, transfer.blocks * transfer.bytes / 4, 4);
    } else {
        const double moved = static_cast<double>(transfer.blocks * transfer.bytes);
        instruction.issue(block_cycles(transfer) + moved / kUbWriteBytesPerCycle, 0);
    }
    for (uint64_t block = 0; block < transfer.blocks; ++block) {
        std::memmove(target.data + static_cast<int64_t>(block) * transfer.target_step,
                     source.data + static_cast<int64_t>(block) * transfer.source_step, transfer.bytes);
    }
}

}  // namespace twin
