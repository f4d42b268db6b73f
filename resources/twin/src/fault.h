// What happens when a program is hit by a signal, by std::terminate or by an orphaned judge: the answer still
// gets written, naming the phase and, in a kernel, the core and the last call.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "report.h"

namespace twin {
namespace runner {

/// What the handlers need; filled before any function of the candidate runs.
struct FaultContext {
    bool (*resume)(const void*) = nullptr;       ///< makes an address accessible and goes on; may be null
    bool (*divide)(void*) = nullptr;             ///< goes on behind a division by zero; may be null
    std::function<void(FindingRecord&)> locate;  ///< says where the program was
    std::function<bool(FindingRecord&, const void*)> name;  ///< knows an address that faulted; may be empty
    std::function<void(const FindingRecord&)> answer;       ///< adds the finding and writes the answer
};

inline FaultContext& fault_context() {
    static FaultContext context;
    return context;
}

inline const char* signal_name(int signal_number) {
    switch (signal_number) {
        case SIGSEGV:
            return "SIGSEGV";
        case SIGBUS:
            return "SIGBUS";
        case SIGFPE:
            return "SIGFPE";
        case SIGILL:
            return "SIGILL";
        case SIGABRT:
            return "SIGABRT";
        default:
            return "a signal";
    }
}

/// Answers with the finding of a fault and ends the process. The candidate is at fault and memory may be
/// damaged, so this is best effort: a second fault inside it kills the process, and the judge reports the
/// signal instead.
[[noreturn]] inline void end_with(FindingRecord finding) {
    finding.severity = "error";
    finding.core = -1;
    fault_context().locate(finding);
    fault_context().answer(finding);
    _exit(70);
}

inline void on_signal(int signal_number, siginfo_t* info, void* machine) {
    if (signal_number == SIGSEGV && fault_context().resume != nullptr &&
        fault_context().resume(info->si_addr))
        return;
    if (signal_number == SIGFPE && fault_context().divide != nullptr && fault_context().divide(machine))
        return;
    for (const int fatal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        signal(fatal, SIG_DFL);
    }
    FindingRecord finding;
    if (fault_context().name && fault_context().name(finding, info->si_addr)) {
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

inline void install_fault_handlers() {
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

}  // namespace runner
}  // namespace twin
