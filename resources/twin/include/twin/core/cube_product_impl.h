// Mmad. Part of twin/device.h.
#pragma once

#include "twin/core/cube_load_impl.h"

namespace twin {

namespace {

size_t cube_bytes(CubeType type) {
    switch (type) {
        case CubeType::f32:
        case CubeType::i32:
            return 4;
        case CubeType::i8:
            return 1;
        default:
            return 2;
    }
}

/// A float with the mantissa HF32 keeps (11 bits), halves to even or towards zero.
float to_hf32(float value, bool to_zero) {
    const uint32_t bits = float_bits(value);
    if ((bits & 0x7f800000u) == 0x7f800000u) return value;
    const uint32_t half = to_zero ? 0x7ffu : 0x7ffu + ((bits >> 12) & 1u);
    return bits_float((bits + half) & ~0xfffu);
}

/// Elements that lie one behind the other as the numbers the multiplier sees. A loop for each type, which the
/// compiler makes vector instructions of: large products are mostly this.
template <class Number>
void widen(CubeType type, const uint8_t* from, uint64_t count, Number* to) {
    const auto each = [&](auto stored, auto value_of) {
        for (uint64_t at = 0; at < count; ++at) {
            std::memcpy(&stored, from + at * sizeof stored, sizeof stored);
            to[at] = static_cast<Number>(value_of(stored));
        }
    };
    const CubeState& set = core().cube;
    const bool to_zero = set.hf32_to_zero;
    if (type == CubeType::i8) {
        each(int8_t(), [](int8_t value) { return value; });
    } else if (type == CubeType::f32 && set.hf32) {
        each(float(), [to_zero](float value) { return to_hf32(value, to_zero); });
    } else if (type == CubeType::f32) {
        each(float(), [](float value) { return value; });
    } else if (type == CubeType::f16) {
        each(uint16_t(), half_value);
    } else {
        each(uint16_t(), bfloat16_value);
    }
}

/// One element as the number the multiplier sees.
template <class Number>
Number cube_value(CubeType type, const uint8_t* at) {
    Number value;
    widen(type, at, 1, &value);
    return value;
}

/// Reads `lines` lines of `used` bytes, one every 32 bytes, behind `offset`; only those bytes must be
/// written.
void read_lines(Instruction& instruction, const View& view, uint64_t offset, uint64_t lines, uint64_t used) {
    const uint64_t span = lines * kBlockBytes;
    instruction.read_any(view, offset, span);
    if (core().memory(view.kind).first_unwritten(offset_of(view) + offset, span) < 0) return;
    for (uint64_t line = 0; line < lines; ++line) instruction.read(view, offset + line * kBlockBytes, used);
}

/// `rows` x `depth` from Zz (A) or, with rows and columns exchanged, from Zn (B): both hold groups of 16
/// lines.
void read_groups(Instruction& instruction, const View& view, uint64_t lines, uint64_t depth, size_t bytes,
                 bool zz, uint64_t depth_blocks) {
    const uint64_t c0 = kBlockBytes / bytes, groups = (lines + 15) / 16;
    for (uint64_t group = 0; group < groups; ++group) {
        for (uint64_t block = 0; block * c0 < depth; ++block) {
            const uint64_t fractal = zz ? group * depth_blocks + block : block * groups + group;
            const uint64_t used = std::min(c0, depth - block * c0) * bytes;
            read_lines(instruction, view, fractal * kFractalBytes, std::min<uint64_t>(16, lines - group * 16),
                       used);
        }
    }
}

template <class Number>
std::vector<Number> unpack_groups(const View& view, uint64_t lines, uint64_t depth, CubeType type, bool zz,
                                  uint64_t depth_blocks) {
    const size_t bytes = cube_bytes(type);
    const uint64_t c0 = kBlockBytes / bytes, groups = (lines + 15) / 16;
    std::vector<Number> values(lines * depth);
    for (uint64_t line = 0; line < lines; ++line) {
        for (uint64_t d = 0; d < depth; ++d) {
            const uint64_t block = d / c0, group = line / 16;
            const uint64_t fractal = zz ? group * depth_blocks + block : block * groups + group;
            const uint8_t* at =
                view.data + fractal * kFractalBytes + line % 16 * kBlockBytes + d % c0 * bytes;
            values[zz ? line * depth + d : d * lines + line] = cube_value<Number>(type, at);
        }
    }
    return values;
}

/// A small product that adds to what the product before it left in L0C needs PipeBarrier<PIPE_M> in between.
void require_finished(const Instruction& instruction, const View& c, uint64_t bytes, bool adds, bool small) {
    Core& here = core();
    CubeState& set = here.cube;
    const auto m = static_cast<size_t>(Pipe::M);
    const bool open = set.open_sequence != 0 && here.order[m][m] < set.open_sequence;
    if (adds && open && c.data < set.open_end && c.data + bytes > set.open_begin) {
        instruction.fail(
            rules::race,
            {format("adds to the result of Mmad at line %d, which is not finished: products of fewer than "
                    "10 fractals need PipeBarrier<PIPE_M> in between",
                    set.open_site.line),
             describe(c), ""});
    }
    set.open_begin = c.data, set.open_end = c.data + bytes;
    set.open_sequence = small ? here.issued[m] : 0;
    set.open_site = instruction.site();
}

double product_cycles(const MatrixProduct& p) {
    const uint64_t c0 = kBlockBytes / cube_bytes(p.type);
    const auto fractals = static_cast<double>((p.m + 15) / 16 * ((p.n + 15) / 16) * ((p.k + c0 - 1) / c0));
    const double rate = p.type != CubeType::f32 ? 1
                        : core().cube.hf32      ? kCubeFloatCycles / 2
                                                : kCubeFloatCycles;
    const Soc& soc = processor();
    return soc.matrix_start_cycles + fractals * rate * soc.matrix_step_cycles;
}

template <class Number>
void run_product(const View& c, const View& a, const View& b, const View* bias, const MatrixProduct& p,
                 uint64_t depth_blocks) {
    const bool vector_row = p.m == 1;  // the left operand of a matrix-vector product is a plain row
    std::vector<Number> left(p.m * p.k);
    if (vector_row) {
        for (uint64_t k = 0; k < p.k; ++k)
            left[k] = cube_value<Number>(p.type, a.data + k * cube_bytes(p.type));
    } else {
        left = unpack_groups<Number>(a, p.m, p.k, p.type, true, depth_blocks);
    }
    const std::vector<Number> right = unpack_groups<Number>(b, p.n, p.k, p.type, false, depth_blocks);
    const uint64_t column_bytes = (p.m + 15) / 16 * 1024;
    const auto place = [&](uint64_t row, uint64_t column) {
        return reinterpret_cast<Number*>(c.data + column / 16 * column_bytes + row * 64) + column % 16;
    };
    std::vector<Number> sums(p.n);
    for (uint64_t row = 0; row < p.m; ++row) {
        for (uint64_t column = 0; column < p.n; ++column) {
            sums[column] = bias != nullptr ? reinterpret_cast<const Number*>(bias->data)[column]
                           : p.from_zero   ? Number(0)
                                           : *place(row, column);
        }
        for (uint64_t k = 0; k < p.k; ++k) {
            const Number factor = left[row * p.k + k];
            const Number* from = right.data() + k * p.n;
            for (uint64_t column = 0; column < p.n; ++column) sums[column] += factor * from[column];
        }
        for (uint64_t column = 0; column < p.n; ++column) *place(row, column) = sums[column];
    }
}

}  // namespace

void multiply(const char* call, const Site& site, const View& c, const View& a, const View& b,
              const View* bias, const MatrixProduct& p) {
    Core& here = core();
    const double cycles = product_cycles(p);
    // With unit flags the two pipes follow each other by parts of 512 bytes: the product starts when the
    // store has started, and ends after it.
    if (p.unit_flag >= 2) {
        order_pipes(here, Pipe::FIX, Pipe::M,
                    std::max(here.cube.store_begin, here.pipe(Pipe::FIX).free - cycles));
    }
    Instruction instruction(Pipe::M, call, site);
    require_memory(instruction, c, {MemoryKind::L0C});
    require_memory(instruction, a, {MemoryKind::L0A});
    require_memory(instruction, b, {MemoryKind::L0B});
    instruction.require_aligned(c, 0, 1024);
    instruction.require_aligned(a, 0, kFractalBytes);
    instruction.require_aligned(b, 0, kFractalBytes);
    if (p.m > 4095 || p.n > 4095 || p.k > 4095) cube_fail(instruction, c, "m, n and k are at most 4095");
    if (p.m * p.n * p.k == 0) return;
    const size_t bytes = cube_bytes(p.type);
    const uint64_t c0 = kBlockBytes / bytes;
    const uint64_t depth_blocks =
        p.wide_k && p.type == CubeType::f32 ? (p.k + 15) / 16 * 2 : (p.k + c0 - 1) / c0;
    if (p.m == 1) {
        instruction.read(a, 0, p.k * bytes);
    } else {
        read_groups(instruction, a, p.m, p.k, bytes, true, depth_blocks);
    }
    read_groups(instruction, b, p.n, p.k, bytes, false, depth_blocks);
    if (bias != nullptr) {
        instruction.require_aligned(*bias, 0, 64);
        instruction.read(*bias, 0, p.n * 4);
    }
    const uint64_t row_groups = (p.m + 15) / 16, column_groups = (p.n + 15) / 16;
    require_finished(instruction, c, row_groups * column_groups * 1024, bias == nullptr && !p.from_zero,
                     (p.m / 16) * (p.n / 16) < 10);
    for (uint64_t group = 0; group < column_groups; ++group) {
        const uint64_t offset = group * row_groups * 1024,
                       used = std::min<uint64_t>(16, p.n - group * 16) * 4;
        for (uint64_t row = 0; bias == nullptr && !p.from_zero && row < p.m; ++row)
            instruction.read(c, offset + row * 64, used);
        for (uint64_t row = 0; used < 64 && row < p.m; ++row) instruction.write(c, offset + row * 64, used);
        if (used == 64) instruction.write(c, offset, p.m * 64);
    }
    const uint64_t first_unit = offset_of(c) / kUnitBytes;
    const uint64_t end_unit = first_unit + row_groups * column_groups * 1024 / kUnitBytes;
    for (uint64_t unit = first_unit; unit < end_unit; ++unit) here.cube.raised.set(unit, p.unit_flag == 3);
    here.cube.product_begin = instruction.issue(cycles, 0);
    here.work.cube_ops +=
        2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    if (p.type == CubeType::i8) {
        run_product<int32_t>(c, a, b, bias, p, depth_blocks);
    } else {
        run_product<float>(c, a, b, bias, p, depth_blocks);
    }
}

}  // namespace twin
