// What op_host decided about one call, as the tiling program answers it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manifest.h"
#include "report.h"

namespace twin {
namespace runner {

struct Inferred {
    std::vector<int64_t> shape;
    bool has_shape = false;
    ge::DataType type = ge::DT_UNDEFINED;
};

/// What the definition says of one input or output, as far as the launch depends on it.
struct ParameterFacts {
    bool is_list = false;          ///< one kernel argument for all tensors of the list
    bool is_contiguous = false;    ///< inputs: the framework makes it contiguous before the launch
    bool shape_by_kernel = false;  ///< outputs: the kernel writes its shape
};

/// What one output needs before the launch.
struct OutputFacts {
    int64_t room = 0;              ///< elements the caller allocates
    std::vector<uint8_t> initial;  ///< bytes of the value it starts with; empty: it starts with anything
};

/// Everything the judge learns from op_host. `phase` is the last one entered: definition, infer-shape,
/// infer-type, tiling, done.
struct Report {
    std::string phase = "definition";
    std::vector<FindingRecord> findings;
    std::vector<Inferred> inferred;
    std::vector<ParameterFacts> inputs, outputs;  ///< parameters of the definition
    std::vector<OutputFacts> made;                ///< by output line of the request
    uint32_t block_dim = 0;
    uint64_t tiling_key = 0;
    std::vector<uint8_t> tiling;
    std::vector<size_t> workspaces;
    std::string log;

    void error(const std::string& rule, const std::string& message, const std::string& link) {
        findings.push_back(error_finding(rule, message, link));
    }
};

inline std::string hex(const std::vector<uint8_t>& bytes) {
    std::string text;
    for (const uint8_t byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

inline void write_numbers(JsonWriter& json, const char* name, const std::vector<int64_t>& numbers) {
    json.key(name);
    json.open('[');
    for (const int64_t number : numbers) {
        json.value(number);
    }
    json.close(']');
}

inline void write_parameters(JsonWriter& json, const char* name,
                             const std::vector<ParameterFacts>& parameters) {
    json.key(name);
    json.open('[');
    for (const ParameterFacts& parameter : parameters) {
        json.open('{');
        json.member("is_list", parameter.is_list);
        json.member("is_contiguous", parameter.is_contiguous);
        json.member("shape_by_kernel", parameter.shape_by_kernel);
        json.close('}');
    }
    json.close(']');
}

inline std::string to_json(const Report& report) {
    JsonWriter json;
    json.open('{');
    json.member("phase", report.phase);
    json.member("log", report.log);
    json.member("block_dim", static_cast<int64_t>(report.block_dim));
    json.member("tiling_key", std::to_string(report.tiling_key));
    json.member("tiling", hex(report.tiling));
    write_numbers(json, "workspaces", {report.workspaces.begin(), report.workspaces.end()});
    write_parameters(json, "inputs", report.inputs);
    write_parameters(json, "outputs", report.outputs);
    json.key("made");
    json.open('[');
    for (const OutputFacts& output : report.made) {
        json.open('{');
        json.member("room", output.room);
        json.member("initial", hex(output.initial));
        json.close('}');
    }
    json.close(']');
    json.key("inferred");
    json.open('[');
    for (const Inferred& output : report.inferred) {
        json.open('{');
        json.member("has_shape", output.has_shape);
        write_numbers(json, "shape", output.shape);
        json.member("dtype", output.type == ge::DT_UNDEFINED ? "" : name_of(output.type));
        json.close('}');
    }
    json.close(']');
    write_findings(json, report.findings);
    json.close('}');
    return json.text();
}

}  // namespace runner
}  // namespace twin
