// What CANN's single-operator API does with an input that is not contiguous.
//
// An input that declares AutoContiguous is converted before the operator sees it; one that declares
// IgnoreContiguous is handed over as it lies in memory, because the framework then ignores its check of
// contiguity; any other is refused by that check. (CANN API reference, OpParamDef, AutoContiguous and
// IgnoreContiguous, 8.0 to 9.0.) Since 9.1.0-beta1 the reference adds that one input with AutoContiguous has
// all others without IgnoreContiguous converted as well.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "definition.h"
#include "manifest.h"
#include "tiling_report.h"
#include "twin/host/registry.h"

namespace twin {
namespace runner {

constexpr const char* kContiguityDocument =
    "CANN API reference, OpParamDef: AutoContiguous, IgnoreContiguous";

/// Whether the memory of a tensor differs from that of a contiguous one: axes of one element have no say, and
/// neither has a tensor of at most one element.
inline bool is_strided(const TensorLine& line) {
    int64_t dense = 1;
    bool differs = false;
    for (size_t axis = line.strides.size(); axis-- > 0;) {
        differs = differs || (line.shape[axis] != 1 && line.strides[axis] != dense);
        dense *= line.shape[axis];
    }
    return differs && dense > 1;
}

/// Whether the definition, or its configuration of compute unit `unit`, has `def` converted.
inline bool asks_for_contiguous(const ops::OpDef& definition, const ops::OpParamDef& def,
                                const std::string& unit) {
    const ops::OpParamDef* refined = definition.Core().Refined(unit, def.Name());
    return def.AsksForContiguous() || (refined != nullptr && refined->AsksForContiguous());
}

/// Whether the operator gets `def` as it lies in memory.
inline bool takes_strides(const ops::OpDef& definition, const ops::OpParamDef& def, const std::string& unit) {
    const ops::OpParamDef* refined = definition.Core().Refined(unit, def.Name());
    return def.TakesStrides() || (refined != nullptr && refined->TakesStrides());
}

/// What the definition says about its inputs, beside those of this call that are not contiguous.
struct Contiguity {
    std::string strided;     ///< inputs of this call that are not contiguous and declare nothing
    std::string undeclared;  ///< all inputs that declare nothing: another call may find them strided
    std::string converting;  ///< the first input that declares AutoContiguous
};

inline Contiguity contiguity_of(const ops::OpDef& definition, const Manifest& manifest) {
    const std::string unit = compute_unit(manifest.soc);
    const auto add = [](std::string& names, const std::string& name) {
        names += (names.empty() ? "" : ", ") + name;
    };
    Contiguity found;
    size_t index = 0;
    for (const ops::OpParamDef& def : definition.Inputs()) {
        const bool strided = std::any_of(
            manifest.inputs.begin(), manifest.inputs.end(),
            [&](const TensorLine& line) { return line.index == index && !line.absent && is_strided(line); });
        ++index;
        if (asks_for_contiguous(definition, def, unit)) {
            found.converting = found.converting.empty() ? def.Name() : found.converting;
        } else if (!takes_strides(definition, def, unit)) {
            add(found.undeclared, def.Name());
            if (strided) {
                add(found.strided, def.Name());
            }
        }
    }
    return found;
}

/// Refuses a call with inputs that are not contiguous where the definition declares nothing about it. The
/// finding names inputs and remedy and no number of the call, so that it may be told of a hidden case too;
/// every input that declares nothing is its subject, so that the cases of an operator share one finding.
inline bool check_contiguity(const ops::OpDef& definition, const Manifest& manifest, Report& report) {
    const Contiguity found = contiguity_of(definition, manifest);
    if (found.strided.empty()) {
        return true;
    }
    FindingRecord finding;
    finding.rule = "contiguity";
    finding.core = -1;
    finding.tensor = found.undeclared;
    finding.link = kContiguityDocument;
    const std::string what = found.strided + ": not contiguous in this call (a transposed or sliced view)";
    const std::string remedy = "Add .AutoContiguous() to every Input of OpDef " + manifest.op +
                               " without either (" + found.undeclared + ")";
    if (found.converting.empty()) {
        finding.severity = "error";
        finding.message =
            what + ", which CANN refuses unless the OpDef says AutoContiguous or IgnoreContiguous. " +
            remedy +
            ": it is then made contiguous before the kernel runs; nothing else changes. IgnoreContiguous "
            "is only for an operator that reads the strides itself.";
    } else {
        finding.severity = "warning";
        finding.message = what + "; converted only because " + found.converting +
                          " declares AutoContiguous, which CANN documents from version 9.1 on. " + remedy +
                          ".";
    }
    report.findings.push_back(finding);
    return !found.converting.empty();
}

}  // namespace runner
}  // namespace twin
