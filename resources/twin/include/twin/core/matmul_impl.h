// Definitions of matmul.h. Part of twin/device.h.
#pragma once

#include <utility>

#include "twin/core/fixpipe_impl.h"
#include "twin/core/matmul.h"

namespace twin {

uint64_t MatmulOperand::byte_of(uint64_t row, uint64_t column) const {
    if (transposed) std::swap(row, column);
    const uint64_t bytes = cube_bytes(type), c0 = kBlockBytes / bytes;
    if (!nz) return (row * row_stride + column) * bytes;
    return (column / c0 * row_stride + row) * kBlockBytes + column % c0 * bytes;
}

bool regist_matmul(bool cube_only, const Site& site) {
    enter("REGIST_MATMUL_OBJ", site);
    Core& here = core();
    LaunchState& launch = here.launch;
    if (!cube_only && !launch.task.mixed() && here.type == CoreType::vector) {
        declare_task(kMixedTask, TaskSource::inferred_mixed, "REGIST_MATMUL_OBJ", site);
        report(
            rules::core_type, "REGIST_MATMUL_OBJ", site,
            {"Matmul in a kernel that runs on vector cores only: declare KERNEL_TYPE_MIX_AIC_1_2", "", ""});
    }
    if (cube_only && here.type == CoreType::vector) {
        if (launch.task.mixed()) return true;  // the vector part of a cube-only product is empty
        declare_task(kCubeTask, TaskSource::inferred, "REGIST_MATMUL_OBJ", site);
        report(rules::core_type, "REGIST_MATMUL_OBJ", site,
               {"ASCENDC_CUBE_ONLY in a kernel that runs on vector cores only", "", ""});
    }
    launch.used_matrix = true;
    return !cube_only && here.type == CoreType::cube && launch.task.mixed();
}

namespace {

/// Checks the reads of the part [rows, columns] of an operand that a product uses.
void read_operand(Instruction& instruction, const MatmulOperand& x, uint64_t rows, uint64_t columns) {
    if (x.transposed) std::swap(rows, columns);
    const uint64_t bytes = cube_bytes(x.type), c0 = kBlockBytes / bytes;
    const auto read = [&](uint64_t offset, uint64_t count) {
        if (x.global != nullptr) {
            instruction.read_global(x.global + offset, count);
        } else {
            instruction.read(x.local, offset, count);
        }
    };
    if (x.nz) {
        for (uint64_t column = 0; column < columns; column += c0) {
            read(column / c0 * x.row_stride * kBlockBytes, rows * kBlockBytes);
        }
    } else if (x.row_stride == columns) {
        read(0, rows * columns * bytes);
    } else {
        for (uint64_t row = 0; row < rows; ++row) read(row * x.row_stride * bytes, columns * bytes);
    }
}

template <class Number>
std::vector<Number> dense(const MatmulOperand& x, uint64_t rows, uint64_t columns) {
    std::vector<Number> values(rows * columns);
    const uint8_t* data = x.data();
    for (uint64_t row = 0; row < rows; ++row) {
        for (uint64_t column = 0; column < columns; ++column) {
            values[row * columns + column] = cube_value<Number>(x.type, data + x.byte_of(row, column));
        }
    }
    return values;
}

template <class Number>
void add_product(const MatmulJob& job, MatmulSums& sums, bool add) {
    const std::vector<Number> a = dense<Number>(job.a, job.m, job.k), b = dense<Number>(job.b, job.k, job.n);
    std::vector<Number> bias(job.n, Number(0)), line(job.n);
    for (uint64_t column = 0; job.has_bias && column < job.n; ++column) {
        const uint8_t* at = job.bias.data() + column * cube_bytes(job.bias.type);
        if (job.bias.type == CubeType::i32) {
            int32_t value;
            std::memcpy(&value, at, 4);
            bias[column] = static_cast<Number>(value);
        } else {
            bias[column] = cube_value<Number>(job.bias.type, at);
        }
    }
    static_assert(sizeof(Number) == 4, "sums are kept as words");
    if (!add) sums.assign(job.m * job.n, 0);
    for (uint64_t row = 0; row < job.m; ++row) {
        uint32_t* words = sums.data() + row * job.n;
        line = bias;
        if (add) std::memcpy(line.data(), words, job.n * 4);
        for (uint64_t k = 0; k < job.k; ++k) {
            const Number factor = a[row * job.k + k];
            const Number* from = b.data() + k * job.n;
            for (uint64_t column = 0; column < job.n; ++column) line[column] += factor * from[column];
        }
        std::memcpy(words, line.data(), job.n * 4);
    }
}

/// Time of a product on the cube core, in cycles of its pipes.
CubeService product_time(const MatmulJob& job, const LaunchState& launch) {
    const uint64_t bytes = cube_bytes(job.a.type), c0 = kBlockBytes / bytes;
    const auto blocks = [](uint64_t value, uint64_t unit) {
        return static_cast<double>((value + unit - 1) / unit);
    };
    const double rate = job.a.type != CubeType::f32 ? 1 : job.hf32 ? kCubeFloatCycles / 2 : kCubeFloatCycles;
    const double a_loads = blocks(job.n, job.base_n), b_loads = blocks(job.m, job.base_m);
    const double a_bytes = static_cast<double>(job.m * job.k * bytes) * a_loads;
    const double b_bytes = static_cast<double>(job.k * job.n * bytes) * b_loads;
    CubeService time;
    time.cube = blocks(job.m, 16) * blocks(job.n, 16) * blocks(job.k, c0) * rate +
                kCubeStartCycles * a_loads * b_loads;
    time.mte1 = a_bytes / kL0aBytesPerCycle + b_bytes / kL0bBytesPerCycle;
    time.mte2 = (a_bytes + b_bytes) / launch.bus_bytes_per_cycle;
    time.fixpipe = static_cast<double>(job.m * job.n * 4) / launch.bus_bytes_per_cycle;
    return time;
}

/// Lets the cube core of this group work; the caller waits for it. Its pipes overlap, so the slowest one
/// counts.
void spend_on_cube(Core& here, const CubeService& time) {
    const double latency = kDmaLatencyNs * 1e-3 * here.launch.soc->clock_mhz + kCrossFlagCycles;
    const double length = std::max({time.cube, time.mte1, time.mte2 + time.fixpipe}) + latency;
    if (here.type == CoreType::cube) {
        const double start = all_done(here);
        here.spend(Pipe::M, start, time.cube);
        here.spend(Pipe::MTE1, start, time.mte1);
        here.spend(Pipe::MTE2, start, time.mte2);
        here.spend(Pipe::FIX, start, time.fixpipe);
        start_all_at(here, start + length);
        return;
    }
    CubeService& service = here.launch.services[static_cast<size_t>(here.group)];
    service.cube += time.cube, service.mte1 += time.mte1;
    service.mte2 += time.mte2, service.fixpipe += time.fixpipe;
    const double start = std::max(service.free, all_done(here));
    if (here.trace && !service.trace) service.trace = here.launch.new_trace();
    for (const auto& [pipe, cycles] : {std::pair{Pipe::M, time.cube}, {Pipe::MTE1, time.mte1}, {Pipe::MTE2, time.mte2},
                                       {Pipe::FIX, time.fixpipe}}) {
        if (service.trace) service.trace->work(pipe, start, cycles, 0, 0, here.last_name(), here.last_site());
    }
    service.free = start + length;
    start_all_at(here, service.free);
}

}  // namespace

void matmul_multiply(const char* call, const Site& site, const MatmulJob& job, MatmulSums& sums, bool add) {
    Instruction instruction(Pipe::S, call, site);
    if (job.a.data() == nullptr || job.b.data() == nullptr) {
        instruction.fail(rules::null_tensor,
                         {"SetTensorA and SetTensorB must come before the product", "", ""});
    }
    if (job.m * job.n * job.k == 0) {
        instruction.fail(rules::cube_limit,
                         {"the product is empty: is the tiling data read before Init?", "", ""});
    }
    read_operand(instruction, job.a, job.m, job.k);
    read_operand(instruction, job.b, job.k, job.n);
    if (job.has_bias) {
        MatmulOperand row = job.bias;
        row.row_stride = job.n;
        read_operand(instruction, row, 1, job.n);
    }
    instruction.issue(kScalarGlobalCycles, 0);  // the message to the cube core
    const bool old_hf32 = core().cube.hf32;
    core().cube.hf32 = job.hf32;
    if (job.a.type == CubeType::i8) {
        add_product<int32_t>(job, sums, add);
    } else {
        add_product<float>(job, sums, add);
    }
    core().cube.hf32 = old_hf32;
    spend_on_cube(core(), product_time(job, core().launch));
}

void matmul_store(const char* call, const Site& site, const MatmulTarget& target, const MatmulSums& sums,
                  uint64_t m, uint64_t n, bool from_integer) {
    const bool global = target.global != nullptr;
    Instruction instruction(global ? Pipe::S : Pipe::MTE2, call, site);
    FixTransfer fix = target.fix;
    fix.source = from_integer ? CubeType::i32 : CubeType::f32;
    fix.factors.data = target.factors != nullptr ? kept(const_cast<uint8_t*>(target.factors)) : nullptr;
    if (!quant_fits(fix)) {
        cube_fail(instruction, target.local,
                  "the sums cannot become the type of C: SetQuantScalar or SetQuantVector is missing");
    }
    if (target.factors != nullptr) instruction.read_global(target.factors, n * 8);
    const uint64_t width = target.nz ? target.nz_width : n;
    std::vector<uint8_t> line(width * target.bytes);
    for (uint64_t first = 0; first < n; first += width) {
        const uint64_t count = std::min(width, n - first), length = count * target.bytes;
        for (uint64_t row = 0; row < m; ++row) {
            const uint64_t offset = target.nz ? (first / width * target.row_stride + row) * width * target.bytes
                                              : (row * target.row_stride + first) * target.bytes;
            for (uint64_t i = 0; i < count; ++i) {
                fix_element(fix, reinterpret_cast<const uint8_t*>(&sums[row * n + first + i]), first + i,
                            line.data() + i * target.bytes);
            }
            if (!global) {
                instruction.write(target.local, offset, length);
                std::memcpy(target.local.data + offset, line.data(), length);
                continue;
            }
            const AtomicMode mode = std::exchange(core().gm.atomic, target.atomic);
            instruction.write_global(target.global + offset, length,
                                     target.atomic == AtomicMode::none ? line.data() : nullptr);
            core().gm.atomic = mode;
            if (target.atomic == AtomicMode::none || target.combine == nullptr) {
                std::memcpy(kept(target.global + offset), line.data(), length);
            } else {
                target.combine(kept(target.global + offset), line.data(), length, target.atomic);
            }
        }
    }
    if (!global) instruction.issue_transfer(kDmaIssueCycles, static_cast<double>(m * n * target.bytes));
}

}  // namespace twin
