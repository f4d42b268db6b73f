// Outputs that start with a value: InitValue in the definition and SetNeedAtomic(true) in the tiling
// function, which take effect together, as documented (Ascend C guide, OpParamDef InitValue).
#pragma once

#include <cstring>
#include <vector>

#include "run.h"
#include "twin/core/floats.h"
#include "twin/host/tiling_context.h"

namespace twin {
namespace runner {

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

/// Notes for every output the value it starts with.
inline void note_initial_values(Run& run, const gert::TilingContext& context) {
    for (size_t at = 0; context.NeedAtomic() && at < run.manifest.outputs.size(); ++at) {
        const TensorLine& line = run.manifest.outputs[at];
        const ops::OpParamDef* def = output_definition(run, line);
        const ops::ScalarVar* value = def == nullptr ? nullptr : def->InitialValue(line.type);
        if (value != nullptr) {
            run.report.made[at].initial = bytes_of(*value);
        }
    }
}

}  // namespace runner
}  // namespace twin
