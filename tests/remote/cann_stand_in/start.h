// `kernel<<<blocks, nullptr, stream>>>(...)` of the stand-in: the kernel runs on the twin's simulated cores.
#pragma once
#include <malloc.h>

#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "lists.h"
#include "twin/launch.h"

extern "C" void stand_in_fault(const char* text);

namespace stand_in {

/// Bytes a kernel may use of an allocation; the rest is the padding that the twin wants behind a tensor.
inline size_t usable(const void* place) {
    return place == nullptr ? 0 : malloc_usable_size(const_cast<void*>(place)) - 1024;
}

inline void start(uint32_t blocks, std::initializer_list<uint8_t*> given, const std::function<void()>& entry) {
    const std::vector<uint8_t*> pointers(given);
    twin::Launch launch;
    launch.kernel = "kernel";
    launch.soc = std::getenv("SAGE_SOC") == nullptr ? "Ascend910B1" : std::getenv("SAGE_SOC");
    launch.fast = true;
    launch.block_dim = blocks;
    for (size_t at = 0; at + 2 < pointers.size(); ++at) {
        launch.arguments.push_back({"argument " + std::to_string(at), pointers[at], usable(pointers[at]), false});
        for (uint64_t address : addresses_in(pointers[at])) {
            auto* member = reinterpret_cast<uint8_t*>(address);
            launch.arguments.push_back({"member of " + std::to_string(at), member, usable(member), false});
        }
    }
    launch.workspace = pointers[pointers.size() - 2];
    launch.workspace_bytes = usable(launch.workspace);
    launch.tiling = pointers.back();
    launch.tiling_bytes = 64;
    const twin::LaunchReport report = twin::run_kernel(launch, entry);
    bool failed = !report.completed;
    for (const auto& finding : report.findings) {
        failed = failed || finding.severity == "error";
    }
    if (failed) {
        stand_in_fault(
            "EZ9999: Inner Error!\n[PID: 1] The error from device(chipId:0, dieId:0), serial number is 1, there is an "
            "exception of aivec error, core id is 0, error code = 0, dump info: pc start: 0x0, current: 0x0.\n"
            "The extend info: errcode:(0x4000000000000000, 0x4000, 0) errorStr: VEC instruction error: the ub address "
            "out of bounds. fixp_error0 info: 0x0.\nKernel task happen error, retCode=0x31, [vector core exception].\n");
    }
}

}  // namespace stand_in
