// The runner: performs one call of a candidate operator as CANN would, on the simulated processor.
//
// Linked with the candidate's op_host objects and one kernel object (dtype signature). `runner <manifest>` checks the
// operator definition, really calls InferShape, InferDataType and the tiling function, fills global memory, launches
// the kernel and writes outputs and a JSON report. Exit code 0: a report was written, whatever it says; 64: the
// manifest or a file of the judge is unusable; 70: the candidate crashed (the report says where); 71: the judge went.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "host_calls.h"
#include "kernel_shapes.h"
#include "run.h"
#include "tensor_list.h"

namespace twin {

/// Generated with every candidate: launches its kernel with `pointers` = inputs, outputs, workspace, tiling.
LaunchReport launch_candidate(const Launch& launch, uint8_t* const* pointers);

namespace runner {

/// What the kernel gets for one parameter: the address of its tensor, or of the descriptor of its tensor list.
bool collect_parameter(Run& run, Launch& launch, const ops::OpParamDef& def,
                       const std::vector<const TensorLine*>& lines, const std::vector<uint8_t*>& data,
                       std::vector<uint8_t*>& pointers) {
    if (def.Kind() != ops::DYNAMIC) {
        if (lines.size() != 1) {
            run.report.error("operator-definition",
                             "OpDef " + run.manifest.op + ": " + def.Name() +
                                 " is a tensor list; declare it ParamType(DYNAMIC).",
                             kDefinitionDocument);
            return false;
        }
        pointers.push_back(data.front());
        return true;
    }
    run.lists.push_back(list_descriptor(lines, data));
    launch.arguments.push_back({def.Name() + " (list)", run.lists.back().data(), run.lists.back().bytes(), true});
    pointers.push_back(run.lists.back().data());
    return true;
}

/// Splits `lines` into parameters and collects each; `data` holds the address of every line.
bool collect_parameters(Run& run, Launch& launch, const std::list<ops::OpParamDef>& defs,
                        const std::vector<TensorLine>& lines, const std::vector<uint8_t*>& data,
                        std::vector<uint8_t*>& pointers) {
    size_t index = 0;
    for (const ops::OpParamDef& def : defs) {
        std::vector<const TensorLine*> own;
        std::vector<uint8_t*> addresses;
        for (size_t at = 0; at < lines.size(); ++at) {
            if (lines[at].index == index) {
                own.push_back(&lines[at]);
                addresses.push_back(data[at]);
            }
        }
        if (!collect_parameter(run, launch, def, own, addresses, pointers)) {
            return false;
        }
        ++index;
    }
    return true;
}

/// Arguments in the order of the definition, then the shapes the kernel decides; every tensor is registered as global
/// memory, one that is updated in place as input and as output. `is_set` tells of each output whether it has a value
/// already.
bool collect_arguments(Run& run, Launch& launch, const std::vector<bool>& is_set, std::vector<uint8_t*>& pointers) {
    std::vector<uint8_t*> input_data;
    for (size_t at = 0; at < run.manifest.inputs.size(); ++at) {
        launch.arguments.push_back({run.manifest.inputs[at].name, run.inputs[at].data(), run.inputs[at].bytes(), true});
        input_data.push_back(run.inputs[at].data());
    }
    for (size_t at = 0; at < run.manifest.outputs.size(); ++at) {
        const TensorLine& line = run.manifest.outputs[at];
        const size_t room = std::max(run.outputs[at].bytes(), output_bytes(line));  // no memory of its own when in place
        const bool is_started = line.zero || is_set[at];
        launch.arguments.push_back({line.name, run.output_data[at], room, false, is_started ? 0 : result_bytes(line)});
    }
    const bool fits =
        collect_parameters(run, launch, run.definition->Inputs(), run.manifest.inputs, input_data, pointers) &&
        collect_parameters(run, launch, run.definition->Outputs(), run.manifest.outputs, run.output_data, pointers);
    if (run.kernel_shapes.bytes() > 0) {
        launch.arguments.push_back({"shapes of outputs", run.kernel_shapes.data(), run.kernel_shapes.bytes(), false, 0});
        pointers.push_back(run.kernel_shapes.data());
    }
    return fits;
}

void finish_outputs(Run& run) {
    for (size_t at = 0; at < run.manifest.outputs.size(); ++at) {
        const TensorLine& line = run.manifest.outputs[at];
        write_file(line.path, run.output_data[at], result_bytes(line));
    }
    for (size_t at = 0; at < run.manifest.inputs.size(); ++at) {
        const TensorLine& line = run.manifest.inputs[at];
        bool is_result = line.absent;
        for (uint8_t* data : run.output_data) {
            is_result = is_result || data == run.inputs[at].data();
        }
        if (!is_result && std::memcmp(run.inputs[at].data(), run.originals[at].data(), run.originals[at].size()) != 0) {
            run.report.changed_inputs.push_back(line.name);
        }
    }
}

/// Writes the report and ends the process.
[[noreturn]] void leave(const Run& run) {
    std::fflush(stdout);
    if (!write_report(run.report, run.manifest.report)) {
        std::fprintf(stderr, "runner: cannot write %s\n", run.manifest.report.c_str());
        _exit(64);
    }
    _exit(0);
}

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
    make_kernel_shapes(run);
    const size_t noted = run.report.findings.size();
    run.report.phase = "tiling";
    fe::PlatFormInfos platform(run.manifest.soc.c_str());
    const std::shared_ptr<void> info = compile_info(run, platform);
    gert::TilingContext context(run.call, platform, info.get());
    Launch launch;
    std::vector<uint8_t*> pointers;
    if (run.report.findings.size() != noted || !tile(run, context, launch) ||
        !collect_arguments(run, launch, set_initial_values(run, context), pointers)) {
        return;
    }
    size_t workspace_bytes = 0;
    for (const size_t bytes : run.report.workspaces) {
        workspace_bytes += bytes;
    }
    Buffer workspace(workspace_bytes, kPoison, false);
    // The kernel gets its own copy of the tiling data, at its exact size, with poison behind it.
    Buffer tiling(launch.tiling_bytes, kPoison, false);
    std::memcpy(tiling.data(), launch.tiling, launch.tiling_bytes);
    launch.kernel = run.manifest.kernel;
    launch.workspace = workspace.data();
    launch.workspace_bytes = workspace.bytes();
    launch.tiling = tiling.data();
    launch.soc = run.manifest.soc;
    launch.source_root = run.manifest.source_root;
    launch.time_limit_s = run.manifest.time_limit_s;
    launch.strict = run.manifest.strict;
    launch.fast = run.manifest.fast;
    pointers.push_back(workspace.data());
    pointers.push_back(tiling.data());
    run.report.phase = "kernel";
    run.report.launch = launch_candidate(launch, pointers.data());
    run.report.phase = "done";
    if (run.report.launch.completed) {
        finish_outputs(run);
        read_kernel_shapes(run);
    }
    // Threads of an abandoned launch still run: leave without tearing down what they use.
    leave(run);
}

}  // namespace runner
}  // namespace twin

int main(int count, char** arguments) {
    using namespace twin::runner;
    if (count != 2) {
        std::fprintf(stderr, "usage: runner <manifest>\n");
        return 64;
    }
    auto run = std::make_unique<Run>();
    try {
        run->manifest = read_manifest(arguments[1]);
        twin::host::modelled_soc() = run->manifest.soc;
        install_fault_handlers(run->report, run->manifest);
        watch_lifeline();
        perform(*run);
        leave(*run);
    } catch (const std::bad_alloc&) {
        on_terminate();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "runner: %s\n", error.what());
        _exit(64);
    }
}
