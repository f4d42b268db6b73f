// What happens when the process of a run is hit by a signal, by std::terminate or by an orphaned judge: the report
// still gets written, naming the phase, the core and the last call.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "report.h"
#include "twin/host/guard.h"
#include "twin/host/log.h"
#include "twin/launch.h"

namespace twin {
namespace runner {

/// What the handlers need to know; filled before any function of the candidate runs.
struct FaultContext {
    Report* report = nullptr;
    const Manifest* manifest = nullptr;
    std::vector<std::string> guarded;  ///< names of the inputs behind the device memory guard, by index
};

inline FaultContext& fault_context() {
    static FaultContext context;
    return context;
}

inline const char* signal_name(int signal_number) {
    switch (signal_number) {
        case SIGSEGV: return "SIGSEGV";
        case SIGBUS: return "SIGBUS";
        case SIGFPE: return "SIGFPE";
        case SIGILL: return "SIGILL";
        case SIGABRT: return "SIGABRT";
        default: return "a signal";
    }
}

/// Writes the report and puts it in place; false when the disk does not take it.
inline bool write_report(const Report& report, const std::string& path) {
    const std::string text = to_json(report);
    const std::string partial = path + ".part";
    const int file = open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    size_t written = 0;
    while (file >= 0 && written < text.size()) {
        const ssize_t count = write(file, text.data() + written, text.size() - written);
        if (count <= 0) {
            break;
        }
        written += static_cast<size_t>(count);
    }
    const bool kept = file >= 0 && close(file) == 0 && written == text.size();
    return kept && rename(partial.c_str(), path.c_str()) == 0;
}

/// Adds the finding of a fault and ends the process. The candidate is at fault and memory may be damaged, so this is
/// best effort: a second fault inside it kills the process and the judge reports the signal instead.
[[noreturn]] inline void end_with(FindingRecord finding) {
    FaultContext& context = fault_context();
    Report& report = *context.report;
    finding.severity = "error";
    finding.core = -1;
    if (report.phase == "kernel") {
        const LastCall last = last_call();
        finding.core = last.core;
        finding.call = last.call;
        finding.line = last.line;
        finding.file = last.file;
        const std::string& root = context.manifest->source_root;
        if (!root.empty() && finding.file.compare(0, root.size(), root) == 0) {
            finding.file.erase(0, root.size());
        }
        finding.message = "kernel " + context.manifest->kernel + ", core " + std::to_string(last.core) + ": " +
                          finding.message + (last.line > 0 ? " after " + finding.call : std::string());
    } else {
        finding.message = context.manifest->op + " " + report.phase + ": " + finding.message;
    }
    report.log = twin::host::op_log();
    report.findings.push_back(finding);
    write_report(report, context.manifest->report);
    _exit(70);
}

inline void on_signal(int signal_number, siginfo_t* info, void*) {
    for (const int fatal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        signal(fatal, SIG_DFL);
    }
    FindingRecord finding;
    const int tensor = twin::host::DeviceMemoryGuard::Get().TensorAt(info->si_addr);
    const auto& guarded = fault_context().guarded;
    if (tensor >= 0 && static_cast<size_t>(tensor) < guarded.size()) {
        finding.rule = "device-memory-on-host";
        finding.tensor = guarded[static_cast<size_t>(tensor)];
        finding.message = "op_host reads the values of input " + finding.tensor +
                          ", which lie in device memory; declare ValueDepend on it or read it in the kernel";
        finding.link = "Ascend C guide, ValueDepend";
    } else if (signal_number == SIGFPE) {
        finding.rule = "crash";
        finding.message = "integer division by zero (SIGFPE)";
    } else {
        char address[40];
        std::snprintf(address, sizeof(address), " at address %p", info->si_addr);
        finding.rule = "crash";
        finding.message = std::string("crashed with ") + signal_name(signal_number) +
                          (signal_number == SIGSEGV || signal_number == SIGBUS ? address : "");
    }
    end_with(finding);
}

[[noreturn]] inline void on_terminate() {
    FindingRecord finding;
    finding.rule = "exception";
    finding.message = "ended by std::terminate";
    if (const std::exception_ptr current = std::current_exception()) {
        try {
            std::rethrow_exception(current);
        } catch (const std::bad_alloc&) {
            finding.rule = "memory-limit";
            finding.message = "asked for more memory than the limit of a run allows";
            finding.limit = "address space of the run";
        } catch (const std::exception& error) {
            finding.message = std::string("uncaught C++ exception: ") + error.what();
        } catch (...) {
            finding.message = "uncaught C++ exception";
        }
    }
    end_with(finding);
}

inline void install_fault_handlers(Report& report, const Manifest& manifest) {
    fault_context().report = &report;
    fault_context().manifest = &manifest;
    static std::vector<char> stack(1 << 16);
    stack_t alternate = {};
    alternate.ss_sp = stack.data();
    alternate.ss_size = stack.size();
    sigaltstack(&alternate, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (const int fatal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        sigaction(fatal, &action, nullptr);
    }
    std::set_terminate(on_terminate);
}

/// Ends this process as soon as the other end of standard input closes: a run never outlives its judge.
inline void watch_lifeline() {
    std::thread([] {
        char byte;
        while (read(STDIN_FILENO, &byte, 1) > 0) {
        }
        _exit(71);
    }).detach();
}

}  // namespace runner
}  // namespace twin
