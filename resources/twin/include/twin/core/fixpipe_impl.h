// FixPipe: results leave L0C, converted on the way. Part of twin/device.h.
#pragma once

#include "twin/core/cube_product_impl.h"

namespace twin {

namespace {

bool per_column(QuantMode_t quant) { return quant == VREQ8 || quant == VDEQF16 || quant == VQF322B8_PRE; }

/// Whether the mode turns the type of L0C into the type of the target.
bool quant_fits(const FixTransfer& t) {
    const bool from_float = t.source == CubeType::f32, byte = t.target_bytes == 1;
    const bool f16 = t.target_float && t.target_bytes == 2 && !t.target_bf16;
    switch (t.quant) {
        case NoQuant:
            return t.target_bytes == 4 && t.target_float == from_float;
        case F322F16:
            return from_float && f16;
        case F322BF16:
            return from_float && t.target_bf16;
        case DEQF16:
        case VDEQF16:
            return !from_float && f16;
        case QF322B8_PRE:
        case VQF322B8_PRE:
            return from_float && byte;
        case REQ8:
        case VREQ8:
            return !from_float && byte;
    }
    return false;
}

/// The parameter word of the scaling modes: factor with 10 mantissa bits, shift, offset, sign of the result.
struct QuantWord {
    float factor;
    int shift;  ///< 0: none
    int offset;
    bool is_signed;

    explicit QuantWord(uint64_t word)
        : factor(bits_float(static_cast<uint32_t>(word) & ~0x1fffu)),
          shift((word >> 36 & 1) != 0 ? static_cast<int>(word >> 32 & 0xf) + 1 : 0),
          offset(static_cast<int>(word >> 37 & 0x1ff)),
          is_signed((word >> 46 & 1) != 0) {
        if (offset >= 256) offset -= 512;
    }
};

uint8_t saturated_byte(float value, bool is_signed) {
    const float low = is_signed ? -128.0f : 0.0f, high = is_signed ? 127.0f : 255.0f;
    const float rounded = std::nearbyint(std::min(std::max(value, low), high));
    return is_signed ? static_cast<uint8_t>(static_cast<int8_t>(rounded)) : static_cast<uint8_t>(rounded);
}

/// Converts one 4-byte element of L0C into the target's bytes.
void fix_element(const FixTransfer& t, const uint8_t* from, uint64_t column, uint8_t* to) {
    float value;
    int32_t integer = 0;
    if (t.source == CubeType::f32) {
        std::memcpy(&value, from, 4);
    } else {
        std::memcpy(&integer, from, 4);
        value = static_cast<float>(integer);
    }
    const bool cut = t.relu && (t.source == CubeType::f32 ? value < 0 : integer < 0);
    if (cut) value = 0, integer = 0;
    if (t.quant == NoQuant) {
        std::memcpy(to, t.source == CubeType::f32 ? static_cast<const void*>(&value) : &integer, 4);
        return;
    }
    if (t.quant == F322F16 || t.quant == F322BF16) {
        const uint16_t bits = t.quant == F322F16 ? half_bits(value) : bfloat16_bits(value);
        std::memcpy(to, &bits, 2);
        return;
    }
    uint64_t word = t.scalar;
    if (per_column(t.quant)) std::memcpy(&word, t.factors.data + column * 8, 8);
    const QuantWord quant(word);
    if (t.source == CubeType::i32 && quant.shift > 0) {
        value = static_cast<float>(std::min(std::max(integer >> quant.shift, -32768), 32767));
    }
    const float scaled = value * quant.factor;
    if (t.target_bytes == 2) {
        const uint16_t bits = half_bits(scaled);
        std::memcpy(to, &bits, 2);
        return;
    }
    *to = saturated_byte(scaled + static_cast<float>(quant.offset), quant.is_signed);
}

/// Waits for the unit flags of what a transfer reads of L0C, which products have to raise.
void await_units(const Instruction& instruction, const View& source, const FixTransfer& t) {
    auto& raised = core().cube.raised;
    for (uint64_t matrix = 0; t.m != 0 && matrix < t.matrices; ++matrix) {
        for (uint64_t block = 0; block * 16 < t.n; ++block) {
            const uint64_t first =
                offset_of(source) + matrix * t.source_matrix_step * 1024 + block * t.source_stride * 64;
            const uint64_t last = first + t.m * 64 - 1;
            for (uint64_t unit = first / kUnitBytes; unit <= last / kUnitBytes; ++unit) {
                if (!raised[unit]) {
                    instruction.fail(rules::deadlock, {"waits for the unit flag of a part of L0C whose last "
                                                       "Mmad does not raise it: that needs unitFlag 3",
                                                       describe(source), ""});
                }
                raised.set(unit, t.unit_flag != 3);
            }
        }
    }
}

/// Checks of a transfer and the read of its part of L0C. Returns false when there is nothing to do.
bool start_fix(Instruction& instruction, const View& source, const FixTransfer& t) {
    require_memory(instruction, source, {MemoryKind::L0C});
    instruction.require_aligned(source, 0, 64);
    if (!quant_fits(t)) {
        cube_fail(instruction, source,
                  format("quantPre %d does not turn %s in L0C into the type of the target",
                         static_cast<int>(t.quant), t.source == CubeType::f32 ? "float" : "int32_t"));
    }
    if (t.n > 4095 || (t.to_nd && t.m > 8192) || t.target_stride == 0) {
        cube_fail(instruction, source,
                  format("nSize %llu, mSize %llu, dstStride %llu: nSize is at most 4095, mSize with NZ2ND at "
                         "most 8192, "
                         "dstStride positive",
                         static_cast<unsigned long long>(t.n), static_cast<unsigned long long>(t.m),
                         static_cast<unsigned long long>(t.target_stride)));
    }
    if (!t.to_nd && t.n % (t.channel_split ? 8 : 16) != 0) {
        cube_fail(instruction, source,
                  format("nSize must be a multiple of %d for Nz output", t.channel_split ? 8 : 16));
    }
    if (t.channel_split && (t.to_nd || t.quant != NoQuant || t.source != CubeType::f32)) {
        cube_fail(instruction, source, "isChannelSplit needs float to float and Nz output");
    }
    if (per_column(t.quant)) {
        if (t.factors.data == nullptr)
            cube_fail(instruction, source, "the factors of the columns were never set");
        instruction.read(t.factors, 0, t.n * 8);
    }
    for (uint64_t matrix = 0; matrix < t.matrices; ++matrix) {
        for (uint64_t block = 0; block * 16 < t.n; ++block) {
            const uint64_t offset = matrix * t.source_matrix_step * 1024 + block * t.source_stride * 64;
            const uint64_t used = std::min<uint64_t>(16, t.n - block * 16) * 4;
            if (used == 64) {
                instruction.read(source, offset, t.m * 64);
                continue;
            }
            for (uint64_t row = 0; row < t.m; ++row) instruction.read(source, offset + row * 64, used);
        }
    }
    if (t.unit_flag >= 2) await_units(instruction, source, t);
    return t.matrices * t.m * t.n != 0;
}

const uint8_t* fix_source(const View& source, const FixTransfer& t, uint64_t matrix, uint64_t row,
                          uint64_t column) {
    return source.data + matrix * t.source_matrix_step * 1024 + column / 16 * t.source_stride * 64 +
           row * 64 + column % 16 * 4;
}

/// A run of columns that lies in one piece in the target.
struct FixPiece {
    uint64_t first, count;
    uint64_t offset;  ///< byte of row 0 in the target
    uint64_t row_bytes;
};

std::vector<FixPiece> fix_pieces(const FixTransfer& t) {
    if (t.to_nd) return {{0, t.n, 0, t.target_stride * t.target_bytes}};
    std::vector<FixPiece> pieces;
    const uint64_t width = t.channel_split ? 8 : t.target_bytes == 1 ? 32 : 16;
    for (uint64_t first = 0; first < t.n; first += width) {
        const uint64_t count = std::min(width, t.n - first);
        pieces.push_back(
            {first, count, first / width * t.target_stride * kBlockBytes, count * t.target_bytes});
    }
    return pieces;
}

}  // namespace

void fix_out(const char* call, const Site& site, uint8_t* target, const View& source, const FixTransfer& t,
             Combine combine) {
    Core& here = core();
    if (t.unit_flag >= 2) order_pipes(here, Pipe::M, Pipe::FIX, here.cube.product_begin);
    Instruction instruction(Pipe::FIX, call, site);
    if (!start_fix(instruction, source, t)) return;
    const std::vector<FixPiece> pieces = fix_pieces(t);
    double bytes = 0;
    std::vector<uint8_t> line;
    for (uint64_t matrix = 0; matrix < t.matrices; ++matrix) {
        for (const FixPiece& piece : pieces) {
            line.resize(piece.count * t.target_bytes);
            for (uint64_t row = 0; row < t.m; ++row) {
                uint8_t* to = target + matrix * t.target_matrix_step * t.target_bytes + piece.offset +
                              row * piece.row_bytes;
                for (uint64_t i = 0; i < piece.count; ++i) {
                    fix_element(t, fix_source(source, t, matrix, row, piece.first + i), piece.first + i,
                                line.data() + i * t.target_bytes);
                }
                instruction.write_global(to, line.size(),
                                         here.gm.atomic == AtomicMode::none ? line.data() : nullptr);
                if (here.gm.atomic == AtomicMode::none || combine == nullptr) {
                    std::memcpy(kept(to), line.data(), line.size());
                } else {
                    combine(kept(to), line.data(), line.size(), here.gm.atomic);
                }
                bytes += static_cast<double>(std::max<uint64_t>(line.size(), kDmaGranuleBytes));
            }
        }
    }
    here.cube.store_begin = instruction.issue_store(static_cast<double>(t.matrices * t.m * t.n * 4), bytes,
                                                    t.unit_flag >= 2 ? here.pipe(Pipe::M).done : 0);
}

void fix_local(const char* call, const Site& site, const View& target, const View& source,
               const FixTransfer& t) {
    Core& here = core();
    if (t.unit_flag >= 2) order_pipes(here, Pipe::M, Pipe::FIX);
    Instruction instruction(Pipe::FIX, call, site);
    require_memory(instruction, target, {MemoryKind::L1});
    instruction.require_aligned(target, 0, kBlockBytes);
    if (t.quant == NoQuant)
        cube_fail(instruction, source, "the way from L0C to L1 needs a conversion (quantPre)");
    if (!start_fix(instruction, source, t)) return;
    // The factors go to the unit's own buffer first: the result may lie where they lay.
    FixTransfer own = t;
    std::vector<uint8_t> factors;
    if (per_column(t.quant)) {
        factors.assign(t.factors.data, t.factors.data + t.n * 8);
        own.factors.data = factors.data();
    }
    for (const FixPiece& piece : fix_pieces(t)) {
        instruction.write(target, piece.offset, t.m * piece.row_bytes);
        for (uint64_t row = 0; row < t.m; ++row) {
            for (uint64_t i = 0; i < piece.count; ++i) {
                fix_element(own, fix_source(source, t, 0, row, piece.first + i), piece.first + i,
                            target.data + piece.offset + row * piece.row_bytes + i * t.target_bytes);
            }
        }
    }
    instruction.issue(
        processor().memory_copy_issue_cycles + static_cast<double>(t.m * t.n * 4) / kL0cBytesPerCycle, 0);
}

}  // namespace twin
