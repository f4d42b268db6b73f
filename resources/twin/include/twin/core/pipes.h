// The execution pipes of an AI core and the hardware events between them.
#pragma once

#include <array>
#include <cstdint>

/// Pipe names as raw intrinsics spell them.
enum pipe_t {
    PIPE_S = 0,
    PIPE_V,
    PIPE_M,
    PIPE_MTE1,
    PIPE_MTE2,
    PIPE_MTE3,
    PIPE_ALL,
    PIPE_MTE4,
    PIPE_MTE5,
    PIPE_V2,
    PIPE_FIX
};

enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

namespace twin {

enum class Pipe : uint8_t { S = 0, V, M, MTE1, MTE2, MTE3, FIX };
constexpr int kPipes = 7;
constexpr int kEventIds = 8;

constexpr const char* pipe_name(Pipe pipe) {
    constexpr const char* names[kPipes] = {"PIPE_S",    "PIPE_V",    "PIPE_M",  "PIPE_MTE1",
                                           "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX"};
    return names[static_cast<int>(pipe)];
}

/// The simulated pipe behind a raw pipe number; PIPE_ALL has none and must be handled by the caller.
constexpr Pipe pipe_of(pipe_t raw) {
    switch (raw) {
        case PIPE_V:
        case PIPE_V2:
            return Pipe::V;
        case PIPE_M:
            return Pipe::M;
        case PIPE_MTE1:
            return Pipe::MTE1;
        case PIPE_MTE2:
        case PIPE_MTE5:
            return Pipe::MTE2;
        case PIPE_MTE3:
        case PIPE_MTE4:
            return Pipe::MTE3;
        case PIPE_FIX:
            return Pipe::FIX;
        default:
            return Pipe::S;
    }
}

/// For every pipe, how many of its instructions are known to be finished.
using Clock = std::array<uint64_t, kPipes>;

/// What a flag or a queue carries from the producing pipe: everything finished by then, and when.
struct Event {
    Clock clock{};
    double time = 0;      ///< cycles
    uint32_t record = 0;  ///< of a trace: what the producing pipe did last, see TraceLog::last()
};

}  // namespace twin

namespace AscendC {

enum class HardEvent : uint8_t {
    MTE2_MTE1,
    MTE1_MTE2,
    MTE1_M,
    M_MTE1,
    MTE2_V,
    V_MTE2,
    MTE3_V,
    V_MTE3,
    M_V,
    V_M,
    V_V,
    MTE3_MTE1,
    MTE1_MTE3,
    MTE1_V,
    MTE2_M,
    M_MTE2,
    V_MTE1,
    M_FIX,
    FIX_M,
    MTE3_MTE2,
    MTE2_MTE3,
    S_V,
    V_S,
    S_MTE2,
    MTE2_S,
    S_MTE3,
    MTE3_S,
    MTE2_FIX,
    FIX_MTE2,
    FIX_S,
    M_S,
    FIX_MTE3,
    MTE1_FIX,
    FIX_MTE1,
    FIX_FIX,
    FIX_V,
    V_FIX,
    MAX
};

}  // namespace AscendC

namespace twin {

struct PipePair {
    Pipe from, to;
};

/// Producer and consumer of a hardware event.
constexpr PipePair pipes_of(AscendC::HardEvent event) {
    constexpr Pipe S = Pipe::S, V = Pipe::V, M = Pipe::M, A = Pipe::MTE1, B = Pipe::MTE2, C = Pipe::MTE3,
                   F = Pipe::FIX;
    constexpr PipePair pairs[] = {{B, A}, {A, B}, {A, M}, {M, A}, {B, V}, {V, B}, {C, V}, {V, C},
                                  {M, V}, {V, M}, {V, V}, {C, A}, {A, C}, {A, V}, {B, M}, {M, B},
                                  {V, A}, {M, F}, {F, M}, {C, B}, {B, C}, {S, V}, {V, S}, {S, B},
                                  {B, S}, {S, C}, {C, S}, {B, F}, {F, B}, {F, S}, {M, S}, {F, C},
                                  {A, F}, {F, A}, {F, F}, {F, V}, {V, F}};
    return pairs[static_cast<int>(event)];
}

}  // namespace twin
