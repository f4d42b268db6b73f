// The simulator: one launch of a candidate's kernel on the simulated processor.
//
// No code of the candidate is linked to it; its kernel is another process (kernel_runner.cpp), which asks for
// calls of the API over a wire (twin/core/wire_impl.h). `program <request> <memory> <answer> <commands>
// <replies>` takes five descriptors: the request (launch_request.h), the file that is the global memory of
// the launch (inputs, and room for outputs; the judge looks at it after this process is gone), a pipe for the
// answer, and the two directions of the wire; two more where one block is in a process of its own. It holds
// no expected result and no other case. Exit code 0: an answer was written, whatever it says; 70: the
// simulator crashed (the answer says where).
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "channel.h"
#include "fault.h"
#include "launch_request.h"
#include "memory.h"
#include "remains.h"
#include "report.h"
#include "tensor_list.h"
#include "twin/launch.h"

namespace twin {

LaunchReport run_remote_kernel(const std::vector<KernelWire>& wires, const Launch& launch);

namespace runner {

/// Maps `bytes` of the memory file at `offset`, as the device runtime allocates them: padded, with nothing
/// behind.
uint8_t* map_argument(int memory, int64_t offset, size_t bytes) {
    uint8_t* const range = addresses(bytes);
    if (mmap(range, padded_bytes(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory,
             static_cast<off_t>(offset)) == MAP_FAILED) {
        throw std::bad_alloc();
    }
    return range;
}

/// Small outputs, which hold nothing worth reading and which kernels write through pointers (the shape they
/// decided).
bool is_small_output(const LaunchRequest& request, int64_t offset) {
    constexpr size_t kMostBytes = 256;
    const auto& lines = request.arguments;
    return std::none_of(lines.begin(), lines.end(), [offset](const ArgumentLine& line) {
        return line.offset == offset && (line.is_input || line.bytes > kMostBytes);
    });
}

/// Gives every argument its memory; what lies at one offset (an output that overwrites an input) is mapped
/// once. The kernel's addresses are others than the simulator's, see twin/core/raw_reads.h.
void map_arguments(LaunchRequest& request, int memory) {
    struct Place {
        uint8_t* kernel = nullptr;
        uint8_t* kept = nullptr;
    };
    std::map<int64_t, Place> mapped;
    for (const ArgumentLine& line : request.arguments) {
        GmArgument argument{line.name, nullptr, line.bytes, line.is_input, line.expected};
        if (line.offset >= 0) {
            Place& place = mapped[line.offset];
            if (place.kept == nullptr) {
                place.kept = map_argument(memory, line.offset, line.bytes);
                place.kernel = is_small_output(request, line.offset) ? place.kept : addresses(line.bytes);
            }
            argument.data = place.kernel;
            argument.kept = place.kept;
        }
        request.launch.arguments.push_back(argument);
    }
}

/// Memory for the trace, when the judge asks for one; it lies behind the tensors.
void map_trace(LaunchRequest& request, int memory) {
    if (request.trace_offset < 0) return;
    void* const range = mmap(nullptr, request.launch.trace_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory,
                             static_cast<off_t>(request.trace_offset));
    if (range == MAP_FAILED) throw std::bad_alloc();
    request.launch.trace = static_cast<uint8_t*>(range);
}

std::string to_json(const std::vector<FindingRecord>& findings, const LaunchReport& launch) {
    JsonWriter json;
    json.open('{');
    write_findings(json, findings);
    write_launch(json, launch);
    json.close('}');
    return json.text();
}

/// Makes every fault of the kernel an answer that says on which core and after which call it happened.
void answer_faults(const Launch& launch, int pipe) {
    fault_context().locate = [&launch](FindingRecord& finding) {
        const LastCall last = last_call();
        finding.core = last.core;
        finding.call = last.call;
        finding.line = last.line;
        finding.file = last.file;
        if (!launch.source_root.empty() &&
            finding.file.compare(0, launch.source_root.size(), launch.source_root) == 0) {
            finding.file.erase(0, launch.source_root.size());
        }
        finding.message = "kernel " + launch.kernel + ", core " + std::to_string(last.core) + ": " +
                          finding.message + (last.line > 0 ? " after " + finding.call : std::string());
    };
    fault_context().answer = [pipe](const FindingRecord& finding) {
        answer(pipe, to_json({finding}, LaunchReport()));
    };
}

LaunchReport perform(LaunchRequest& request, int memory, const std::vector<KernelWire>& wires) {
    Launch& launch = request.launch;
    map_arguments(request, memory);
    map_trace(request, memory);
    std::vector<Buffer> lists;
    for (const PointerLine& line : request.pointers) {
        if (line.is_list) lists.push_back(list_descriptor(line.list, launch.arguments));
    }
    size_t next = 0;
    for (const PointerLine& line : request.pointers) {
        if (!line.is_list) continue;
        launch.arguments.push_back({line.name + " (list)", lists[next].data(), lists[next].bytes(), true});
        ++next;
    }
    // Nobody clears the workspace on the device either. What kernels use lies at its beginning.
    constexpr size_t kMostFilled = 512u << 20;
    const Buffer workspace(request.workspace_bytes, kPoison, false);
    put_remains(workspace.data(), std::min(workspace.bytes(), kMostFilled), request.remains);
    // The kernel gets its own copy of the tiling data, at its exact size, with poison behind it.
    Buffer tiling(request.tiling.size(), kPoison, false);
    std::memcpy(tiling.data(), request.tiling.data(), request.tiling.size());
    launch.remains = request.remains;
    launch.workspace = addresses(workspace.bytes());
    launch.workspace_kept = workspace.data();
    launch.workspace_bytes = workspace.bytes();
    launch.tiling = tiling.data();
    launch.tiling_bytes = tiling.bytes();
    launch.kernel_is_elsewhere = true;
    return run_remote_kernel(wires, launch);
}

}  // namespace runner
}  // namespace twin

int main(int count, char** arguments) {
    using namespace twin::runner;
    if (count != 6 && count != 8) {
        std::fprintf(
            stderr,
            "usage: program <request> <memory> <answer> <commands> <replies> [<commands> <replies>]\n");
        return 64;
    }
    const int pipe = std::atoi(arguments[3]);
    static LaunchRequest request;
    try {
        request = read_launch(read_request(std::atoi(arguments[1])));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "simulator: %s\n", error.what());
        return 64;
    }
    answer_faults(request.launch, pipe);
    install_fault_handlers();
    try {
        std::vector<twin::KernelWire> wires;
        for (int at = 4; at + 1 < count; at += 2)
            wires.push_back({std::atoi(arguments[at]), std::atoi(arguments[at + 1])});
        const twin::LaunchReport report = perform(request, std::atoi(arguments[2]), wires);
        std::fflush(stdout);
        // Threads of an abandoned launch still run: leave without tearing down what they use.
        _exit(answer(pipe, to_json(report.findings, report)) ? 0 : 64);
    } catch (...) {
        on_terminate();
    }
}
