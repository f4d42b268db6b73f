// A launch from another process: the library sends every buffer to a program, which runs the kernel and sends them back.
#include <malloc.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "lists.h"
#include "temporary.h"

extern "C" void stand_in_fault(const char* text);
extern "C" const char* aclGetRecentErrMsg();

#if defined(BRIDGE_LIBRARY)
extern "C" void sage_launch(uint32_t blocks, void*, uint8_t* const* pointers) {
    std::string path = stand_in::temporary("stand-in-launch-XXXXXX");
    if (mkstemp(path.data()) < 0) {
        std::abort();
    }
    std::vector<uint8_t*> starts(pointers, pointers + BRIDGE_LIBRARY);
    starts.back() -= 64;  // the tiling key lies in front of the tiling data
    std::vector<bool> kept(starts.size(), false);  // descriptors hold addresses, which mean nothing elsewhere
    for (int at = 0; at + 2 < BRIDGE_LIBRARY; ++at) {
        for (uint64_t address : stand_in::addresses_in(pointers[at])) {
            starts.push_back(reinterpret_cast<uint8_t*>(address));
            kept[at] = true;
        }
    }
    kept.resize(starts.size(), false);
    {
        std::ofstream file(path, std::ios::binary);
        for (uint8_t* place : starts) {
            const uint64_t size = place == nullptr ? 0 : malloc_usable_size(place);
            file.write(reinterpret_cast<const char*>(&size), 8).write(reinterpret_cast<const char*>(place), size);
        }
    }
    const std::string command = std::string(BRIDGE_PROGRAM) + " " + path + " " + std::to_string(blocks) + " " +
                                std::to_string(BRIDGE_LIBRARY);
    if (std::system(command.c_str()) != 0) {
        stand_in_fault("EZ9999: Inner Error!\n errorStr: VEC instruction error: the ub address out of bounds.\n");
    } else {
        std::ifstream file(path, std::ios::binary);
        for (size_t at = 0; at < starts.size(); ++at) {
            uint64_t size = 0;
            file.read(reinterpret_cast<char*>(&size), 8);
            kept[at] ? file.ignore(size) : file.read(reinterpret_cast<char*>(starts[at]), size);
        }
    }
    std::remove(path.c_str());
}
#else
extern "C" void sage_launch(uint32_t blocks, void* stream, uint8_t* const* pointers);

int main(int, char** arguments) {
    std::vector<uint8_t*> places;
    std::vector<uint64_t> sizes;
    std::ifstream file(arguments[1], std::ios::binary);
    for (uint64_t size = 0; file.read(reinterpret_cast<char*>(&size), 8);) {
        auto* place = size == 0 ? nullptr : static_cast<uint8_t*>(std::aligned_alloc(512, (size + 2559) / 512 * 512));
        file.read(reinterpret_cast<char*>(place), static_cast<std::streamsize>(size));
        places.push_back(place);
        sizes.push_back(size);
    }
    const size_t count = std::atoi(arguments[3]);
    size_t member = count;
    for (size_t at = 0; at + 2 < count; ++at) {
        const stand_in::Table table = stand_in::table_in(places[at]);
        for (size_t entry = 0; entry < table.count; ++entry) {
            table.start[entry] = reinterpret_cast<uintptr_t>(places[member++]);
        }
    }
    places[count - 1] += 64;
    sage_launch(static_cast<uint32_t>(std::atoi(arguments[2])), nullptr, places.data());
    places[count - 1] -= 64;
    if (aclGetRecentErrMsg()[0] != 0) {
        return 1;
    }
    std::ofstream out(arguments[1], std::ios::binary);
    for (size_t at = 0; at < places.size(); ++at) {
        out.write(reinterpret_cast<const char*>(&sizes[at]), 8).write(reinterpret_cast<const char*>(places[at]), sizes[at]);
    }
    return 0;
}
#endif
