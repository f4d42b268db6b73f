// What memory holds before a launch that nobody cleared: anything, and each time something else.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace twin {
namespace runner {

/// Puts into `bytes` bytes what a launch before may have left there, drawn from `seed`: from 32 bytes to the
/// next NaN, large numbers or any bits, as floating types and integers read it, and zeros where `seed` is
/// odd. A kernel that takes zeros for granted, the most usual mistake, fails in every run without them.
inline void put_remains(uint8_t* to, size_t bytes, uint64_t seed) {
    constexpr size_t kWords = 4;         // of a kind, one after another
    constexpr size_t kDrawn = 1u << 13;  // words, repeated as far as needed
    constexpr uint64_t kLarge = 0x7a7a7a7a7a7a7a7aull;
    uint64_t state = seed;
    const auto draw = [&state] {  // splitmix64
        uint64_t mixed = state += 0x9e3779b97f4a7c15ull;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
        return mixed ^ mixed >> 31;
    };
    std::array<uint64_t, kDrawn> words{};
    for (size_t at = 0; at < kDrawn; at += kWords) {
        const uint64_t kind = draw() % (seed % 2 == 0 ? 3 : 4);
        for (size_t word = at; word < at + kWords; ++word) {
            const uint64_t any = draw();
            words[word] = kind == 0 ? ~uint64_t{0} : kind == 1 ? kLarge : kind == 2 ? any : 0;
        }
    }
    for (size_t at = 0; at < bytes; at += sizeof(words)) {
        std::memcpy(to + at, words.data(), std::min(sizeof(words), bytes - at));
    }
}

}  // namespace runner
}  // namespace twin
