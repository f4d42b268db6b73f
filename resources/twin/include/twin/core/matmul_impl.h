// Definitions of matmul.h. Part of twin/device.h.
#pragma once

#include "twin/wire/calls.h"

#include <optional>
#include <utility>

#include "twin/core/cube_schedule.h"
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
    TWIN_FORWARD_ASK(bool, regist_matmul, cube_only, site)
    enter("REGIST_MATMUL_OBJ", site);
    Core& here = core();
    LaunchState& launch = here.launch;
    if (!cube_only && !launch.task.mixed() && here.type == CoreType::vector) {
        settle_task(kMixedTask, TaskSource::inferred_mixed, "REGIST_MATMUL_OBJ", site);
        report(
            rules::core_type, "REGIST_MATMUL_OBJ", site,
            {"Matmul in a kernel that runs on vector cores only: declare KERNEL_TYPE_MIX_AIC_1_2", "", ""});
    }
    if (cube_only && here.type == CoreType::vector) {
        if (launch.task.mixed()) return true;  // the vector part of a cube-only product is empty
        settle_task(kCubeTask, TaskSource::inferred, "REGIST_MATMUL_OBJ", site);
        report(rules::core_type, "REGIST_MATMUL_OBJ", site,
               {"ASCENDC_CUBE_ONLY in a kernel that runs on vector cores only", "", ""});
    }
    launch.used_matrix = true;
    return !cube_only && here.type == CoreType::cube && launch.task.mixed();
}

namespace {

/// Whether all of a part [rows, columns] of a global operand lies in the tensor it begins in: where its bytes
/// are kept follows from that one.
bool is_in_one_tensor(const MatmulOperand& x, uint64_t rows, uint64_t columns) {
    const GmHit first = core().launch.gm.find(x.global, 1);
    const GmHit all = core().launch.gm.find(x.global, x.byte_of(rows - 1, columns - 1) + cube_bytes(x.type));
    return first.region != nullptr && all.place != GmPlace::outside;
}

/// Calls `visit(offset, bytes)` for what the part [rows, columns] of an operand is made of.
template <class Visit>
void visit_operand(const MatmulOperand& x, uint64_t rows, uint64_t columns, Visit&& visit) {
    if (x.transposed) std::swap(rows, columns);
    const uint64_t bytes = cube_bytes(x.type), c0 = kBlockBytes / bytes;
    if (x.nz) {
        for (uint64_t column = 0; column < columns; column += c0) {
            visit(column / c0 * x.row_stride * kBlockBytes, rows * kBlockBytes);
        }
    } else if (x.row_stride == columns) {
        visit(0, rows * columns * bytes);
    } else {
        for (uint64_t row = 0; row < rows; ++row) visit(row * x.row_stride * bytes, columns * bytes);
    }
}

/// Checks the reads of the part [rows, columns] of an operand that a product uses.
void read_operand(Instruction& instruction, const MatmulOperand& x, uint64_t rows, uint64_t columns) {
    visit_operand(x, rows, columns, [&](uint64_t offset, uint64_t bytes) {
        if (x.global != nullptr) {
            instruction.read_global(x.global + offset, bytes);
        } else if (instruction.pipe() == Pipe::S) {  // later the cube core reads what was brought of it
            instruction.read(x.local, offset, bytes);
        }
    });
}

/// One asynchronous Iterate asks for all blocks: what its core stores into their operand after that, when it
/// had issued `asked`, comes too late.
void require_asked_behind_stores(const Instruction& instruction, const Clock& asked, const MatmulOperand& x,
                                 uint64_t rows, uint64_t columns) {
    if (x.global == nullptr || core().type == CoreType::cube || core().launch.launch.fast) return;
    visit_operand(x, rows, columns, [&](uint64_t offset, uint64_t bytes) {
        const uint8_t* begin = x.global + offset;
        core().gm.writes.overlapping(begin, begin + bytes, [&](uint64_t store) {
            const Pipe pipe = AccessTag::pipe(store);
            if (pipe == Pipe::FIX || AccessTag::sequence(store) <= asked[static_cast<size_t>(pipe)]) return;
            instruction.fail(rules::race,
                             {format("%s writes an operand after the asynchronous Iterate that asked for "
                                     "all blocks: the cube core may have read it",
                                     pipe_name(pipe)),
                              "", ""});
        });
    });
}

/// Checks the reads of all operands.
void read_operands(Instruction& instruction, const MatmulJob& job) {
    read_operand(instruction, job.a, job.m, job.k);
    read_operand(instruction, job.b, job.k, job.n);
    if (!job.has_bias) return;
    MatmulOperand row = job.bias;
    row.row_stride = job.n;
    read_operand(instruction, row, 1, job.n);
}

/// Lets an operand in UB of a vector core lead to what the library brought of it.
void use_brought(const Instruction& instruction, const BroughtOperand& brought, MatmulOperand& x,
                 uint64_t rows, uint64_t columns) {
    if (x.global != nullptr || x.local.kind != MemoryKind::UB || core().type == CoreType::cube) return;
    const auto offset = static_cast<uint64_t>(x.local.data - brought.begin);
    const uint64_t end = x.byte_of(rows - 1, columns - 1) + cube_bytes(x.type), bytes = brought.bytes.size();
    if (brought.begin == nullptr || x.local.data < brought.begin || offset > bytes || end > bytes - offset) {
        instruction.warn(rules::tensor_overread, Severity::hazard,
                         {"an operand of the product is larger than the tensor of UB it was set to", "", ""});
        return;
    }
    x.local.data = const_cast<uint8_t*>(brought.bytes.data()) + offset;
}

/// Rows and columns of an operand.
struct MatmulPart {
    uint64_t row, rows, column, columns;
};

/// A part of an operand, row by row. It begins where an NZ operand has a block.
template <class Number>
std::vector<Number> dense(const MatmulOperand& x, const MatmulPart& part) {
    const uint64_t lines = x.transposed ? part.columns : part.rows;
    const uint64_t length = x.transposed ? part.rows : part.columns;
    const uint64_t run = x.nz ? kBlockBytes / cube_bytes(x.type) : length;
    const uint8_t* data = x.data();
    std::vector<Number> values(part.rows * part.columns), turned(x.transposed ? run : 0);
    for (uint64_t line = 0; line < lines; ++line) {
        for (uint64_t begin = 0; begin < length; begin += run) {
            const uint64_t count = std::min(run, length - begin);
            const uint64_t row = x.transposed ? begin : line, column = x.transposed ? line : begin;
            const uint8_t* from = data + x.byte_of(part.row + row, part.column + column);
            Number* to = &values[row * part.columns + column];
            widen(x.type, from, count, x.transposed ? turned.data() : to);
            for (uint64_t at = 0; x.transposed && at < count; ++at) to[at * part.columns] = turned[at];
        }
    }
    return values;
}

/// Numbers of an operand that are at hand at a time: they stay in the cache of the CPU.
constexpr uint64_t kPartNumbers = 1 << 16;
constexpr uint64_t kPartRows = 32;  // a multiple of every block of an NZ operand

template <class Number>
void add_product(const MatmulJob& job, std::vector<uint32_t>& sums, bool add) {
    std::vector<Number> line(job.n, Number(0));
    for (uint64_t column = 0; job.has_bias && column < job.n; ++column) {
        const uint8_t* at = job.bias.data() + column * cube_bytes(job.bias.type);
        if (job.bias.type == CubeType::i32) {
            int32_t value;
            std::memcpy(&value, at, 4);
            line[column] = static_cast<Number>(value);
        } else {
            line[column] = cube_value<Number>(job.bias.type, at);
        }
    }
    static_assert(sizeof(Number) == 4, "sums are kept as words");
    if (!add) {
        sums.resize(job.m * job.n);
        for (uint64_t row = 0; row < job.m; ++row)
            std::memcpy(sums.data() + row * job.n, line.data(), job.n * 4);
    }
    const uint64_t step =
        std::max(kPartNumbers / std::max(job.m, job.n) / kPartRows, uint64_t(1)) * kPartRows;
    for (uint64_t begin = 0; begin < job.k; begin += step) {
        const uint64_t depth = std::min(step, job.k - begin);
        const std::vector<Number> a = dense<Number>(job.a, {0, job.m, begin, depth});
        const std::vector<Number> b = dense<Number>(job.b, {begin, depth, 0, job.n});
        for (uint64_t row = 0; row < job.m; ++row) {
            uint32_t* words = sums.data() + row * job.n;
            std::memcpy(line.data(), words, job.n * 4);
            for (uint64_t k = 0; k < depth; ++k) {
                const Number factor = a[row * depth + k];
                const Number* from = b.data() + k * job.n;
                for (uint64_t column = 0; column < job.n; ++column) line[column] += factor * from[column];
            }
            std::memcpy(words, line.data(), job.n * 4);
        }
    }
}

/// Share of an operand's copies that comes from HBM: what no core has read before, once, and at most the
/// part of a core.
double missed_share(LaunchState& launch, FetchedBytes& fetched, const MatmulOperand& x, uint64_t rows,
                    uint64_t columns, double copies) {
    if (x.global == nullptr) return 0;  // it went out through L2
    if (x.transposed) std::swap(rows, columns);
    const uint64_t bytes = cube_bytes(x.type);
    if (x.nz) {
        const uint64_t c0 = kBlockBytes / bytes, strips = (columns + c0 - 1) / c0;
        columns = rows * c0, rows = strips;
    }
    const uint64_t stride = (x.nz ? x.row_stride * (kBlockBytes / bytes) : x.row_stride) * bytes;
    double missed = 0;
    for (uint64_t row = 0; row < rows; ++row) {
        missed += launch.l2_lacks(x.global + row * stride, columns * bytes);
    }
    launch.hbm_moved += missed;
    if (const GmRegion* region = launch.gm.find(x.global, 1).region)
        missed = fetched.charge(region, region->bytes, missed, launch.cube_readers);
    return missed / (static_cast<double>(rows * columns * bytes) * copies);
}

ProductShape shape_of(const MatmulJob& job, LaunchState& launch, FetchedBytes& fetched) {
    const auto blocks = [](uint64_t value, uint64_t unit) {
        return static_cast<double>((value + unit - 1) / unit);
    };
    ProductShape shape;
    shape.m = job.m, shape.n = job.n, shape.k = job.k;
    shape.base_m = job.base_m, shape.base_n = job.base_n, shape.base_k = job.base_k;
    shape.step_ka = job.step_ka, shape.step_kb = job.step_kb;
    shape.bytes = cube_bytes(job.a.type), shape.c_bytes = job.c_bytes;
    const auto operand = [&](const MatmulOperand& x, bool rows_along_k, double missed) {
        const bool on_chip = x.global == nullptr && x.local.kind != MemoryKind::UB;
        const uint64_t step = on_chip ? 0 : x.row_stride * shape.bytes;
        return ProductOperand{rows_along_k, x.nz, missed, reinterpret_cast<uintptr_t>(x.global), step};
    };
    shape.a = operand(job.a, !job.a.transposed,
                      missed_share(launch, fetched, job.a, job.m, job.k, blocks(job.n, job.base_n)));
    shape.b = operand(job.b, job.b.transposed,
                      missed_share(launch, fetched, job.b, job.k, job.n, blocks(job.m, job.base_m)));
    const double steps = job.a.type != CubeType::f32 ? 1 : job.hf32 ? kCubeFloatCycles / 2 : kCubeFloatCycles;
    shape.step_cycles = steps * launch.soc.matrix_step_cycles;
    return shape;
}

/// Refuses base blocks that the memories of a cube core have no room for.
void check_blocks(const Instruction& instruction, const MatmulJob& job) {
    ProductShape shape;
    shape.m = job.m, shape.n = job.n, shape.k = job.k;
    shape.base_m = job.base_m, shape.base_n = job.base_n, shape.base_k = job.base_k;
    shape.step_ka = job.step_ka, shape.step_kb = job.step_kb;
    shape.bytes = cube_bytes(job.a.type);
    const BlockBytes bytes = bytes_of(shape);
    const struct {
        const char* memory;
        uint64_t taken, room;
    } each[] = {{"L0A", bytes.a, kL0aBytes},
                {"L0B", bytes.b, kL0bBytes},
                {"L0C", bytes.c, kL0cBytes},
                {"L1", bytes.l1, kL1Bytes}};
    for (const auto& one : each) {
        if (one.taken <= one.room) continue;
        instruction.fail(
            rules::cube_limit,
            {format("a base block of baseM %llu, baseN %llu, baseK %llu takes %llu bytes of %s",
                    static_cast<unsigned long long>(job.base_m), static_cast<unsigned long long>(job.base_n),
                    static_cast<unsigned long long>(job.base_k), static_cast<unsigned long long>(one.taken),
                    one.memory),
             "", format("%llu bytes of %s", static_cast<unsigned long long>(one.room), one.memory)});
    }
}

/// Lets the cube core of this group work; its pipes overlap as `ProductSchedule` says. The time the product
/// is done.
double spend_on_cube(Core& here, const MatmulJob& job) {
    LaunchState& launch = here.launch;
    const bool on_cube = here.type == CoreType::cube;
    CubeService& service = launch.services[static_cast<size_t>(here.group)];
    join_readers(here, on_cube ? here.cube.reads : service.reads);
    ProductSchedule schedule(shape_of(job, launch, on_cube ? here.cube.fetched : service.fetched),
                             launch.cube_rates);
    const double ops =
        2.0 * static_cast<double>(job.m) * static_cast<double>(job.n) * static_cast<double>(job.k);
    if (on_cube) {  // the call gives the pipes their work and goes on; each takes it when it is free
        CubeTimes& times = here.cube.library;
        times.not_before(here.now());
        const std::pair<Pipe, double*> pipes[] = {{Pipe::MTE2, &times.mte2},
                                                  {Pipe::MTE1, &times.mte1},
                                                  {Pipe::M, &times.cube},
                                                  {Pipe::FIX, &times.fix}};
        for (const auto& [pipe, time] : pipes)
            *time = std::max({*time, here.pipe(pipe).free, here.pipe(pipe).ready});
        const auto spend = [&here](Pipe pipe, double begin, double cycles, double bytes, char operand) {
            here.spend(pipe, {begin, cycles, 0, 0, bytes, operand});
        };
        const double end = schedule.run(times, spend);
        for (const auto& [pipe, time] : pipes) here.pipe(pipe).free = here.pipe(pipe).done = *time;
        here.pipe(Pipe::FIX).done = end;
        here.work.cube_ops += ops;
        return end;
    }
    if (here.trace && !service.trace) service.trace = launch.new_trace();
    const double message = kMatmulMessageNs * 1e-3 * launch.soc.clock_mhz;
    // One that was asked for together with the product before needs no message, and begins at once.
    const double start = job.follows ? service.free : std::max(service.free, all_done(here) + message);
    const char* const call = here.last_name();
    const Site site = here.last_site();
    const auto spend = [&](Pipe pipe, double begin, double cycles, double bytes, char operand) {
        double& busy = pipe == Pipe::M      ? service.cube
                       : pipe == Pipe::MTE1 ? service.mte1
                       : pipe == Pipe::MTE2 ? service.mte2
                                            : service.fixpipe;
        busy += cycles;
        note_copied(service.work, pipe, bytes);
        service.lines.add(pipe, call, site, {begin, cycles, 0, 0, bytes, operand}, 0);
        if (service.trace) service.trace->work(pipe, begin, cycles, 0, bytes, call, site);
    };
    service.free = schedule.run(start, spend);
    service.work.cube_ops += ops;
    if (job.sync) start_all_at(here, service.free);
    return service.free;
}

/// FixPipe carries sums out once more: the first time is part of the product's.
void spend_on_store(Core& here, MatmulSums& sums, double read, double written, bool sync) {
    LaunchState& launch = here.launch;
    const double cycles = store_cycles(read, written, launch.cube_rates);
    CubeService& service = launch.services[static_cast<size_t>(here.group)];
    double& free = here.type == CoreType::cube ? here.cube.library.fix : service.free;
    const double begin = std::max(free, sums.done);
    free = begin + cycles;
    sums.done = free + launch.cube_rates.copy_latency;
    if (here.type == CoreType::cube) {
        here.spend(Pipe::FIX, {begin, cycles, 0, 0, written});
        here.pipe(Pipe::FIX).free = free, here.pipe(Pipe::FIX).done = sums.done;
        return;
    }
    service.fixpipe += cycles;
    note_copied(service.work, Pipe::FIX, written);
    service.lines.add(Pipe::FIX, here.last_name(), here.last_site(), {begin, cycles, 0, 0, written}, 0);
    if (service.trace)
        service.trace->work(Pipe::FIX, begin, cycles, 0, written, here.last_name(), here.last_site());
    if (sync) start_all_at(here, sums.done);
}

}  // namespace

void matmul_init(bool constant) {
    TWIN_FORWARD(matmul_init, constant)
    Core& here = core();
    const bool is_first = !std::exchange(here.cube.has_library, true);
    const double whole = constant ? kMatmulConstantInitNs : kMatmulInitNs;
    const double paid = std::exchange(here.cube.library_init_ns, std::max(here.cube.library_init_ns, whole));
    if (whole <= paid) return;
    const double cycles = (whole - paid) * 1e-3 * here.launch.soc.clock_mhz;
    charge_scalar(here, cycles);
    if (!is_first) return;
    if (here.type == CoreType::vector &&
        here.launch.task.mixed()) {  // and so does the cube core that will serve
        CubeService& service = here.launch.services[static_cast<size_t>(here.group)];
        service.free = std::max(service.free, cycles);
    }
}

void matmul_wait(const MatmulSums& sums, const char* call, const Site& site) {
    TWIN_FORWARD(wire::product_awaited, reinterpret_cast<uint64_t>(&sums), call, site)
    enter(call, site);
    Core& here = core();
    start_all_at(here, sums.done);
    // Of another object's products nothing is known.
    Clock finished{};
    finished[static_cast<size_t>(Pipe::M)] = sums.last_read;
    finished[static_cast<size_t>(Pipe::FIX)] = sums.last_store;
    if (here.late) here.late->settle(finished);
    for (Clock& known : here.order) join(known, finished);
}

void matmul_bring(MatmulSums& sums, uint32_t operand, const View& view, uint64_t bytes, const char* call,
                  const Site& site) {
    TWIN_FORWARD(wire::operand_brought, reinterpret_cast<uint64_t>(&sums), operand, view, bytes, call, site)
    if (view.kind != MemoryKind::UB || core().type == CoreType::cube) return;
    order_pipes(core(), Pipe::V, Pipe::MTE3);
    Instruction instruction(Pipe::MTE3, call, site);
    instruction.read_any(view, 0, bytes);
    instruction.issue_transfer(processor().memory_copy_issue_cycles, static_cast<double>(bytes));
    sums.brought[operand] = {view.data, {view.data, view.data + bytes}};
}

void matmul_multiply(const char* call, const Site& site, const MatmulJob& job, MatmulSums& sums, bool add) {
    TWIN_FORWARD(wire::product_made, reinterpret_cast<uint64_t>(&sums), call, site, job, add)
    Instruction instruction(Pipe::S, call, site);
    if (job.a.data() == nullptr || job.b.data() == nullptr) {
        instruction.fail(rules::null_tensor,
                         {"SetTensorA and SetTensorB must come before the product", "", ""});
    }
    if (job.m * job.n * job.k == 0) {
        instruction.fail(rules::cube_limit,
                         {"the product is empty: is the tiling data read before Init?", "", ""});
    }
    if (core().type == CoreType::vector && !core().launch.task.mixed()) {
        instruction.fail(rules::core_type,
                         {"a product on a vector core without a cube core: REGIST_MATMUL_OBJ is missing, "
                          "or declare KERNEL_TYPE_MIX_AIC_1_2",
                          "", ""});
        stop_core();
    }
    if (!core().cube.has_library) {
        instruction.fail(rules::cube_limit,
                         {"the Matmul object has no split: Init, or REGIST_MATMUL_OBJ with tiling data, "
                          "must come before the product",
                          "", ""});
    }
    check_blocks(instruction, job);
    read_operands(instruction, job);
    const auto strays = [](const MatmulOperand& x, uint64_t rows, uint64_t columns) {
        return x.global != nullptr && !is_in_one_tensor(x, rows, columns);
    };
    if (strays(job.a, job.m, job.k) || strays(job.b, job.k, job.n)) {
        instruction.fail(rules::gm_out_of_bounds,
                         {"an operand of the product leaves the tensor it begins in", "", ""});
    }
    if (job.follows) {
        require_asked_behind_stores(instruction, sums.asked, job.a, job.m, job.k);
        require_asked_behind_stores(instruction, sums.asked, job.b, job.k, job.n);
    } else {
        sums.asked = issued_by(core());
    }
    instruction.issue(processor().scalar_global_cycles, 0);  // the message to the cube core
    std::optional<Instruction> cube_core;
    if (!job.sync && core().type == CoreType::vector) {  // which reads while its caller goes on
        cube_core.emplace(Pipe::M, call, site);
        read_operands(*cube_core, job);
        sums.last_read = core().issued[static_cast<size_t>(Pipe::M)];
    }
    MatmulJob brought = job;
    use_brought(instruction, sums.brought[0], brought.a, job.m, job.k);
    use_brought(instruction, sums.brought[1], brought.b, job.k, job.n);
    if (job.has_bias) use_brought(instruction, sums.brought[2], brought.bias, 1, job.n);
    const bool old_hf32 = core().cube.hf32;
    core().cube.hf32 = job.hf32;
    if (job.a.type == CubeType::i8) {
        add_product<int32_t>(brought, sums.values, add && sums.values.size() == job.m * job.n);
    } else {
        add_product<float>(brought, sums.values, add && sums.values.size() == job.m * job.n);
    }
    core().cube.hf32 = old_hf32;
    sums.done = spend_on_cube(core(), job);
    sums.c_bytes = job.c_bytes;
    sums.is_stored = false;
}

void matmul_store(const char* call, const Site& site, const MatmulTarget& target, MatmulSums& sums,
                  uint64_t m, uint64_t n, bool from_integer, bool sync) {
    TWIN_FORWARD(wire::product_stored, reinterpret_cast<uint64_t>(&sums), call, site, target, m, n,
                 from_integer, sync)
    const bool global = target.global != nullptr;
    const AtomicMode atomic = target.atomic == AtomicMode::none ? core().gm.atomic : target.atomic;
    // What the cube core stores while the caller goes on is ordered after nothing of it: FixPipe is no pipe
    // of a vector core.
    const bool open = global && !sync && core().type == CoreType::vector && core().launch.task.mixed();
    Instruction instruction(open ? Pipe::FIX : global ? Pipe::S : Pipe::MTE2, call, site);
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
            const uint64_t offset = target.nz
                                        ? (first / width * target.row_stride + row) * width * target.bytes
                                        : (row * target.row_stride + first) * target.bytes;
            for (uint64_t i = 0; i < count; ++i) {
                fix_element(fix, reinterpret_cast<const uint8_t*>(&sums.values[row * n + first + i]),
                            first + i, line.data() + i * target.bytes);
            }
            if (!global) {
                instruction.write(target.local, offset, length);
                std::memcpy(target.local.data + offset, line.data(), length);
                continue;
            }
            const AtomicMode mode = std::exchange(core().gm.atomic, atomic);
            instruction.write_global(target.global + offset, length,
                                     atomic == AtomicMode::none ? line.data() : nullptr);
            core().gm.atomic = mode;
            if (atomic == AtomicMode::none || target.combine == nullptr) {
                std::memcpy(kept(target.global + offset), line.data(), length);
            } else {
                target.combine(kept(target.global + offset), line.data(), length, atomic);
            }
        }
    }
    if (open) sums.last_store = core().issued[static_cast<size_t>(Pipe::FIX)];
    const auto elements = static_cast<double>(m * n);
    if (std::exchange(sums.is_stored, true))
        spend_on_store(core(), sums, elements * 4, elements * static_cast<double>(target.bytes), sync);
    if (global) return;
    instruction.issue_transfer(processor().memory_copy_issue_cycles,
                               static_cast<double>(m * n * target.bytes));
    // The library itself lets the vector unit wait for its copy into UB.
    order_pipes(core(), Pipe::MTE2, Pipe::V);
}

}  // namespace twin
