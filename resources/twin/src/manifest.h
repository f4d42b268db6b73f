// The launch manifest: what the judge asks the runner to do, one directive a line, fields separated by tabs.
//
//   sage-twin-launch  1
//   operator          <OpDef name>
//   kernel            <entry name>
//   soc               <name of twin/soc_data.h>
//   time_limit        <CPU seconds the kernel may use, and seconds it may sleep>
//   strict            <0|1>
//   fast              <0|1>
//   source_root       <prefix stripped from file names in findings>
//   report            <path of the JSON report to write>
//   input             <index in the definition> <name> <dtype> <shape> <strides> <path>
//   absent            <index in the definition> <name>                  an optional input that is not given
//   output            <name> <dtype> <shape> <path> <0|1> [<kept> <0|1>]  1: nobody looks at it, InferShape gives its shape
//                                                                         in this room; leading elements to hand back (all
//                                                                         when left out); 1: it starts as zeros
//   attribute         <name> <int|float|bool|str|int_list|float_list|bool_list|none> <value>  none: the call leaves it out
//
// Shapes and strides (in elements) are comma separated, `-` for none; several `input` lines with one index, and
// consecutive `output` lines with one name, are a tensor list. Every field is percent-encoded where it holds %, tab or line break.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
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
    std::string path;              ///< empty: absent optional input
    bool absent = false;
    bool open = false;  ///< an output whose shape InferShape decides
    int64_t room = 0;   ///< elements there is memory for when that is more than the shape has
    int64_t kept = 0;   ///< leading elements of an output that are its result
    bool zero = false;  ///< an output that starts as zeros
};

struct AttributeLine {
    std::string name;
    std::string type;
    std::string value;
};

struct Manifest {
    std::string op;
    std::string kernel;
    std::string soc = "Ascend910B1";
    std::string source_root;
    std::string report;
    double time_limit_s = 10;
    bool strict = false;
    bool fast = false;
    std::vector<TensorLine> inputs;
    std::vector<TensorLine> outputs;
    std::vector<AttributeLine> attributes;
};

struct TypeName {
    const char* name;
    ge::DataType type;
};
constexpr TypeName kTypeNames[] = {
    {"float32", ge::DT_FLOAT}, {"float16", ge::DT_FLOAT16}, {"bfloat16", ge::DT_BF16}, {"int8", ge::DT_INT8},
    {"int16", ge::DT_INT16},   {"int32", ge::DT_INT32},     {"int64", ge::DT_INT64},   {"uint8", ge::DT_UINT8},
    {"uint16", ge::DT_UINT16}, {"uint32", ge::DT_UINT32},   {"uint64", ge::DT_UINT64}, {"bool", ge::DT_BOOL},
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

/// Reads the manifest at `path`. Throws std::exception when it is missing or malformed (a fault of the judge).
inline Manifest read_manifest(const char* path) {
    std::ifstream file(path);
    Manifest manifest;
    std::string line;
    if (!std::getline(file, line) || line != "sage-twin-launch\t1") {
        throw std::runtime_error(std::string("not a launch manifest: ") + path);
    }
    while (std::getline(file, line)) {
        const std::vector<std::string> fields = split(line, '\t');
        const std::string& directive = fields[0];
        if (directive == "operator") {
            manifest.op = decode(fields.at(1));
        } else if (directive == "kernel") {
            manifest.kernel = decode(fields.at(1));
        } else if (directive == "soc") {
            manifest.soc = decode(fields.at(1));
        } else if (directive == "time_limit") {
            manifest.time_limit_s = std::strtod(fields.at(1).c_str(), nullptr);
        } else if (directive == "strict") {
            manifest.strict = fields.at(1) == "1";
        } else if (directive == "fast") {
            manifest.fast = fields.at(1) == "1";
        } else if (directive == "source_root") {
            manifest.source_root = decode(fields.at(1));
        } else if (directive == "report") {
            manifest.report = decode(fields.at(1));
        } else if (directive == "input") {
            TensorLine tensor = tensor_line(fields, 2);
            tensor.index = static_cast<size_t>(std::strtoull(fields.at(1).c_str(), nullptr, 10));
            tensor.strides = integers(fields.at(5));
            tensor.path = decode(fields.at(6));
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
            tensor.path = decode(fields.at(4));
            tensor.open = fields.at(5) == "1";
            tensor.kept = 1;
            for (const int64_t dim : tensor.shape) {
                tensor.kept *= dim;
            }
            if (fields.size() > 7) {
                tensor.kept = std::strtoll(fields[6].c_str(), nullptr, 10);
                tensor.zero = fields[7] == "1";
            }
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
