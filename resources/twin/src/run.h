// One call of an operator as op_host sees it: its definition and the description the contexts read.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "contiguity.h"
#include "definition.h"
#include "fault.h"
#include "manifest.h"
#include "memory.h"
#include "tiling_report.h"
#include "twin/host/guard.h"
#include "twin/host/platform.h"
#include "twin/host/registry.h"

namespace twin {
namespace runner {

constexpr const char* kShapeDocument = "Ascend C guide, output shape depending on computation";
constexpr const char* kTilingDocument = "Ascend C guide, host-side tiling implementation";

/// One call: the description of its tensors, and the values of those op_host may see.
struct Run {
    Manifest manifest;
    Report report;
    const ops::OpDef* definition = nullptr;
    host::Functions functions;
    host::Call call;
    std::string values;                ///< bytes of the inputs whose values op_host may see
    std::vector<Buffer> inputs;        ///< these inputs as memory
    std::vector<std::string> guarded;  ///< names of the inputs behind the device memory guard, by index
};

inline gert::StorageShape storage_shape(const std::vector<int64_t>& dims) {
    gert::StorageShape shape;
    for (const int64_t dim : dims) {
        shape.MutableOriginShape().AppendDim(dim);
        shape.MutableStorageShape().AppendDim(dim);
    }
    return shape;
}

/// Format of a tensor of `rank` dimensions: what PyTorch's adapter calls it where the definition has that
/// format and not ND, which stands for all.
inline ge::Format format_of(const ops::OpParamDef& def, size_t rank) {
    const auto declared = [&](ge::Format format) {
        return std::find(def.Formats().begin(), def.Formats().end(), format) != def.Formats().end();
    };
    const ge::Format named = rank == 3   ? ge::FORMAT_NCL
                             : rank == 4 ? ge::FORMAT_NCHW
                             : rank == 5 ? ge::FORMAT_NCDHW
                                         : ge::FORMAT_ND;
    return !declared(ge::FORMAT_ND) && declared(named) ? named : ge::FORMAT_ND;
}

inline bool find_definition(Run& run) {
    const host::Registry& registry = host::Registry::Get();
    run.definition = registry.Find(run.manifest.op);
    if (run.definition == nullptr) {
        std::string registered;
        for (const auto& definition : registry.Definitions()) {
            registered += (registered.empty() ? "" : ", ") + definition->Type();
        }
        run.report.error("operator-definition",
                         "op_host registers no OpDef called " + run.manifest.op +
                             " (OP_ADD found: " + (registered.empty() ? "none" : registered) + ").",
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
           check_contiguity(*run.definition, run.manifest, run.report) &&
           fill_attributes(*run.definition, run.manifest, run.call.attributes, run.report);
}

inline bool needs_value(const Run& run, size_t index, const ops::OpParamDef& def) {
    bool needed = def.NeedsValue();
    for (const size_t depended : run.functions.value_depend) {
        needed = needed || depended == index;
    }
    return needed;
}

/// Memory with the values of an input that op_host reads; null, with a finding, where the framework has none
/// to give.
inline void* host_values(Run& run, const TensorLine& line) {
    if (line.offset < 0 || static_cast<size_t>(line.offset) + line.bytes > run.values.size()) {
        run.report.error(
            "value-depend",
            "OpDef " + run.manifest.op + " declares ValueDepend on " + line.name +
                ", whose values are computed on the device; only inputs of at most 128 integers (lengths, "
                "indices, axes) have values when the tiling is made. Read it in the kernel.",
            "Ascend C guide, ValueDepend");
        return nullptr;
    }
    run.inputs.emplace_back(line.bytes, kPoison, false);
    std::memcpy(run.inputs.back().data(), run.values.data() + line.offset, line.bytes);
    return run.inputs.back().data();
}

/// Where the tensors of each parameter stand when they are counted one parameter behind the other.
inline std::vector<gert::AnchorInstanceInfo> ranges_of(const std::vector<size_t>& counts) {
    std::vector<gert::AnchorInstanceInfo> ranges;
    size_t start = 0;
    for (const size_t count : counts) {
        ranges.emplace_back(start, count);
        start += count;
    }
    return ranges;
}

inline void load_inputs(Run& run) {
    std::vector<const ops::OpParamDef*> defs;
    const std::string unit = compute_unit(run.manifest.soc);
    for (const ops::OpParamDef& def : run.definition->Inputs()) {
        defs.push_back(&def);
        const bool takes_strided = takes_strides(*run.definition, def, unit);
        run.report.inputs.push_back({def.Kind() == ops::DYNAMIC, !takes_strided, false});
    }
    for (const ops::OpParamDef& def : run.definition->Outputs()) {
        run.report.outputs.push_back({def.Kind() == ops::DYNAMIC, false, def.HasShapeByKernel()});
    }
    std::vector<size_t> counts(defs.size(), 0);
    for (const TensorLine& line : run.manifest.inputs) {
        if (line.absent) {
            continue;
        }
        host::TensorInfo info;
        info.shape = storage_shape(line.shape);
        info.desc.SetDataType(line.type);
        info.desc.SetFormat(format_of(*defs[line.index], line.shape.size()));
        const bool on_host = needs_value(run, line.index, *defs[line.index]);
        const size_t guard_index = run.guarded.size();
        run.guarded.push_back(line.name);
        void* address =
            on_host ? host_values(run, line) : host::DeviceMemoryGuard::Get().Address(guard_index);
        info.tensor.Describe(info.shape, line.type, address, line.bytes,
                             on_host ? gert::kOnHost : gert::kOnDeviceHbm);
        run.call.inputs.push_back(info);
        ++counts[line.index];
    }
    run.call.node.Describe(run.manifest.op, run.call.inputs.size(), run.manifest.outputs.size(),
                           ranges_of(counts));
}

inline void describe_outputs(Run& run) {
    std::vector<const ops::OpParamDef*> defs;
    for (const ops::OpParamDef& def : run.definition->Outputs()) {
        defs.push_back(&def);
    }
    std::vector<size_t> counts(defs.size(), 0);
    for (const TensorLine& line : run.manifest.outputs) {
        host::TensorInfo info;
        info.shape = storage_shape(line.shape);
        info.desc.SetDataType(line.type);
        if (line.index < defs.size()) {  // an operator that changes its inputs may declare no output
            info.desc.SetFormat(format_of(*defs[line.index], line.shape.size()));
            ++counts[line.index];
        }
        run.call.outputs.push_back(info);
    }
    run.call.node.DescribeOutputs(ranges_of(counts));
}

/// Gives outputs that nobody looks at the shape InferShape found. How much room the caller has for them is
/// not known, so they keep what the judge gave. One that is updated in place has the shape of its input.
inline void take_open_shapes(Run& run) {
    for (size_t at = 0; at < run.manifest.outputs.size(); ++at) {
        TensorLine& line = run.manifest.outputs[at];
        const Inferred& inferred = run.report.inferred[at];
        const bool in_place = std::any_of(run.manifest.inputs.begin(), run.manifest.inputs.end(),
                                          [&](const TensorLine& input) { return input.name == line.name; });
        const bool known =
            std::all_of(inferred.shape.begin(), inferred.shape.end(), [](int64_t dim) { return dim >= 0; });
        if (line.open && !in_place && inferred.has_shape && known) {
            line.room = elements(line.shape);
            line.shape = inferred.shape;
            line.kept = elements(line.shape);
            run.call.outputs[at].shape = storage_shape(line.shape);
        }
    }
}

inline const ops::OpParamDef* output_definition(const Run& run, const TensorLine& line) {
    size_t index = 0;
    for (const ops::OpParamDef& def : run.definition->Outputs()) {
        if (index++ == line.index) {
            return &def;
        }
    }
    return nullptr;
}

inline bool has_shape_by_kernel(const Run& run, const TensorLine& line) {
    const ops::OpParamDef* def = output_definition(run, line);
    return def != nullptr && def->HasShapeByKernel();
}

/// Elements the caller allocates for an output: where the kernel decides its shape it can have as many
/// elements as the largest input, or as InferShape says.
inline int64_t output_room(const Run& run, size_t at) {
    const TensorLine& line = run.manifest.outputs[at];
    int64_t most = std::max(elements(line.shape), line.room);
    if (has_shape_by_kernel(run, line)) {
        most = std::max(most, elements(run.report.inferred[at].shape));
        for (const TensorLine& input : run.manifest.inputs) {
            most = std::max(most, input.absent ? 0 : elements(input.shape));
        }
    }
    return most;
}

/// Says how much room every output needs. Tiling sees how long a vector the caller has room for where the
/// kernel decides the shape: InferShape can only give bounds. Source: Ascend C guide, "Kernel-side output
/// shape depending on computation".
inline void make_outputs(Run& run) {
    for (size_t at = 0; at < run.manifest.outputs.size(); ++at) {
        const TensorLine& line = run.manifest.outputs[at];
        run.report.made.push_back({output_room(run, at), {}});
        if (!has_shape_by_kernel(run, line)) {
            continue;
        }
        run.report.inferred[at].has_shape = false;
        if (line.shape.size() == 1) {
            run.call.outputs[at].shape = storage_shape({run.report.made[at].room});
        }
    }
}

}  // namespace runner
}  // namespace twin
