// The program of the CPU and simulator modes: one launch, described by the file it is given.
//
// Lines: `blocks N`, `workspace BYTES`, `tiling FILE` (head and tiling data), then one for each pointer of the kernel:
// `input FILE` (copied in; what it holds afterwards is written to FILE.after), `output FILE` (copied in and written
// back), `list N FILE` (a descriptor: what FILE holds, then the addresses of the next N `input` or `output` lines),
// `same PLACE` (the pointer at that place once more), `none`.
#pragma once
#if defined(SAGE_PROGRAM)
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace sage {

struct Buffer {
    std::string path;
    std::vector<char> bytes;
    bool isOutput = false;
    bool isList = false;
    std::vector<size_t> members;  // of a list: places in the buffers
    void* device = nullptr;
};

inline std::vector<char> ReadFile(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

[[noreturn]] inline void Fail(const char* what, int status)
{
    const char* said = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s failed, error code is %d\n%s\n", what, status, said == nullptr ? "" : said);
    std::exit(3);
}

inline void* ToDevice(const std::vector<char>& bytes)
{
    void* place = nullptr;
    const size_t size = bytes.empty() ? 32 : bytes.size();
    int status = aclrtMalloc(&place, size, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status != 0) {
        Fail("aclrtMalloc", status);
    }
    status = bytes.empty() ? 0 : aclrtMemcpy(place, size, bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE);
    if (status != 0) {
        Fail("aclrtMemcpy", status);
    }
    return place;
}

inline int Run(const char* description)
{
    std::ifstream lines(description);
    std::string word;
    std::string path;
    uint32_t blocks = 1;
    size_t workspace = 0;
    std::vector<char> tiling;
    std::vector<Buffer> buffers;
    std::vector<int> order;  // place in `buffers`, -1 for an absent tensor
    size_t listed = 0;       // buffers to come that belong to the list at `list`
    size_t list = 0;
    while (lines >> word) {
        if (word == "blocks") {
            lines >> blocks;
        } else if (word == "workspace") {
            lines >> workspace;
        } else if (word == "same") {
            int place = 0;
            lines >> place;
            order.push_back(order[place]);
        } else if (word == "none") {
            order.push_back(-1);
        } else {
            size_t count = 0;
            if (word == "list") {
                lines >> count;
            }
            lines >> std::ws;
            std::getline(lines, path);
            if (word == "tiling") {
                tiling = ReadFile(path);
                continue;
            }
            if (listed > 0) {
                --listed;
                buffers[list].members.push_back(buffers.size());
            } else {
                order.push_back(static_cast<int>(buffers.size()));
            }
            if (word == "list") {
                listed = count;
                list = buffers.size();
            }
            buffers.push_back({path, ReadFile(path), word == "output", word == "list"});
        }
    }
    int status = aclInit(nullptr);
    status = status != 0 ? status : aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    status = status != 0 ? status : aclrtCreateStream(&stream);
    if (status != 0) {
        Fail("aclrtCreateStream", status);
    }
    std::vector<uint8_t*> pointers;
    for (Buffer& buffer : buffers) {
        buffer.device = buffer.isList ? nullptr : ToDevice(buffer.bytes);
    }
    for (Buffer& buffer : buffers) {
        for (size_t member : buffer.members) {
            const uint64_t address = reinterpret_cast<uintptr_t>(buffers[member].device);
            const char* bytes = reinterpret_cast<const char*>(&address);
            buffer.bytes.insert(buffer.bytes.end(), bytes, bytes + sizeof(address));
        }
        buffer.device = buffer.isList ? ToDevice(buffer.bytes) : buffer.device;
    }
    for (int place : order) {
        pointers.push_back(place < 0 ? nullptr : static_cast<uint8_t*>(buffers[place].device));
    }
    pointers.push_back(static_cast<uint8_t*>(ToDevice(std::vector<char>(workspace))));
    pointers.push_back(static_cast<uint8_t*>(ToDevice(tiling)) + SAGE_TILING_HEAD);
    sage_launch(blocks, stream, pointers.data());
    status = aclrtSynchronizeStream(stream);
    if (status != 0) {
        Fail("aclrtSynchronizeStream", status);
    }
    for (Buffer& buffer : buffers) {
        if (buffer.isList) {
            continue;
        }
        const size_t size = buffer.bytes.size();
        status = size == 0 ? 0 : aclrtMemcpy(buffer.bytes.data(), size, buffer.device, size, ACL_MEMCPY_DEVICE_TO_HOST);
        if (status != 0) {
            Fail("aclrtMemcpy", status);
        }
        const std::string target = buffer.isOutput ? buffer.path : buffer.path + ".after";
        std::ofstream(target, std::ios::binary).write(buffer.bytes.data(), static_cast<std::streamsize>(size));
    }
    std::fflush(stdout);
    return 0;
}

}  // namespace sage

int main(int count, char** arguments)
{
    return count == 2 ? sage::Run(arguments[1]) : 2;
}
#endif
