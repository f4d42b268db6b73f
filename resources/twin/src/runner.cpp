// The runner: performs one call of a candidate operator as CANN would, on the simulated processor.
//
// Linked with the candidate's op_host objects and one kernel object (dtype signature). `runner <manifest>` checks the
// operator definition, really calls InferShape, InferDataType and the tiling function, fills global memory, launches
// the kernel and writes outputs and a JSON report. Exit code 0: a report was written, whatever it says; 64: the
// manifest or a file of the judge is unusable; 70: the candidate crashed (the report says where); 71: the judge went.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "definition.h"
#include "fault.h"
#include "manifest.h"
#include "memory.h"
#include "report.h"
#include "tensor_list.h"
#include "twin/host/guard.h"
#include "twin/host/log.h"
#include "twin/host/platform.h"
#include "twin/host/registry.h"

namespace twin {

/// Generated with every candidate: launches its kernel with `pointers` = inputs, outputs, workspace, tiling.
LaunchReport launch_candidate(const Launch& launch, uint8_t* const* pointers);

namespace runner {

constexpr const char* kTilingDocument = "Ascend C guide, host-side tiling implementation";

/// One call: the memory of its tensors and the description the contexts read.
struct Run {
    Manifest manifest;
    Report report;
    const ops::OpDef* definition = nullptr;
    host::Functions functions;
    host::Call call;
    std::vector<Buffer> inputs;                  ///< by line of the manifest
    std::vector<std::vector<uint8_t>> originals; ///< bytes of every input as given
    std::vector<Buffer> outputs;
    std::vector<uint8_t*> output_data;           ///< an output named like an input shares its memory
    std::vector<Buffer> lists;                   ///< descriptors of tensor lists
};

gert::StorageShape storage_shape(const std::vector<int64_t>& dims) {
    gert::StorageShape shape;
    for (const int64_t dim : dims) {
        shape.MutableOriginShape().AppendDim(dim);
        shape.MutableStorageShape().AppendDim(dim);
    }
    return shape;
}

bool find_definition(Run& run) {
    const host::Registry& registry = host::Registry::Get();
    run.definition = registry.Find(run.manifest.op);
    if (run.definition == nullptr) {
        std::string registered;
        for (const auto& definition : registry.Definitions()) {
            registered += (registered.empty() ? "" : ", ") + definition->Type();
        }
        run.report.error("operator-definition",
                         "op_host registers no OpDef called " + run.manifest.op + " (OP_ADD found: " +
                             (registered.empty() ? "none" : registered) + ").",
                         kDefinitionDocument);
        return false;
    }
    run.functions = host::Registry::Get().FunctionsOf(run.manifest.op);
    if (run.definition->Core().Tiling() != nullptr) {
        run.functions.tiling = run.definition->Core().Tiling();
    }
    if (run.definition->InferShape() != nullptr) {
        run.functions.infer_shape = run.definition->InferShape();
    }
    if (run.definition->InferDataType() != nullptr) {
        run.functions.infer_type = run.definition->InferDataType();
    }
    return check_counts(*run.definition, run.manifest, run.report) &&
           check_types(*run.definition, run.manifest, run.report) &&
           fill_attributes(*run.definition, run.manifest, run.call.attributes, run.report);
}

bool needs_value(const Run& run, size_t index, const ops::OpParamDef& def) {
    bool needed = def.NeedsValue();
    for (const size_t depended : run.functions.value_depend) {
        needed = needed || depended == index;
    }
    return needed;
}

void load_inputs(Run& run) {
    std::vector<const ops::OpParamDef*> defs;
    for (const ops::OpParamDef& def : run.definition->Inputs()) {
        defs.push_back(&def);
    }
    std::vector<size_t> counts(defs.size(), 0);
    for (const TensorLine& line : run.manifest.inputs) {
        run.inputs.emplace_back();
        run.originals.emplace_back();
        if (line.absent) {
            continue;
        }
        std::vector<uint8_t> bytes = read_file(line.path);
        if (!line.strides.empty() && defs[line.index]->IsMadeContiguous()) {
            bytes = contiguous(bytes, line);
        }
        Buffer buffer(bytes.size(), kPoison, false);
        std::memcpy(buffer.data(), bytes.data(), bytes.size());
        host::TensorInfo info;
        info.shape = storage_shape(line.shape);
        info.desc.SetDataType(line.type);
        const bool on_host = needs_value(run, line.index, *defs[line.index]);
        const size_t guard_index = fault_context().guarded.size();
        fault_context().guarded.push_back(line.name);
        void* address = on_host ? buffer.data() : host::DeviceMemoryGuard::Get().Address(guard_index);
        info.tensor.Describe(info.shape, line.type, address, bytes.size(), on_host ? gert::kOnHost : gert::kOnDeviceHbm);
        run.call.inputs.push_back(info);
        run.inputs.back() = std::move(buffer);
        run.originals.back() = std::move(bytes);
        ++counts[line.index];
    }
    std::vector<gert::AnchorInstanceInfo> ranges;
    size_t start = 0;
    for (const size_t count : counts) {
        ranges.emplace_back(start, count);
        start += count;
    }
    run.call.node.Describe(run.manifest.op, run.call.inputs.size(), run.manifest.outputs.size(), ranges);
}

void make_outputs(Run& run) {
    for (size_t at = 0; at < run.manifest.outputs.size(); ++at) {
        const TensorLine& line = run.manifest.outputs[at];
        uint8_t* shared = nullptr;
        size_t before = 0;  // tensors of the same list in front of this one
        while (before < at && run.manifest.outputs[at - before - 1].index == line.index) {
            ++before;
        }
        for (size_t index = 0, relative = 0; index < run.manifest.inputs.size(); ++index) {
            const TensorLine& input = run.manifest.inputs[index];
            if (input.name == line.name && !input.absent && relative++ == before) {
                shared = run.inputs[index].data();
            }
        }
        const size_t bytes = static_cast<size_t>(elements(line.shape)) * static_cast<size_t>(ge::GetSizeByDataType(line.type));
        run.outputs.emplace_back(shared != nullptr ? 0 : bytes, is_floating(line.type) ? kPoison : kIntegerPoison, true);
        run.output_data.push_back(shared != nullptr ? shared : run.outputs.back().data());
        host::TensorInfo info;
        info.shape = storage_shape(line.shape);
        info.desc.SetDataType(line.type);
        run.call.outputs.push_back(info);
    }
}

bool infer(Run& run) {
    const size_t count = run.manifest.outputs.size();
    run.report.inferred.resize(count);
    if (run.functions.infer_shape != nullptr) {
        run.report.phase = "infer-shape";
        gert::InferShapeContext context(run.call, count);
        if (run.functions.infer_shape(&context) != ge::GRAPH_SUCCESS) {
            run.report.error("infer-shape", "InferShape of " + run.manifest.op + " failed.", kTilingDocument);
            return false;
        }
        for (size_t index = 0; index < count; ++index) {
            const gert::Shape& shape = *context.GetOutputShape(index);
            run.report.inferred[index].has_shape = true;
            for (size_t dim = 0; dim < shape.GetDimNum(); ++dim) {
                run.report.inferred[index].shape.push_back(shape.GetDim(dim));
            }
        }
    }
    if (run.functions.infer_type != nullptr) {
        run.report.phase = "infer-type";
        gert::InferDataTypeContext context(run.call, count);
        if (run.functions.infer_type(&context) != ge::GRAPH_SUCCESS) {
            run.report.error("infer-type", "InferDataType of " + run.manifest.op + " failed.", kTilingDocument);
            return false;
        }
        for (size_t index = 0; index < count; ++index) {
            run.report.inferred[index].type = context.GetOutputDataType(index);
        }
    }
    return true;
}

/// Calls the tiling function; on success the launch has block dimension, key, workspace and tiling bytes.
bool tile(Run& run, gert::TilingContext& context, Launch& launch) {
    if (run.functions.tiling == nullptr) {
        run.report.error("tiling-failed", run.manifest.op + " has no tiling function: call AICore().SetTiling().",
                         kTilingDocument);
        return false;
    }
    const ge::graphStatus status = run.functions.tiling(&context);
    run.report.log = host::op_log();
    run.report.block_dim = context.GetBlockDim();
    run.report.tiling_key = context.GetTilingKey();
    run.report.tiling_bytes = context.GetRawTilingData()->GetDataSize();
    run.report.workspaces.assign(context.GetWorkspaceSizes(context.GetWorkspaceNum()),
                                 context.GetWorkspaceSizes(context.GetWorkspaceNum()) + context.GetWorkspaceNum());
    if (status != ge::GRAPH_SUCCESS) {
        run.report.error("tiling-failed",
                         run.manifest.op + " do tiling failed, ret is " + std::to_string(static_cast<int32_t>(status)) +
                             "." + (run.report.log.empty() ? "" : " Its log says: " + run.report.log),
                         kTilingDocument);
        return false;
    }
    if (run.report.tiling_bytes > context.GetRawTilingData()->GetCapacity()) {
        run.report.error("tiling-failed", "SetDataSize(" + std::to_string(run.report.tiling_bytes) +
                                              ") is more than the tiling buffer holds.",
                         kTilingDocument);
        return false;
    }
    launch.block_dim = context.GetBlockDim();
    launch.tiling_key = context.GetTilingKey();
    launch.tiling = static_cast<uint8_t*>(context.GetRawTilingData()->GetData());
    launch.tiling_bytes = run.report.tiling_bytes;
    return true;
}

std::shared_ptr<void> compile_info(Run& run, fe::PlatFormInfos& platform) {
    if (run.functions.make_compile_info == nullptr) {
        return nullptr;
    }
    std::shared_ptr<void> info = run.functions.make_compile_info();
    if (run.functions.tiling_parse != nullptr) {
        gert::TilingParseContext context(run.call, platform, info.get());
        if (run.functions.tiling_parse(&context) != ge::GRAPH_SUCCESS) {
            run.report.error("tiling-failed", "TilingParse of " + run.manifest.op + " failed.", kTilingDocument);
        }
    }
    return info;
}

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

/// Arguments in the order of the definition; every tensor is registered as global memory.
bool collect_arguments(Run& run, Launch& launch, std::vector<uint8_t*>& pointers) {
    std::vector<uint8_t*> input_data;
    for (size_t at = 0; at < run.manifest.inputs.size(); ++at) {
        launch.arguments.push_back({run.manifest.inputs[at].name, run.inputs[at].data(), run.inputs[at].bytes(), true});
        input_data.push_back(run.inputs[at].data());
    }
    for (size_t at = 0; at < run.manifest.outputs.size(); ++at) {
        const bool shared = run.output_data[at] != run.outputs[at].data();
        if (!shared) {
            launch.arguments.push_back({run.manifest.outputs[at].name, run.outputs[at].data(), run.outputs[at].bytes(), false});
        } else {
            for (GmArgument& argument : launch.arguments) {
                argument.is_input = argument.is_input && argument.data != run.output_data[at];
            }
        }
    }
    return collect_parameters(run, launch, run.definition->Inputs(), run.manifest.inputs, input_data, pointers) &&
           collect_parameters(run, launch, run.definition->Outputs(), run.manifest.outputs, run.output_data, pointers);
}

void finish_outputs(Run& run) {
    for (size_t at = 0; at < run.manifest.outputs.size(); ++at) {
        const TensorLine& line = run.manifest.outputs[at];
        const size_t bytes = static_cast<size_t>(elements(line.shape)) * static_cast<size_t>(ge::GetSizeByDataType(line.type));
        write_file(line.path, run.output_data[at], bytes);
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
    make_outputs(run);
    if (!infer(run)) {
        return;
    }
    run.report.phase = "tiling";
    fe::PlatFormInfos platform(run.manifest.soc.c_str());
    const std::shared_ptr<void> info = compile_info(run, platform);
    gert::TilingContext context(run.call, platform, info.get());
    Launch launch;
    std::vector<uint8_t*> pointers;
    if (!run.report.findings.empty() || !tile(run, context, launch) || !collect_arguments(run, launch, pointers)) {
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
    pointers.push_back(workspace.data());
    pointers.push_back(tiling.data());
    run.report.phase = "kernel";
    run.report.launch = launch_candidate(launch, pointers.data());
    run.report.phase = "done";
    if (run.report.launch.completed) {
        finish_outputs(run);
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
