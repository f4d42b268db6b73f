// Checks the operator definition against the call and turns the manifest into what the contexts hand out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <string>
#include <vector>

#include "manifest.h"
#include "tiling_report.h"
#include "twin/host/registry.h"
#include "twin/soc_data.h"

namespace twin {
namespace runner {

constexpr const char* kDefinitionDocument = "Ascend C guide, operator prototype definition (OpDef)";

/// The compute unit CANN's AddConfig() knows a SoC by.
inline std::string compute_unit(const std::string& soc) {
    const Soc* found = find_soc(soc.c_str());
    return found == nullptr ? "ascend910b" : found->compute_unit;
}

/// Outputs that share their name with an input.
inline size_t changed_inputs(const Manifest& manifest) {
    size_t count = 0;
    for (size_t at = 0; at < manifest.outputs.size(); ++at) {
        const TensorLine& output = manifest.outputs[at];
        const bool first = at == 0 || manifest.outputs[at - 1].index != output.index;
        count += first && std::any_of(manifest.inputs.begin(), manifest.inputs.end(),
                                      [&](const TensorLine& input) { return input.name == output.name; })
                     ? 1
                     : 0;
    }
    return count;
}

inline bool check_counts(const ops::OpDef& definition, const Manifest& manifest, Report& report) {
    size_t inputs = 0;
    for (const TensorLine& line : manifest.inputs) {
        inputs = std::max(inputs, line.index + 1);
    }
    size_t outputs = manifest.outputs.empty() ? 0 : manifest.outputs.back().index + 1;
    if (definition.Outputs().empty() && outputs == changed_inputs(manifest)) {
        outputs = 0;  // in CANN an operator may change its inputs and declare no output
    }
    if (definition.Inputs().size() != inputs || definition.Outputs().size() != outputs) {
        report.error("operator-definition",
                     "OpDef " + manifest.op + " declares " + std::to_string(definition.Inputs().size()) +
                         " inputs and " + std::to_string(definition.Outputs().size()) +
                         " outputs; the operator has " + std::to_string(inputs) + " and " +
                         std::to_string(outputs) + ".",
                     kDefinitionDocument);
        return false;
    }
    const std::string unit = compute_unit(manifest.soc);
    const auto& socs = definition.Core().Socs();
    if (std::find(socs.begin(), socs.end(), unit) == socs.end()) {
        report.error("operator-definition",
                     "OpDef " + manifest.op + " has no AICore().AddConfig(\"" + unit +
                         "\"), so nothing is built for " + manifest.soc + ".",
                     kDefinitionDocument);
        return false;
    }
    return true;
}

/// One parameter of the definition with the dtype of this call; `given` is false for an absent optional
/// input.
struct Use {
    const ops::OpParamDef* def;
    ge::DataType type;
    bool given;
};

inline std::vector<Use> uses_of(const ops::OpDef& definition, const Manifest& manifest) {
    std::vector<Use> uses;
    size_t index = 0;
    for (const ops::OpParamDef& def : definition.Inputs()) {
        Use use{&def, ge::DT_UNDEFINED, false};
        for (const TensorLine& line : manifest.inputs) {
            if (line.index == index && !line.absent) {
                use.type = line.type;
                use.given = true;
            }
        }
        uses.push_back(use);
        ++index;
    }
    index = 0;
    for (const ops::OpParamDef& def : definition.Outputs()) {
        for (const TensorLine& line : manifest.outputs) {
            if (line.index == index) {
                uses.push_back({&def, line.type, true});
                break;
            }
        }
        ++index;
    }
    return uses;
}

/// DataType lists are read as columns: some column must hold the dtypes of the call.
inline bool check_types(const ops::OpDef& definition, const Manifest& manifest, Report& report) {
    const std::vector<Use> uses = uses_of(definition, manifest);
    size_t columns = 0;
    for (const Use& use : uses) {
        if (use.def->Follows().empty() && !use.def->AnyCombination()) {
            const size_t count = use.def->Types().size();
            if (count == 0 || (columns != 0 && count != columns)) {
                report.error("operator-definition",
                             "OpDef " + manifest.op + ": DataType of " + use.def->Name() + " lists " +
                                 std::to_string(count) + " types where the others list " +
                                 std::to_string(columns) + ".",
                             kDefinitionDocument);
                return false;
            }
            columns = count;
        }
    }
    const auto fits = [](const Use& use, size_t column) {
        const auto& types = use.def->Types();
        if (!use.given || !use.def->Follows().empty()) {
            return true;
        }
        if (use.def->AnyCombination()) {
            return std::find(types.begin(), types.end(), use.type) != types.end();
        }
        return types[column] == use.type;
    };
    for (size_t column = 0; column < std::max<size_t>(columns, 1); ++column) {
        if (std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return fits(use, column); })) {
            return true;
        }
    }
    std::string call;
    for (const Use& use : uses) {
        if (use.given) {
            call += (call.empty() ? "" : ", ") + use.def->Name() + "=" + name_of(use.type);
        }
    }
    report.error("dtype-support", "OpDef " + manifest.op + " has no DataType column for " + call + ".",
                 kDefinitionDocument);
    return false;
}

inline std::vector<std::string> list_items(const std::string& value) {
    return value.empty() ? std::vector<std::string>() : split(value, ',');
}

/// Adds one attribute in the type the definition declares; false when the value cannot be of that type.
inline bool add_attribute(gert::RuntimeAttrs& attributes, const ops::OpAttrDef& def,
                          const AttributeLine* given) {
    using Type = ops::OpAttrDef::Type;
    const ops::OpAttrDef::Value& fallback = def.Default();
    const std::string type = given == nullptr ? "" : given->type;
    const std::string text = given == nullptr ? "" : given->value;
    const auto is = [&](const char* a, const char* b = "", const char* c = "") {
        return given == nullptr || type == a || type == b || type == c;
    };
    switch (def.ValueType()) {
        case Type::kBool:
            attributes.AddBool(given == nullptr ? fallback.integer != 0 : text == "1");
            return is("bool", "int");
        case Type::kInt:
            attributes.AddInt(given == nullptr ? fallback.integer : std::strtoll(text.c_str(), nullptr, 10));
            return is("int", "bool");
        case Type::kFloat:
            attributes.AddFloat(given == nullptr ? fallback.real : std::strtof(text.c_str(), nullptr));
            return is("float", "int");
        case Type::kText:
            attributes.AddText(given == nullptr ? fallback.text : text);
            return is("str");
        case Type::kInts: {
            std::vector<int64_t> values = fallback.ints;
            if (given != nullptr) {
                values = integers(text);
            }
            attributes.AddList(values);
            return is("int_list");
        }
        case Type::kFloats: {
            std::vector<float> values = fallback.reals;
            if (given != nullptr) {
                values.clear();
                for (const std::string& item : list_items(text)) {
                    values.push_back(std::strtof(item.c_str(), nullptr));
                }
            }
            attributes.AddList(values);
            return is("float_list", "int_list");
        }
        case Type::kBools: {
            std::vector<bool> values = fallback.bools;
            if (given != nullptr) {
                values.clear();
                for (const std::string& item : list_items(text)) {
                    values.push_back(item == "1");
                }
            }
            attributes.AddList(values);
            return is("bool_list");
        }
        default:
            return false;
    }
}

/// Attributes by name when every given name is declared, else by position, as the generated aclnn call does.
inline bool fill_attributes(const ops::OpDef& definition, const Manifest& manifest,
                            gert::RuntimeAttrs& attributes, Report& report) {
    const std::list<ops::OpAttrDef>& defs = definition.Attributes();
    const auto declared = [&](const AttributeLine& line) {
        return std::any_of(defs.begin(), defs.end(),
                           [&](const ops::OpAttrDef& def) { return def.Name() == line.name; });
    };
    const bool by_name = std::all_of(manifest.attributes.begin(), manifest.attributes.end(), declared);
    size_t position = 0;
    for (const ops::OpAttrDef& def : defs) {
        const AttributeLine* given = nullptr;
        if (by_name) {
            for (const AttributeLine& line : manifest.attributes) {
                given = line.name == def.Name() ? &line : given;
            }
        } else if (position < manifest.attributes.size()) {
            given = &manifest.attributes[position];
        }
        ++position;
        const bool left_out = given != nullptr && given->type == "none";
        given = left_out ? nullptr : given;
        if (given == nullptr && !def.HasDefault() && def.Kind() == ops::REQUIRED) {
            report.error("operator-definition",
                         "OpDef " + manifest.op + " requires attribute " + def.Name() + ", which " +
                             (left_out ? "this call leaves out: make it AttrType(OPTIONAL) with a default."
                                       : "the operator does not have."),
                         kDefinitionDocument);
            return false;
        }
        if (!add_attribute(attributes, def, given)) {
            report.error("operator-definition",
                         "OpDef " + manifest.op + " declares attribute " + def.Name() +
                             " in a type that cannot hold " +
                             (given == nullptr ? "its default" : given->type + " " + given->value) + ".",
                         kDefinitionDocument);
            return false;
        }
    }
    if (!by_name && manifest.attributes.size() > defs.size()) {
        report.error("operator-definition",
                     "OpDef " + manifest.op + " declares " + std::to_string(defs.size()) +
                         " attributes; the operator has " + std::to_string(manifest.attributes.size()) + ".",
                     kDefinitionDocument);
        return false;
    }
    return true;
}

}  // namespace runner
}  // namespace twin
