// Which memory holds the descriptor of a tensor list: a device knows no types, so this looks at the words.
#pragma once
#include <malloc.h>

#include <cstdint>
#include <vector>

namespace stand_in {

/// The table of addresses of a descriptor, none of other memory.
struct Table {
    uint64_t* start = nullptr;
    size_t count = 0;
};

inline Table table_in(uint8_t* place) {
    const size_t size = place == nullptr ? 0 : malloc_usable_size(place);
    auto* words = reinterpret_cast<uint64_t*>(place);
    if (size < 24 || words[0] % 8 != 0 || words[0] < 16 || words[0] >= size) return {};
    size_t at = 1, count = 0;
    for (; at * 8 < words[0]; ++count) {
        if (words[at] >> 32 != count || (words[at] & 0xffffffffu) > 8) return {};
        at += 1 + (words[at] & 0xffffffffu);
    }
    return at * 8 == words[0] && (at + count) * 8 <= size ? Table{words + at, count} : Table{};
}

inline std::vector<uint64_t> addresses_in(uint8_t* place) {
    const Table table = table_in(place);
    return {table.start, table.start + table.count};
}

}  // namespace stand_in
