// The matrix side's loads: GM to L1 as Nz, L1 to L0A and L0B as fractals. Part of twin/device.h.
#pragma once

#include "twin/api/cube.h"

namespace twin {

namespace {

constexpr uint64_t kFractalBytes = 512;

void cube_fail(const Instruction& instruction, const View& view, const std::string& message) {
    instruction.fail(rules::cube_limit, {message, describe(view), ""});
}

void require_memory(const Instruction& instruction, const View& view,
                    std::initializer_list<MemoryKind> allowed) {
    std::string names;
    for (const MemoryKind kind : allowed) {
        if (view.kind == kind) return;
        names += (names.empty() ? "" : " or ") + std::string(memory_name(kind));
    }
    cube_fail(instruction, view,
              format("the operand is in %s, it must be in %s", memory_name(view.kind), names.c_str()));
}

uint64_t offset_of(const View& view) {
    return static_cast<uint64_t>(view.data - core().memory(view.kind).base());
}

/// Copies `count` elements; `from(i)` is the source element of target element i. Bytes that were never
/// written stay so in the target.
template <class From>
void move_elements(const View& target, uint64_t to, const View& source, uint64_t from_byte, uint64_t span,
                   size_t bytes, uint64_t count, From from) {
    uint8_t* out = target.data + to;
    const uint8_t* in = source.data + from_byte;
    for (uint64_t i = 0; i < count; ++i) std::memcpy(out + i * bytes, in + from(i) * bytes, bytes);
    LocalMemory& origin = core().memory(source.kind);
    const uint64_t base = offset_of(source) + from_byte;
    if (origin.first_unwritten(base, span) < 0) return;
    LocalMemory& goal = core().memory(target.kind);
    for (uint64_t i = 0; i < count; ++i) {
        if (origin.first_unwritten(base + from(i) * bytes, bytes) < 0) continue;
        goal.mark_unwritten(offset_of(target) + to + i * bytes, bytes);
    }
}

double load_cycles(const View& target, uint64_t bytes) {
    const double rate = target.kind == MemoryKind::L0A ? kL0aBytesPerCycle : kL0bBytesPerCycle;
    return kMte1IssueCycles + static_cast<double>(bytes) / rate;
}

/// Fractals one square of LoadDataWithTranspose consists of.
uint64_t square_parts(size_t bytes) { return bytes == 2 ? 1 : 2; }

/// Source element of element `i` of part `part` of a transposed square. A square of 1-byte elements is two
/// fractals one below the other, of 4-byte elements two side by side.
uint64_t transposed_element(size_t bytes, uint64_t part, uint64_t i) {
    const uint64_t c0 = kBlockBytes / bytes, row = i / c0, column = i % c0;
    if (bytes == 4) {
        const uint64_t source_row = part * 8 + column;
        return row < 8 ? source_row * 8 + row : 128 + source_row * 8 + row - 8;
    }
    return column * c0 + part * 16 + row;
}

}  // namespace

bool runs_matrix(const char* call, const Site& site) {
    enter(call, site);
    Core& here = core();
    LaunchState& launch = here.launch;
    if (here.type == CoreType::cube) {
        launch.used_matrix = true;
        return true;
    }
    if (launch.task.mixed()) return false;
    settle_task(kCubeTask, TaskSource::inferred, call, site);
    report(
        rules::core_type, call, site,
        {"a matrix instruction in a kernel that runs on vector cores only: declare KERNEL_TYPE_AIC_ONLY or a "
         "mixed type",
         "", ""});
    return false;
}

bool runs_vector_copy(const char* call, const Site& site) {
    Core& here = core();
    if (here.type == CoreType::vector) return true;
    if (!here.launch.task.mixed()) settle_task(kMixedTask, TaskSource::inferred_mixed, call, site);
    return false;
}

void load_nd(const char* call, const Site& site, const View& target, const uint8_t* source, size_t bytes,
             const NdMatrix& x) {
    Instruction instruction(Pipe::MTE2, call, site);
    require_memory(instruction, target, {MemoryKind::L1});
    instruction.require_aligned(target, 0, kBlockBytes);
    if (x.matrices == 0 || x.rows == 0 || x.columns == 0) return;
    if (x.matrices > 4095 || x.rows > 16384 || x.columns > 65535 ||
        (x.target_row_blocks == 0 && x.rows > 1) || x.target_column_blocks == 0 ||
        x.target_row_blocks > 16384 || x.target_column_blocks > 16384) {
        cube_fail(instruction, target,
                  format("%llu matrices of %llu x %llu, strides %llu and %llu blocks: outside the limits",
                         static_cast<unsigned long long>(x.matrices), static_cast<unsigned long long>(x.rows),
                         static_cast<unsigned long long>(x.columns),
                         static_cast<unsigned long long>(x.target_row_blocks),
                         static_cast<unsigned long long>(x.target_column_blocks)));
    }
    const uint64_t c0 = kBlockBytes / bytes, blocks = (x.columns + c0 - 1) / c0;
    double least = 0;
    for (uint64_t i = 0; i < x.matrices; ++i) {
        const uint8_t* from = source + i * x.matrix_stride * bytes;
        const bool by_rows = x.column_stride == 1;
        const uint64_t lines = by_rows ? x.rows : x.columns, length = (by_rows ? x.columns : x.rows) * bytes;
        const uint64_t step = (by_rows ? x.row_stride : x.column_stride) * bytes;
        least +=
            row_cycles({reinterpret_cast<uintptr_t>(from), lines, length, step}, core().launch.cube_rates);
        if (step == length) {
            instruction.read_global(from, lines * length);
        } else {
            for (uint64_t line = 0; line < lines; ++line) instruction.read_global(from + line * step, length);
        }
        for (uint64_t block = 0; block < blocks; ++block) {
            const uint64_t to = i * x.target_matrix * bytes + block * x.target_column_blocks * kBlockBytes;
            if (x.target_row_blocks == 1) {
                instruction.write(target, to, x.rows * kBlockBytes);
            } else {
                for (uint64_t row = 0; row < x.rows; ++row)
                    instruction.write(target, to + row * x.target_row_blocks * kBlockBytes, kBlockBytes);
            }
        }
    }
    const double burst = static_cast<double>(std::max<uint64_t>(x.columns * bytes, kDmaGranuleBytes));
    const double rows = static_cast<double>(x.matrices * x.rows);
    instruction.issue_l1_copy(rows, burst * rows, least);
    for (uint64_t i = 0; i < x.matrices; ++i) {
        for (uint64_t row = 0; row < x.rows; ++row) {
            const uint8_t* from = kept(source + (i * x.matrix_stride + row * x.row_stride) * bytes);
            uint8_t* to = target.data + i * x.target_matrix * bytes + row * x.target_row_blocks * kBlockBytes;
            for (uint64_t column = 0; column < blocks * c0; ++column) {
                uint8_t* element =
                    to + column / c0 * x.target_column_blocks * kBlockBytes + column % c0 * bytes;
                if (column < x.columns) {
                    std::memcpy(element, from + column * x.column_stride * bytes, bytes);
                } else {
                    std::memset(element, 0, bytes);
                }
            }
        }
    }
}

void load_fractals(const char* call, const Site& site, const View& target, const View& source, size_t bytes,
                   const FractalLoad& load) {
    Instruction instruction(Pipe::MTE1, call, site);
    require_memory(instruction, target, {MemoryKind::L0A, MemoryKind::L0B});
    require_memory(instruction, source, {MemoryKind::L1});
    instruction.require_aligned(target, 0, kFractalBytes);
    instruction.require_aligned(source, 0, kBlockBytes);
    const uint64_t parts = load.square ? square_parts(bytes) : 1;
    const uint64_t elements = kFractalBytes / bytes, unit = parts * kFractalBytes;
    const auto source_of = [&](uint64_t i) {
        return static_cast<uint64_t>(
                   (static_cast<int64_t>(load.start) + static_cast<int64_t>(i) * load.source_step)) *
               unit;
    };
    for (uint64_t i = 0; i < load.repeats; ++i) {
        instruction.read_any(source, source_of(i), unit);
        for (uint64_t part = 0; part < parts; ++part)
            instruction.write(target, (i * load.target_step + part * load.target_part_step) * kFractalBytes,
                              kFractalBytes);
    }
    if (load.repeats > 0) instruction.issue(load_cycles(target, load.repeats * unit), 0);
    for (uint64_t i = 0; i < load.repeats; ++i) {
        for (uint64_t part = 0; part < parts; ++part) {
            const uint64_t to = (i * load.target_step + part * load.target_part_step) * kFractalBytes;
            move_elements(target, to, source, source_of(i), unit, bytes, elements, [&](uint64_t element) {
                return load.transpose ? transposed_element(bytes, part, element) : element;
            });
        }
    }
}

void load_fractals_global(const char* call, const Site& site, const View& target, const uint8_t* source,
                          const FractalLoad& load) {
    Instruction instruction(Pipe::MTE2, call, site);
    require_memory(instruction, target, {MemoryKind::L1, MemoryKind::L0A, MemoryKind::L0B});
    instruction.require_aligned(target, 0, target.kind == MemoryKind::L1 ? kBlockBytes : kFractalBytes);
    const auto source_of = [&](uint64_t i) {
        return source + (static_cast<int64_t>(load.start) + static_cast<int64_t>(i) * load.source_step) *
                            static_cast<int64_t>(kFractalBytes);
    };
    for (uint64_t i = 0; i < load.repeats; ++i) {
        instruction.read_global(source_of(i), kFractalBytes);
        instruction.write(target, i * load.target_step * kFractalBytes, kFractalBytes);
    }
    if (load.repeats == 0) return;
    instruction.issue_l1_copy(0, static_cast<double>(load.repeats * kFractalBytes));
    for (uint64_t i = 0; i < load.repeats; ++i)
        std::memcpy(target.data + i * load.target_step * kFractalBytes, kept(source_of(i)), kFractalBytes);
}

namespace {

/// L1 offset of the 32-byte chunk behind row `m` and column block `k` of the image's columns, or -1 for
/// padding.
int64_t image_chunk(const ImageLoad& x, uint64_t out_width, uint64_t m, uint64_t k) {
    const uint64_t filter = uint64_t(x.filter_w) * x.filter_h;
    const int64_t h =
        int64_t(m / out_width * x.stride_h) - x.pad_top + int64_t(k % filter / x.filter_w * x.dilation_h);
    const int64_t w =
        int64_t(m % out_width * x.stride_w) - x.pad_left + int64_t(k % x.filter_w * x.dilation_w);
    if (h < 0 || w < 0 || h >= int64_t(x.height) || w >= int64_t(x.width)) return -1;
    return ((int64_t(k / filter) * int64_t(x.height) + h) * int64_t(x.width) + w) * int64_t(kBlockBytes);
}

/// Place of element (m, k) of the loaded part: Zz in L0A, Zn in L0B, rows and columns exchanged by
/// `transposed`.
uint64_t image_target(bool right, bool transposed, uint64_t c0, const ImageLoad& x, uint64_t m, uint64_t k) {
    if (right) return (m / c0 * ((x.k_count + 15) / 16) + k / 16) * 16 * c0 + k % 16 * c0 + m % c0;
    const uint64_t row = transposed ? k : m, column = transposed ? m : k;
    const uint64_t width = ((transposed ? x.m_count : x.k_count) + c0 - 1) / c0;
    return (row / 16 * width + column / c0) * 16 * c0 + row % 16 * c0 + column % c0;
}

}  // namespace

void load_image(const char* call, const Site& site, const View& target, const View& source, size_t bytes,
                const ImageLoad& x) {
    Instruction instruction(Pipe::MTE1, call, site);
    require_memory(instruction, target, {MemoryKind::L0A, MemoryKind::L0B});
    require_memory(instruction, source, {MemoryKind::L1});
    instruction.require_aligned(target, 0, kFractalBytes);
    instruction.require_aligned(source, 0, kBlockBytes);
    const uint64_t c0 = kBlockBytes / bytes;
    if (x.height * x.width * x.channels * x.k_count * x.m_count * x.filter_w * x.filter_h == 0) return;
    if (x.channels % c0 != 0 || x.k_start % c0 != 0 || x.stride_w == 0 || x.stride_h == 0) {
        cube_fail(
            instruction, target,
            format(
                "channelSize and kStartPt must be multiples of %llu here, strides positive (got %llu, %llu)",
                static_cast<unsigned long long>(c0), static_cast<unsigned long long>(x.channels),
                static_cast<unsigned long long>(x.k_start)));
    }
    const bool right = target.kind == MemoryKind::L0B;
    if (bytes == 1 && (right || x.transpose))
        cube_fail(instruction, target, "no 8-bit elements on this path");
    const int64_t reach_w =
        int64_t(x.width) + x.pad_left + x.pad_right - int64_t(x.filter_w - 1) * x.dilation_w - 1;
    if (reach_w < 0) cube_fail(instruction, target, "the filter is wider than the padded image");
    const uint64_t out_width = static_cast<uint64_t>(reach_w) / x.stride_w + 1;
    const uint64_t k_blocks = (x.k_count + c0 - 1) / c0, m_rows = (x.m_count + 15) / 16 * 16;
    const bool turned = right || x.transpose;
    const uint64_t rows = turned ? (x.k_count + 15) / 16 : m_rows / 16;
    const uint64_t columns = turned ? (x.m_count + c0 - 1) / c0 : k_blocks;
    instruction.write(target, 0, rows * columns * kFractalBytes);
    for (uint64_t m = 0; m < x.m_count; ++m) {
        for (uint64_t k = 0; k < k_blocks; ++k) {
            const int64_t chunk = image_chunk(x, out_width, x.m_start + m, x.k_start / c0 + k);
            if (chunk >= 0) instruction.read_any(source, static_cast<uint64_t>(chunk), kBlockBytes);
        }
    }
    instruction.issue(load_cycles(target, rows * columns * kFractalBytes), 0);
    core().memory(target.kind).mark_unwritten(offset_of(target), rows * columns * kFractalBytes);
    fill_poison(target.data, rows * columns * kFractalBytes);
    LocalMemory& origin = core().memory(source.kind);
    for (uint64_t m = 0; m < x.m_count; ++m) {
        for (uint64_t k = 0; k < x.k_count; ++k) {
            const int64_t chunk = image_chunk(x, out_width, x.m_start + m, (x.k_start + k) / c0);
            const uint64_t to = image_target(right, x.transpose, c0, x, m, k) * bytes;
            const auto from = static_cast<uint64_t>(chunk) + k % c0 * bytes;
            if (chunk < 0) {
                std::memcpy(target.data + to, &x.pad_bits, bytes);
            } else {
                std::memcpy(target.data + to, source.data + from, bytes);
                if (origin.first_unwritten(offset_of(source) + from, bytes) >= 0) continue;
            }
            core().memory(target.kind).mark_written(offset_of(target) + to, bytes);
        }
    }
}

void fill_local(const char* call, const Site& site, const View& target, uint64_t repeats, uint64_t blocks,
                uint64_t gap, const uint8_t* value, size_t bytes) {
    const uint64_t unit = target.kind == MemoryKind::L1 ? kBlockBytes : kFractalBytes;
    Instruction instruction(target.kind == MemoryKind::L1 ? Pipe::MTE2 : Pipe::MTE1, call, site);
    require_memory(instruction, target, {MemoryKind::L1, MemoryKind::L0A, MemoryKind::L0B});
    instruction.require_aligned(target, 0, static_cast<uint32_t>(unit));
    for (uint64_t i = 0; i < repeats; ++i)
        instruction.write(target, i * (blocks + gap) * unit, blocks * unit);
    if (repeats * blocks == 0) return;
    instruction.issue(load_cycles(target, repeats * blocks * unit), 0);
    for (uint64_t i = 0; i < repeats; ++i) {
        uint8_t* to = target.data + i * (blocks + gap) * unit;
        for (uint64_t offset = 0; offset < blocks * unit; offset += bytes)
            std::memcpy(to + offset, value, bytes);
    }
}

void load_table(const char* call, const Site& site, const View& target, const View& source, uint64_t blocks,
                uint64_t bytes, uint64_t source_gap, uint64_t target_gap, bool widen) {
    const bool bias = target.kind == MemoryKind::BT;
    const uint32_t unit = bias ? 64 : 128;
    Instruction instruction(bias ? Pipe::MTE1 : Pipe::FIX, call, site);
    require_memory(instruction, target, {MemoryKind::BT, MemoryKind::FB});
    require_memory(instruction, source, {MemoryKind::L1});
    instruction.require_aligned(target, 0, unit);
    instruction.require_aligned(source, 0, kBlockBytes);
    const uint64_t taken = bytes;  // lengths count the source; float takes twice the room of half
    bytes *= widen ? 2 : 1;
    for (uint64_t i = 0; i < blocks; ++i) {
        instruction.read_any(source, i * (taken + source_gap * kBlockBytes), taken);
        instruction.write(target, i * (bytes + target_gap * unit), bytes);
    }
    if (blocks * bytes == 0) return;
    instruction.issue(kMte1IssueCycles + static_cast<double>(blocks * bytes) / kTableBytesPerCycle, 0);
    for (uint64_t i = 0; i < blocks; ++i) {
        const uint8_t* from = source.data + i * (taken + source_gap * kBlockBytes);
        uint8_t* to = target.data + i * (bytes + target_gap * unit);
        if (!widen) {
            std::memcpy(to, from, bytes);
            continue;
        }
        for (uint64_t element = 0; element < bytes / 4; ++element) {
            uint16_t bits;
            std::memcpy(&bits, from + element * 2, 2);
            const float value = half_value(bits);
            std::memcpy(to + element * 4, &value, 4);
        }
    }
}

}  // namespace twin
