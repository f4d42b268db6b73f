// Entry points of a test library: list the cases, run one on the simulated cores, return the report as text.
#include <cstdio>
#include <cstring>

#include "case.h"
#include "twin/device.h"

namespace {

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (c == '\n') {
            result += "\\n";
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string json(const twin::LaunchReport& report) {
    std::string text =
        twin::format("{\"completed\":%s,\"abandoned\":%s,\"modelled_us\":%.6f,\"launch_us\":%.6f,",
                     report.completed ? "true" : "false", report.abandoned ? "true" : "false",
                     report.modelled_us, report.launch_us);
    text += "\"bound\":" + quoted(report.bound) + ",\"printed\":" + quoted(report.printed) + ",\"cores\":[";
    for (size_t i = 0; i < report.cores.size(); ++i) {
        const twin::CoreTimes& core = report.cores[i];
        text += twin::format(
            "%s{\"total\":%.1f,\"scalar\":%.1f,\"vector\":%.1f,\"mte2\":%.1f,\"mte3\":%.1f,"
            "\"cube\":%.1f}",
            i ? "," : "", core.total, core.scalar, core.vector, core.mte2, core.mte3, core.cube);
    }
    text += "],\"findings\":[";
    for (size_t i = 0; i < report.findings.size(); ++i) {
        const twin::FindingRecord& f = report.findings[i];
        text +=
            twin::format("%s{\"line\":%d,\"core\":%d,\"count\":%ld,", i ? "," : "", f.line, f.core, f.count);
        text += "\"rule\":" + quoted(f.rule) + ",\"severity\":" + quoted(f.severity) +
                ",\"message\":" + quoted(f.message) + ",\"file\":" + quoted(f.file) +
                ",\"call\":" + quoted(f.call) + ",\"tensor\":" + quoted(f.tensor) +
                ",\"limit\":" + quoted(f.limit) + ",\"link\":" + quoted(f.link) + "}";
    }
    return text + "]}";
}

}  // namespace

extern "C" {

/// Whether there is a case of that name.
int twin_test_has(const char* name) { return cases::registry().count(name) != 0 ? 1 : 0; }

/// Runs case `name`. Buffers are inputs first. Returns the length of the report, which is cut at `capacity`.
size_t twin_test_run(const char* name, int buffers, int inputs, uint8_t** data, const size_t* bytes,
                     const double* parameters, int parameter_count, uint32_t block_dim, double time_limit,
                     int strict, int cold, const char* soc, const char* root, char* report, size_t capacity,
                     uint8_t* trace, size_t trace_bytes) {
    const auto found = cases::registry().find(name);
    if (found == cases::registry().end()) return 0;
    cases::Case run;
    twin::Launch launch;
    launch.kernel = name;
    launch.block_dim = block_dim;
    launch.time_limit_s = time_limit;
    launch.strict = strict == 1;
    launch.fast = strict == 2;
    launch.cold = cold != 0;
    launch.soc = soc;
    launch.source_root = root;
    launch.trace = trace_bytes > 0 ? trace : nullptr;
    launch.trace_bytes = trace_bytes;
    for (int i = 0; i < buffers; ++i) {
        run.buffers.emplace_back(data[i], bytes[i]);
        launch.arguments.push_back({(i < inputs ? "in" : "out") + std::to_string(i < inputs ? i : i - inputs),
                                    data[i], bytes[i], i < inputs});
    }
    run.parameters.assign(parameters, parameters + parameter_count);
    const cases::Body body = found->second;
    const std::string text = json(twin::run_kernel(launch, [&run, body] { body(run); }));
    std::strncpy(report, text.c_str(), capacity - 1);
    report[capacity - 1] = '\0';
    return text.size();
}
}
