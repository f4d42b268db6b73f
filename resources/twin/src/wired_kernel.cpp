// The kernel program: a candidate's kernel, whose simulator is another process.
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

namespace twin {

void tell_crash(const std::string& message);
bool open_kernel_page(const void* address);

namespace wire {
/// Gives the calls of this candidate their numbers; generated with it.
__attribute__((weak)) void number_calls() {}
}  // namespace wire

namespace runner {

/// Addresses behind which nothing lies.
uint8_t* addresses(size_t bytes) {
    void* const range = mmap(nullptr, padded_bytes(bytes) + kGap, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) throw std::bad_alloc();
    return static_cast<uint8_t*>(range);
}

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

/// Generated with every candidate.
LaunchReport launch_candidate(const Launch& launch, uint8_t* const* pointers);

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
    fault_context().divide = resume_division;
    install_fault_handlers();
    try {
        perform(request, [](uint8_t* const* pointers) { twin::launch_candidate(request.launch, pointers); });
        _exit(0);
    } catch (...) {
        on_terminate();
    }
}
