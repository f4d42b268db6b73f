// The seam between the host side of the twin (runner, tiling) and its device side (simulated cores).
//
// The runner fills a Launch, hands it to run_kernel() together with the entry that calls the kernel body once
// per block, and gets a LaunchReport back. Everything behind run_kernel() is deterministic: the same launch
// gives the same bytes, findings and cycles on every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace twin {

/// One tensor of the operator in global memory. `data` points into memory padded to round_up(bytes + 32,
/// 512), the size the device runtime allocates; the padding holds poison. An absent optional input has `data
/// == nullptr`.
struct GmArgument {
    std::string name;
    uint8_t* data = nullptr;  ///< as the kernel addresses it
    size_t bytes = 0;
    bool is_input = true;
    size_t expected = SIZE_MAX;  ///< outputs: leading bytes that a core has to write, when not all
    uint8_t* kept =
        nullptr;  ///< where the simulator reads and writes it, when not at `data`; see twin/core/raw_reads.h
};

/// Bytes that the device runtime reserves for a tensor of `bytes` bytes.
inline size_t padded_bytes(size_t bytes) { return (bytes + 32 + 511) / 512 * 512; }

/// Which cores a block runs on, as far as it is known; see twin/core/task.h.
struct KnownTask {
    uint32_t cubes = 0, vectors = 1;
    bool scheduled = true;
    uint32_t source = 0;  ///< a TaskSource
};

/// How a simulator reaches a process of the kernel: descriptors.
struct KernelWire {
    int commands = -1, replies = -1;
};

/// One kernel launch.
struct Launch {
    std::string kernel;                 ///< entry name, used in findings
    std::vector<GmArgument> arguments;  ///< inputs, then outputs, in call order
    uint8_t* workspace = nullptr;       ///< system workspace followed by user workspace
    uint8_t* workspace_kept = nullptr;  ///< as GmArgument::kept
    size_t workspace_bytes = 0;
    size_t system_workspace_bytes = 0;  ///< part of the workspace in front of what GetUserWorkspace returns
    uint8_t* tiling = nullptr;
    size_t tiling_bytes = 0;
    uint32_t block_dim = 1;
    KnownTask task;
    std::vector<bool> apart;  ///< a simulator's: whether a block runs in the kernel's second process
    uint64_t tiling_key = 0;
    std::string soc = "Ascend910B1";  ///< a name of twin/soc_data.h
    std::vector<std::pair<std::string, double>>
        constants;            ///< numbers of it that are replaced, see processors.toml
    std::string source_root;  ///< stripped from the file names in findings
    double time_limit_s =
        30.0;               ///< CPU time the launch may use, and time it may sleep; see twin/core/watch.h
    bool strict = false;    ///< warnings that lose data on hardware become errors
    bool fast = false;      ///< bounds, alignment and queues are checked; races and unwritten bytes are not
    uint32_t schedule = 0;  ///< 0: blocks in their order, data moved at each call; else another order of both
    uint64_t remains = 0;   ///< seed of what on-chip memory holds before it is written; 0 for 0xff
    bool cold = false;  ///< the first launch: nothing of its tensors lies in L2. Else they were used before
    int commands = -1, replies = -1;   ///< of a kernel whose simulator is another process: how it is reached
    bool kernel_is_elsewhere = false;  ///< this process is such a simulator
    size_t cleared_bytes = 0;          ///< of outputs that another kernel fills before
    uint8_t* trace = nullptr;          ///< memory for a trace, see twin/core/trace.h; null for none
    size_t trace_bytes = 0;
};

/// One folded finding: `count` occurrences of one rule at one line and call.
struct FindingRecord {
    std::string rule;
    std::string severity;  ///< "error", "hazard", "warning" or "note"
    std::string message;
    std::string file;
    int line = 0;
    int core = 0;
    std::string call;
    std::string tensor;
    std::string limit;
    std::string link;  ///< document of the rule
    long count = 1;
};

/// What a core moved and computed, for a roofline. Copies count what the bus carries, whole bursts; a vector
/// operation is a lane of an instruction, masked lanes included; a multiplication with its addition is two
/// operations of the cube.
struct CoreWork {
    double gm_read = 0, gm_written = 0;  ///< bytes
    double vector_ops = 0, cube_ops = 0;
    double gm_rate = 0;  ///< bytes a cycle it may move from and to HBM while all of its kind do
};

/// What one pipe of a core did for the calls of one line.
struct LineRecord {
    std::string call;
    std::string file;
    int line = 0;
    std::string pipe;  ///< "mte2", "vector", ...
    uint64_t calls = 0;
    double cycles = 0;
    double bytes = 0, lanes = 0;  ///< of copies, of vector instructions
    double idle = 0, held = 0;    ///< cycles the pipe did nothing before the calls; of these, kept by a flag
    double blocked = 0;           ///< of `cycles`: copies that waited for bytes of the other direction
};

/// Busy cycles of one simulated core, by pipe; `total` is the time its last instruction retires.
struct CoreTimes {
    int core = 0;            ///< GetBlockIdx()
    bool cube_core = false;  ///< a cube core, not a vector core
    double total = 0, scalar = 0, vector = 0, mte1 = 0, mte2 = 0, mte3 = 0, cube = 0, fixpipe = 0;
    CoreWork work;
    std::vector<LineRecord> lines;  ///< the most expensive ones, the first most
};

/// Lines of one file of the kernel that made a call.
struct RanFile {
    std::string file;
    std::vector<int> lines;
};

/// An input that its kernel did not read whole.
struct UnreadRecord {
    std::string tensor;
    uint64_t number = 0;         ///< in its tensor list
    std::vector<size_t> bounds;  ///< offset of the first byte and of the one behind, range after range
};

/// What one launch did.
struct LaunchReport {
    bool completed = false;  ///< every core returned from the kernel without an error finding
    std::vector<FindingRecord> findings;
    std::vector<CoreTimes> cores;
    std::vector<RanFile> ran;
    std::vector<UnreadRecord> unread;
    double clock_mhz = 0;
    double launch_us = 0;     ///< fixed cost of the launch, part of modelled_us
    double modelled_us = 0;   ///< modelled, never measured
    bool together = false;    ///< its cores work together: cube and vector cores, barriers, signals
    bool unordered = false;   ///< what its scalar units read may depend on the order of the cores
    bool unmodelled = false;  ///< the kernel did work whose cost the model does not know
    double own_work_s = 0;    ///< CPU seconds of this machine that the kernel's calls and scalar work explain
    std::string bound;        ///< pipe that dominates the slowest core: "mte2", "vector", ...
    std::string printed;      ///< output of printf and DumpTensor, in core order
    bool starts_again = false;  ///< the kernel, which was told values already, turned out to run on `task`:
                                ///< it has to be run by a process that knows nothing of them
    KnownTask task;
    bool abandoned = false;  ///< a core never reacted to the time limit and still runs on its thread: write
                             ///< the report, then leave the process with std::_Exit
};

/// API call the running core made last. Safe to call from a signal handler, to explain a crash of the kernel.
struct LastCall {
    int core = -1;
    const char* call = "";
    const char* file = "";  ///< as the compiler saw it; strip Launch::source_root
    int line = 0;
};

/// Runs the kernel body on the current simulated core.
using Entry = std::function<void()>;

/// Runs `entry` once per block of `launch` on simulated cores. Never throws; a failed launch is a report with
/// findings. Defined in twin/device.h, which exactly one translation unit of an executable includes.
LaunchReport run_kernel(const Launch& launch, const Entry& entry);

/// See LastCall.
LastCall last_call();

}  // namespace twin
