// The kernel program: a candidate's kernel, whose simulator is another process (simulator.cpp).
//
// `program <request> <commands> <replies>` takes three descriptors: the request (launch_request.h), and the
// two directions of the wire (twin/core/wire_impl.h). It has tiling data and addresses of tensors, but no
// tensor: what it cannot know, it cannot put into a result, and no time is told by it.
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "channel.h"
#include "division.h"
#include "fault.h"
#include "launch_request.h"
#include "memory.h"
#include "tensor_list.h"
#include "twin/launch.h"
#include "twin/wire/calls.h"

namespace twin {

/// The kernel as compiled for one type of core; null where it has no code for that type, or was compiled for
/// both at once.
__attribute__((weak)) void launch_cube_side(uint8_t* const* pointers);
__attribute__((weak)) void launch_vector_side(uint8_t* const* pointers);

/// Launches the kernel with `pointers` = inputs, outputs, workspace, tiling. Generated with every candidate
/// that is compiled for both types of core at once; this one is for those compiled for each.
__attribute__((weak)) LaunchReport launch_candidate(const Launch& launch, uint8_t* const* pointers) {
    return run_kernel(launch, [pointers] {
        if (launch_vector_side == nullptr) declare_task(kCubeType, TaskSource::inferred, Site{});
        if (launch_cube_side == nullptr) declare_task(kVectorType, TaskSource::inferred, Site{});
        const auto side = asked_type(Site{}) == CoreType::cube ? launch_cube_side : launch_vector_side;
        if (side != nullptr) side(pointers);
    });
}

void tell_crash(const std::string& message);
void tell_division();
bool open_kernel_page(const void* address);

namespace wire {

/// Gives calls of this candidate that are not usual their numbers; generated with it where it makes some.
__attribute__((weak)) void number_further_calls(uint32_t first);

namespace {

extern "C" {
#define USUAL_CALL(SYMBOL, ...) extern __attribute__((weak)) uint32_t SYMBOL;
#include "usual_calls.inc"
#undef USUAL_CALL
}

/// The variables `twin_call` of usual calls; null where this candidate makes none.
uint32_t* const kUsualCalls[] = {
#define USUAL_CALL(SYMBOL, ...) &SYMBOL,
#include "usual_calls.inc"
#undef USUAL_CALL
};

/// Gives every call of a template its number, behind those of the runtime.
void number_calls() {
    uint32_t number = RuntimeCalls::count;
    for (uint32_t* const call : kUsualCalls) {
        ++number;
        if (call != nullptr) *call = number;
    }
    if (number_further_calls != nullptr) number_further_calls(number + 1);
}

}  // namespace
}  // namespace wire

namespace runner {

void perform(LaunchRequest& request, const std::function<void(uint8_t* const*)>& kernel) {
    Launch& launch = request.launch;
    std::map<int64_t, uint8_t*> mapped;
    for (const ArgumentLine& line : request.arguments) {
        uint8_t* address = nullptr;
        if (line.offset >= 0) {
            uint8_t*& place = mapped[line.offset];
            if (place == nullptr) place = addresses(line.bytes);
            address = place;
        }
        launch.arguments.push_back({line.name, address, line.bytes, true, SIZE_MAX, address});
    }
    std::vector<Buffer> lists;
    std::vector<uint8_t*> pointers;
    for (const PointerLine& line : request.pointers) {
        if (line.is_list) lists.push_back(list_descriptor(line.list, launch.arguments));
        pointers.push_back(line.is_list ? lists.back().data() : launch.arguments.at(line.argument).data);
    }
    size_t next = 0;
    for (const PointerLine& line : request.pointers) {
        if (!line.is_list) continue;
        launch.arguments.push_back({line.name + " (list)", lists[next].data(), lists[next].bytes(), true});
        ++next;
    }
    Buffer tiling(request.tiling.size(), kPoison, false);
    std::memcpy(tiling.data(), request.tiling.data(), request.tiling.size());
    mprotect(tiling.data(), padded_bytes(tiling.bytes()), PROT_READ);  // cores would meet there
    launch.workspace = addresses(request.workspace_bytes);
    launch.workspace_bytes = request.workspace_bytes;
    launch.tiling = tiling.data();
    launch.tiling_bytes = tiling.bytes();
    launch.fast = true;
    launch.schedule = 0;
    launch.trace_bytes = 0;
    pointers.push_back(launch.workspace);
    pointers.push_back(tiling.data());
    kernel(pointers.data());
}

}  // namespace runner

}  // namespace twin

int main(int count, char** arguments) {
    using namespace twin::runner;
    if (count != 4) {
        std::fprintf(stderr, "usage: program <request> <commands> <replies>\n");
        return 64;
    }
    static LaunchRequest request;
    try {
        request = read_launch(read_request(std::atoi(arguments[1])));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "kernel: %s\n", error.what());
        return 64;
    }
    request.launch.commands = std::atoi(arguments[2]);
    request.launch.replies = std::atoi(arguments[3]);
    twin::wire::number_calls();
    fault_context().locate = [](twin::FindingRecord&) {};
    fault_context().answer = [](const twin::FindingRecord& finding) { twin::tell_crash(finding.message); };
    fault_context().resume = twin::open_kernel_page;
    fault_context().divide = [](void* context) {
        const bool is_division = resume_division(context);
        if (is_division) twin::tell_division();
        return is_division;
    };
    install_fault_handlers();
    try {
        perform(request, [](uint8_t* const* pointers) { twin::launch_candidate(request.launch, pointers); });
        _exit(0);
    } catch (...) {
        on_terminate();
    }
}
