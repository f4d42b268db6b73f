// What the judge asks of a program about one call of an operator, one directive a line, fields separated by
// tabs. The request lies in a sealed file of its own (a descriptor, no path); every field is percent-encoded
// where it holds %, tab or line break. Shapes and strides (in elements) are comma separated, `-` for none.
//
// The tiling program (tiling_runner.cpp) gets
//   sage-twin-call    1
//   operator          <OpDef name>
//   soc               <name of twin/soc_data.h>
//   source_root       <prefix stripped from file names in findings>
//   input             <index in the definition> <name> <dtype> <shape> <strides> <bytes> <offset|->   - when
//   op_host may
//                     not see the values: they are in device memory; several lines with one index are a
//                     tensor list
//   absent            <index in the definition> <name>                an optional input that is not given
//   output            <name> <dtype> <shape> <0|1> <kept>             1: nobody looks at it, InferShape gives
//   its shape in
//                     this room; leading elements that are the result; consecutive lines with one name are a
//                     tensor list
//   attribute         <name> <int|float|bool|str|int_list|float_list|bool_list> <value>
#pragma once

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "twin/host/types.h"

namespace twin {
namespace runner {

struct TensorLine {
    size_t index = 0;
    std::string name;
    ge::DataType type = ge::DT_UNDEFINED;
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;  ///< empty: contiguous
    size_t bytes = 0;              ///< of an input as it lies in memory
    int64_t offset = -1;           ///< of its values among those op_host may see; -1: in device memory only
    bool absent = false;
    bool open = false;  ///< an output whose shape InferShape decides
    int64_t room = 0;   ///< elements there is memory for when that is more than the shape has
    int64_t kept = 0;   ///< leading elements of an output that are its result
};

struct AttributeLine {
    std::string name;
    std::string type;
    std::string value;
};

struct Manifest {
    std::string op;
    std::string soc = "Ascend910B1";
    std::string source_root;
    std::vector<TensorLine> inputs;
    std::vector<TensorLine> outputs;
    std::vector<AttributeLine> attributes;
};

struct TypeName {
    const char* name;
    ge::DataType type;
};
constexpr TypeName kTypeNames[] = {
    {"float32", ge::DT_FLOAT},  {"float16", ge::DT_FLOAT16},    {"bfloat16", ge::DT_BF16},
    {"int8", ge::DT_INT8},      {"int16", ge::DT_INT16},        {"int32", ge::DT_INT32},
    {"int64", ge::DT_INT64},    {"uint8", ge::DT_UINT8},        {"uint16", ge::DT_UINT16},
    {"uint32", ge::DT_UINT32},  {"uint64", ge::DT_UINT64},      {"bool", ge::DT_BOOL},
    {"float64", ge::DT_DOUBLE}, {"complex64", ge::DT_COMPLEX64}};

inline ge::DataType type_of(const std::string& name) {
    for (const TypeName& entry : kTypeNames) {
        if (name == entry.name) {
            return entry.type;
        }
    }
    throw std::runtime_error("unknown dtype " + name);
}

inline const char* name_of(ge::DataType type) {
    for (const TypeName& entry : kTypeNames) {
        if (type == entry.type) {
            return entry.name;
        }
    }
    return "undefined";
}

inline std::string decode(const std::string& field) {
    std::string text;
    for (size_t at = 0; at < field.size(); ++at) {
        if (field[at] == '%' && at + 2 < field.size()) {
            text += static_cast<char>(std::strtol(field.substr(at + 1, 2).c_str(), nullptr, 16));
            at += 2;
        } else {
            text += field[at];
        }
    }
    return text;
}

inline std::vector<std::string> split(const std::string& line, char separator) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
        if (c == separator) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    return fields;
}

inline std::vector<int64_t> integers(const std::string& field) {
    std::vector<int64_t> values;
    if (field == "-" || field.empty()) {
        return values;
    }
    for (const std::string& part : split(field, ',')) {
        values.push_back(std::strtoll(part.c_str(), nullptr, 10));
    }
    return values;
}

inline TensorLine tensor_line(const std::vector<std::string>& fields, size_t first) {
    TensorLine tensor;
    tensor.name = decode(fields.at(first));
    tensor.type = type_of(fields.at(first + 1));
    tensor.shape = integers(fields.at(first + 2));
    return tensor;
}

/// Reads the description of a call. Throws std::exception when it is malformed (a fault of the judge).
inline Manifest read_manifest(const std::string& text) {
    std::istringstream lines(text);
    Manifest manifest;
    std::string line;
    if (!std::getline(lines, line) || line != "sage-twin-call\t1") {
        throw std::runtime_error("not the description of a call");
    }
    while (std::getline(lines, line)) {
        const std::vector<std::string> fields = split(line, '\t');
        const std::string& directive = fields[0];
        if (directive == "operator") {
            manifest.op = decode(fields.at(1));
        } else if (directive == "soc") {
            manifest.soc = decode(fields.at(1));
        } else if (directive == "source_root") {
            manifest.source_root = decode(fields.at(1));
        } else if (directive == "input") {
            TensorLine tensor = tensor_line(fields, 2);
            tensor.index = static_cast<size_t>(std::strtoull(fields.at(1).c_str(), nullptr, 10));
            tensor.strides = integers(fields.at(5));
            tensor.bytes = static_cast<size_t>(std::strtoull(fields.at(6).c_str(), nullptr, 10));
            tensor.offset = fields.at(7) == "-" ? -1 : std::strtoll(fields[7].c_str(), nullptr, 10);
            manifest.inputs.push_back(tensor);
        } else if (directive == "absent") {
            TensorLine tensor;
            tensor.index = static_cast<size_t>(std::strtoull(fields.at(1).c_str(), nullptr, 10));
            tensor.name = decode(fields.at(2));
            tensor.absent = true;
            manifest.inputs.push_back(tensor);
        } else if (directive == "output") {
            TensorLine tensor = tensor_line(fields, 1);
            const TensorLine* before = manifest.outputs.empty() ? nullptr : &manifest.outputs.back();
            tensor.index = before == nullptr ? 0 : before->index + (before->name == tensor.name ? 0 : 1);
            tensor.open = fields.at(4) == "1";
            tensor.kept = std::strtoll(fields.at(5).c_str(), nullptr, 10);
            manifest.outputs.push_back(tensor);
        } else if (directive == "attribute") {
            manifest.attributes.push_back({decode(fields.at(1)), fields.at(2), decode(fields.at(3))});
        } else {
            throw std::runtime_error("unknown directive " + directive);
        }
    }
    return manifest;
}

}  // namespace runner
}  // namespace twin
