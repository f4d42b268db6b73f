// How a kernel receives a tensor list: one address of a descriptor in global memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "launch_request.h"
#include "memory.h"

namespace twin {
namespace runner {

/// Descriptor of a tensor list as a kernel receives it: the byte offset of the address table, for every
/// tensor its number of dimensions (low half) and its position (high half) followed by the dimensions, then
/// the address table.
inline Buffer list_descriptor(const std::vector<ListEntry>& entries,
                              const std::vector<GmArgument>& arguments) {
    std::vector<uint64_t> words(1, 0);
    for (size_t index = 0; index < entries.size(); ++index) {
        words.push_back(static_cast<uint64_t>(index) << 32 | entries[index].shape.size());
        words.insert(words.end(), entries[index].shape.begin(), entries[index].shape.end());
    }
    words[0] = words.size() * sizeof(uint64_t);
    for (const ListEntry& entry : entries) {
        words.push_back(reinterpret_cast<uintptr_t>(arguments.at(entry.argument).data));
    }
    Buffer buffer(words.size() * sizeof(uint64_t), kPoison, false);
    std::memcpy(buffer.data(), words.data(), buffer.bytes());
    return buffer;
}

}  // namespace runner
}  // namespace twin
