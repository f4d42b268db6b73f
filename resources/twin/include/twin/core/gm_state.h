// What a core keeps about its way to global memory.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "twin/core/bus.h"

namespace twin {

enum class AtomicMode : uint8_t { none, add, max, min };

/// How often the scalar unit read one address of global memory.
struct Poll {
    const uint8_t* address = nullptr;
    uint32_t reads = 0;
};

/// One range of global memory written by a pipe of this core and not yet superseded.
struct GmWrite {
    const uint8_t* begin = nullptr;
    const uint8_t* end = nullptr;
    uint64_t tag = 0;
};

/// Connection to global memory, and the registers of its copies.
struct GmState {
    Bus bus;
    AtomicMode atomic = AtomicMode::none;
    std::array<uint8_t, 8> pad_value{};  ///< SetPadValue, valid when pad_bytes is not 0
    uint32_t pad_bytes = 0;
    std::deque<GmWrite> writes;
    const uint8_t* cached_line = nullptr;  ///< data-cache line the scalar unit read last
    std::array<Poll, 64> polls{};          ///< scalar reads by address, to recognise polling
};

}  // namespace twin
