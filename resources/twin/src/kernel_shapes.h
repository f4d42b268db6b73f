// Outputs of which the framework knows more than a tensor: a value to start from, a shape that the kernel
// decides.
//
// A kernel with outputs declared OutputShapeDependOnCompute gets one more address, behind its outputs, and
// writes nine 64-bit numbers for each of them there: the rank, then up to eight dimensions. The caller's
// tensor has room for the largest result. Source: Ascend C guide, "Kernel-side output shape depending on
// computation"; OpParamDef InitValue.
#pragma once

#include <cstring>
#include <vector>

#include "run.h"
#include "twin/core/floats.h"
#include "twin/host/tiling_context.h"

namespace twin {
namespace runner {

constexpr size_t kShapeNumbers = 9;           ///< of one output: rank and eight dimensions
constexpr uint64_t kWideShape = 0x80000000u;  ///< flag in the rank of an output of uint64_t

/// Memory for the shapes the kernel decides, empty when it decides none. Tiling sees how long a vector the
/// caller has room for, not the result.
inline void make_kernel_shapes(Run& run) {
    size_t count = 0;
    for (size_t at = 0; at < run.manifest.outputs.size(); ++at) {
        const TensorLine& line = run.manifest.outputs[at];
        if (!has_shape_by_kernel(run, line)) {
            continue;
        }
        run.report.inferred[at].has_shape = false;  // InferShape can only give bounds
        if (line.shape.size() == 1) {
            const auto size = static_cast<size_t>(ge::GetSizeByDataType(line.type));
            run.call.outputs[at].shape =
                storage_shape({static_cast<int64_t>(run.outputs[at].bytes() / size)});
        }
    }
    for (const ops::OpParamDef& def : run.definition->Outputs()) {
        count += def.HasShapeByKernel() ? 1 : 0;
    }
    run.kernel_shapes = Buffer(count * kShapeNumbers * sizeof(uint64_t), kIntegerPoison, true);
}

/// Puts the shapes the kernel wrote in the place of what InferShape said.
inline void read_kernel_shapes(Run& run) {
    std::vector<uint64_t> numbers(run.kernel_shapes.bytes() / sizeof(uint64_t));
    std::memcpy(numbers.data(), run.kernel_shapes.data(), numbers.size() * sizeof(uint64_t));
    size_t slot = 0;
    for (size_t at = 0; at < run.manifest.outputs.size(); ++at) {
        if (!has_shape_by_kernel(run, run.manifest.outputs[at])) {
            continue;
        }
        const uint64_t* written = numbers.data() + slot++ * kShapeNumbers;
        const uint64_t rank = written[0] & ~kWideShape;
        Inferred& decided = run.report.inferred[at];
        decided.has_shape = decided.by_kernel = true;
        decided.shape.clear();
        if (rank < kShapeNumbers) {
            decided.shape.assign(written + 1, written + 1 + rank);
        } else {
            run.report.error(
                "kernel-shape",
                "The kernel gives " + run.manifest.outputs[at].name +
                    " no shape: the shape of an output "
                    "declared OutputShapeDependOnCompute has a rank of at most 8 in its first number.",
                kShapeDocument);
        }
    }
}

/// The bytes of one number as memory holds it.
inline std::vector<uint8_t> bytes_of(const ops::ScalarVar& value) {
    constexpr size_t kSizes[] = {8, 8, 4, 4, 2, 2, 1, 1, 4, 2};  // in the order of ops::ScalarType
    const auto type = static_cast<size_t>(value.scalar_type);
    std::vector<uint8_t> bytes(type < sizeof(kSizes) / sizeof(kSizes[0]) ? kSizes[type] : 1);
    const uint16_t rounded = half_bits(value.scalar_num.value_f32);
    const bool is_half = value.scalar_type == ops::ScalarType::FLOAT16;
    std::memcpy(bytes.data(), is_half ? static_cast<const void*>(&rounded) : &value.scalar_num, bytes.size());
    return bytes;
}

/// Gives outputs the value their definition asks for; true for each that got one. It takes both InitValue in
/// the definition and SetNeedAtomic(true) in the tiling function, as documented.
inline std::vector<bool> set_initial_values(Run& run, const gert::TilingContext& context) {
    std::vector<bool> is_set(run.manifest.outputs.size(), false);
    for (size_t at = 0; context.NeedAtomic() && at < run.manifest.outputs.size(); ++at) {
        const TensorLine& line = run.manifest.outputs[at];
        const ops::OpParamDef* def = output_definition(run, line);
        const ops::ScalarVar* value = def == nullptr ? nullptr : def->InitialValue(line.type);
        if (value == nullptr) {
            continue;
        }
        const std::vector<uint8_t> bytes = bytes_of(*value);
        for (size_t place = 0; place < output_bytes(line); ++place) {
            run.output_data[at][place] = bytes[place % bytes.size()];
        }
        is_set[at] = true;
    }
    return is_set;
}

}  // namespace runner
}  // namespace twin
