// The report of one run as JSON, and the state a fault handler needs to write one from a signal.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "manifest.h"
#include "twin/launch.h"

namespace twin {
namespace runner {

struct Inferred {
    std::vector<int64_t> shape;
    bool has_shape = false;
    bool by_kernel = false;  ///< the shape is what the kernel wrote, not what InferShape says
    ge::DataType type = ge::DT_UNDEFINED;
};

/// Everything the judge learns from one run. `phase` is the last one entered: definition, infer-shape, infer-type,
/// tiling, kernel, done.
struct Report {
    std::string phase = "definition";
    std::vector<FindingRecord> findings;
    std::vector<Inferred> inferred;
    std::vector<std::string> changed_inputs;
    uint32_t block_dim = 0;
    uint64_t tiling_key = 0;
    size_t tiling_bytes = 0;
    std::vector<size_t> workspaces;
    std::string log;
    LaunchReport launch;

    void error(const std::string& rule, const std::string& message, const std::string& link) {
        FindingRecord finding;
        finding.rule = rule;
        finding.severity = "error";
        finding.message = message;
        finding.core = -1;
        finding.link = link;
        findings.push_back(finding);
    }
};

/// Appends JSON to a string. Control characters are escaped; bytes that are not ASCII pass as they are (the judge
/// decodes with replacement); numbers that JSON cannot hold become null.
class JsonWriter {
public:
    const std::string& text() const { return text_; }

    void open(char bracket) {
        comma();
        text_ += bracket;
        fresh_ = true;
    }
    void close(char bracket) {
        text_ += bracket;
        fresh_ = false;
    }
    void key(const char* name) {
        comma();
        quoted(name);
        text_ += ':';
        fresh_ = true;
    }
    void value(const std::string& text) {
        comma();
        quoted(text);
    }
    void value(const char* text) { value(std::string(text)); }
    void value(bool flag) {
        comma();
        text_ += flag ? "true" : "false";
    }
    void value(double number) {
        comma();
        if (!std::isfinite(number)) {
            text_ += "null";
            return;
        }
        char buffer[40];
        std::snprintf(buffer, sizeof(buffer), "%.17g", number);
        text_ += buffer;
    }
    void value(int64_t number) {
        comma();
        text_ += std::to_string(number);
    }
    template <class T>
    void member(const char* name, const T& content) {
        key(name);
        value(content);
    }

private:
    void comma() {
        if (!fresh_) {
            text_ += ',';
        }
        fresh_ = false;
    }
    void quoted(const std::string& text) {
        text_ += '"';
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\') {
                text_ += '\\';
                text_ += c;
            } else if (byte < 0x20) {
                char escape[8];
                std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
                text_ += escape;
            } else {
                text_ += c;
            }
        }
        text_ += '"';
    }
    std::string text_;
    bool fresh_ = true;
};

inline void write_finding(JsonWriter& json, const FindingRecord& finding) {
    json.open('{');
    json.member("rule", finding.rule);
    json.member("severity", finding.severity);
    json.member("message", finding.message);
    json.member("file", finding.file);
    json.member("line", static_cast<int64_t>(finding.line));
    json.member("core", static_cast<int64_t>(finding.core));
    json.member("call", finding.call);
    json.member("tensor", finding.tensor);
    json.member("limit", finding.limit);
    json.member("link", finding.link);
    json.member("count", static_cast<int64_t>(finding.count));
    json.close('}');
}

inline void write_launch(JsonWriter& json, const LaunchReport& launch) {
    json.key("launch");
    json.open('{');
    json.member("completed", launch.completed);
    json.member("clock_mhz", launch.clock_mhz);
    json.member("launch_us", launch.launch_us);
    json.member("modelled_us", launch.modelled_us);
    json.member("bound", launch.bound);
    json.member("printed", launch.printed);
    json.key("cores");
    json.open('[');
    for (const CoreTimes& core : launch.cores) {
        json.open('{');
        json.member("core", static_cast<int64_t>(core.core));
        json.member("total_cycles", core.total);
        json.member("scalar", core.scalar);
        json.member("vector", core.vector);
        json.member("mte1", core.mte1);
        json.member("mte2", core.mte2);
        json.member("mte3", core.mte3);
        json.member("cube", core.cube);
        json.member("fixpipe", core.fixpipe);
        json.close('}');
    }
    json.close(']');
    json.close('}');
}

inline std::string to_json(const Report& report) {
    JsonWriter json;
    json.open('{');
    json.member("phase", report.phase);
    json.member("log", report.log);
    json.member("block_dim", static_cast<int64_t>(report.block_dim));
    json.member("tiling_key", std::to_string(report.tiling_key));
    json.member("tiling_bytes", static_cast<int64_t>(report.tiling_bytes));
    json.key("workspaces");
    json.open('[');
    for (const size_t bytes : report.workspaces) {
        json.value(static_cast<int64_t>(bytes));
    }
    json.close(']');
    json.key("changed_inputs");
    json.open('[');
    for (const std::string& name : report.changed_inputs) {
        json.value(name);
    }
    json.close(']');
    json.key("inferred");
    json.open('[');
    for (const Inferred& output : report.inferred) {
        json.open('{');
        json.member("has_shape", output.has_shape);
        json.member("by_kernel", output.by_kernel);
        json.key("shape");
        json.open('[');
        for (const int64_t dim : output.shape) {
            json.value(dim);
        }
        json.close(']');
        json.member("dtype", output.type == ge::DT_UNDEFINED ? "" : name_of(output.type));
        json.close('}');
    }
    json.close(']');
    json.key("findings");
    json.open('[');
    for (const FindingRecord& finding : report.findings) {
        write_finding(json, finding);
    }
    for (const FindingRecord& finding : report.launch.findings) {
        write_finding(json, finding);
    }
    json.close(']');
    write_launch(json, report.launch);
    json.close('}');
    return json.text();
}

}  // namespace runner
}  // namespace twin
