// The tiling program: asks op_host about one call as CANN would, and answers what it decided.
//
// Linked with the candidate's op_host objects. `program <request> <values> <answer>` takes three descriptors:
// the request (manifest.h), the values of the inputs op_host may see, and a pipe for the answer
// (tiling_report.h). It checks the operator definition and really calls InferShape, InferDataType and the
// tiling function. It holds no tensor the kernel computes with, no expected result and no other case. Exit
// code 0: an answer was written, whatever it says; 70: the candidate crashed (the answer says where).
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "channel.h"
#include "host_calls.h"
#include "initial_values.h"
#include "run.h"
#include "twin/core/watch.h"
#include "twin/host/definition_impl.h"

namespace twin {
namespace runner {

/// The whole call; every way out leaves a report that says how far it came.
void perform(Run& run) {
    if (!find_definition(run)) {
        return;
    }
    load_inputs(run);
    describe_outputs(run);
    infer(run);
    take_open_shapes(run);
    make_outputs(run);
    const size_t noted = run.report.findings.size();
    run.report.phase = "tiling";
    fe::PlatFormInfos platform(run.manifest.soc.c_str());
    const std::shared_ptr<void> info = compile_info(run, platform);
    gert::TilingContext context(run.call, platform, info.get());
    if (run.report.findings.size() != noted || !tile(run, context)) {
        return;
    }
    note_initial_values(run, context);
    run.report.phase = "done";
}

/// A warning where op_host computed longer than a launch waits for it: its time is in no latency.
void note_host_work(Run& run) {
    constexpr double kMostHostWorkS =
        0.1;  // of this machine, unoptimised; honest ones need a few milliseconds
    if (twin::process_cpu_s() <= kMostHostWorkS) {
        return;
    }
    FindingRecord finding;
    finding.rule = "host-work";
    finding.severity = "warning";
    finding.core = -1;
    finding.limit = "0.1 s of CPU time";
    finding.message =
        run.manifest.op +
        " op_host computed longer than 0.1 s. No latency counts that time, but a user "
        "waits for it at every launch: op_host decides how to split the work, the kernel does it.";
    finding.link = "Ascend C guide, host-side tiling";
    run.report.findings.push_back(finding);
}

/// Makes every fault of op_host an answer that says in which phase it happened.
void answer_faults(Run& run, int pipe) {
    fault_context().locate = [&run](FindingRecord& finding) {
        finding.message = run.manifest.op + " " + run.report.phase + ": " + finding.message;
    };
    fault_context().name = [&run](FindingRecord& finding, const void* address) {
        const int tensor = host::DeviceMemoryGuard::Get().TensorAt(address);
        if (tensor < 0 || static_cast<size_t>(tensor) >= run.guarded.size()) {
            return false;
        }
        finding.rule = "device-memory-on-host";
        finding.tensor = run.guarded[static_cast<size_t>(tensor)];
        finding.message = "op_host reads the values of input " + finding.tensor +
                          ", which lie in device memory; declare ValueDepend on it or read it in the kernel";
        finding.link = "Ascend C guide, ValueDepend";
        return true;
    };
    fault_context().answer = [&run, pipe](const FindingRecord& finding) {
        run.report.log = host::op_log();
        run.report.findings.push_back(finding);
        answer(pipe, to_json(run.report));
    };
}

}  // namespace runner
}  // namespace twin

int main(int count, char** arguments) {
    using namespace twin::runner;
    if (count != 4) {
        std::fprintf(stderr, "usage: program <request> <values> <answer>\n");
        return 64;
    }
    const int pipe = std::atoi(arguments[3]);
    static Run run;
    try {
        run.manifest = read_manifest(read_request(std::atoi(arguments[1])));
        run.values = read_request(std::atoi(arguments[2]));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tiling: %s\n", error.what());
        return 64;
    }
    twin::host::modelled_soc() = run.manifest.soc;
    answer_faults(run, pipe);
    install_fault_handlers();
    try {
        perform(run);
        note_host_work(run);
    } catch (...) {
        on_terminate();
    }
    std::fflush(stdout);
    _exit(answer(pipe, to_json(run.report)) ? 0 : 64);
}
