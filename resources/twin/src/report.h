// What a program answers as JSON: findings, what op_host decided, what a launch did.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "twin/launch.h"

namespace twin {
namespace runner {

/// Appends JSON to a string. Control characters are escaped; bytes that are not ASCII pass as they are (the
/// judge decodes with replacement); numbers that JSON cannot hold become null.
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
    json.member("together", launch.together);
    json.member("unordered", launch.unordered);
    json.member("unmodelled", launch.unmodelled);
    json.member("own_work_s", launch.own_work_s);
    json.key("starts_again");
    json.open('[');
    if (launch.starts_again) {
        const KnownTask& task = launch.task;
        for (const uint32_t part : {task.cubes, task.vectors, uint32_t(task.scheduled), task.source})
            json.value(static_cast<int64_t>(part));
    }
    json.close(']');
    json.member("bound", launch.bound);
    json.member("printed", launch.printed);
    json.key("cores");
    json.open('[');
    for (const CoreTimes& core : launch.cores) {
        json.open('{');
        json.member("core", static_cast<int64_t>(core.core));
        json.member("unit", core.cube_core ? "aic" : "aiv");
        json.member("total_cycles", core.total);
        json.member("scalar", core.scalar);
        json.member("vector", core.vector);
        json.member("mte1", core.mte1);
        json.member("mte2", core.mte2);
        json.member("mte3", core.mte3);
        json.member("cube", core.cube);
        json.member("fixpipe", core.fixpipe);
        json.member("gm_read", core.work.gm_read);
        json.member("gm_written", core.work.gm_written);
        json.member("vector_ops", core.work.vector_ops);
        json.member("cube_ops", core.work.cube_ops);
        json.member("gm_rate", core.work.gm_rate);
        json.key("lines");
        json.open('[');
        for (const LineRecord& line : core.lines) {
            json.open('{');
            json.member("call", line.call);
            json.member("file", line.file);
            json.member("line", static_cast<int64_t>(line.line));
            json.member("pipe", line.pipe);
            json.member("calls", static_cast<int64_t>(line.calls));
            json.member("cycles", line.cycles);
            json.member("bytes", line.bytes);
            json.member("lanes", line.lanes);
            json.member("idle", line.idle);
            json.member("held", line.held);
            json.member("blocked", line.blocked);
            json.close('}');
        }
        json.close(']');
        json.close('}');
    }
    json.close(']');
    json.key("ran");
    json.open('{');
    for (const RanFile& file : launch.ran) {
        json.key(file.file.c_str());
        json.open('[');
        for (const int line : file.lines) json.value(static_cast<int64_t>(line));
        json.close(']');
    }
    json.close('}');
    json.key("unread");
    json.open('[');
    for (const UnreadRecord& input : launch.unread) {
        json.open('{');
        json.member("tensor", input.tensor);
        json.member("number", static_cast<int64_t>(input.number));
        json.key("bounds");
        json.open('[');
        for (const size_t bound : input.bounds) json.value(static_cast<int64_t>(bound));
        json.close(']');
        json.close('}');
    }
    json.close(']');
    json.close('}');
}

inline void write_findings(JsonWriter& json, const std::vector<FindingRecord>& findings) {
    json.key("findings");
    json.open('[');
    for (const FindingRecord& finding : findings) {
        write_finding(json, finding);
    }
    json.close(']');
}

inline FindingRecord error_finding(const std::string& rule, const std::string& message,
                                   const std::string& link = "") {
    FindingRecord finding;
    finding.rule = rule;
    finding.severity = "error";
    finding.message = message;
    finding.core = -1;
    finding.link = link;
    return finding;
}

}  // namespace runner
}  // namespace twin
