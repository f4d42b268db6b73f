// Header name as in CANN: how template tilings put several choices into one decimal tiling key.
#pragma once

#include <cstdint>

namespace optiling {

constexpr uint64_t TILINGKEYOFFSET = 10000000000000000000ULL;

constexpr uint64_t RecursiveSum() { return 0; }

/// The choices as decimal digits, the first one lowest.
template <class First, class... Rest>
constexpr uint64_t RecursiveSum(First first, Rest... rest) {
    return static_cast<uint64_t>(first) + 10 * RecursiveSum(rest...);
}

template <class... Choices>
constexpr uint64_t GET_TILINGKEY(Choices... choices) {
    return TILINGKEYOFFSET + RecursiveSum(choices...);
}

}  // namespace optiling
