// Which cores one block of a launch occupies: the kernel type of KERNEL_TASK_TYPE and what it means.
#pragma once

#include <cstdint>
#include <vector>

#include "twin/core/pipes.h"

namespace twin {

enum class CoreType : uint8_t { vector, cube };

/// Cores of one block. A block of a mixed kernel is a group of one cube core and its vector cores.
struct Task {
    uint32_t cubes = 0;
    uint32_t vectors = 1;
    bool scheduled = true;  ///< the block scheduler runs, so that cross-core flags work

    uint32_t cores() const { return cubes + vectors; }
    bool mixed() const { return cubes > 0 && vectors > 0; }
    bool operator==(const Task& other) const { return cubes == other.cubes && vectors == other.vectors; }
};

constexpr Task kVectorTask{0, 1, true};
constexpr Task kCubeTask{1, 0, true};
constexpr Task kMixedTask{1, 2, true};

/// How sure the launch is of its task. A stronger source replaces a weaker one; the launch then starts again.
enum class TaskSource : uint8_t { assumed, inferred, inferred_mixed, settled, declared, declared_for_key };

/// What one core knows of the others: for every core the last of its periods that is finished for us. A
/// period ends whenever a core signals another one.
struct Knowledge {
    std::vector<uint32_t> periods;
    /// Of a launch with a schedule: the instructions of each core that are finished, by pipe. A signal of one
    /// pipe says nothing of the others.
    std::vector<Clock> finished;

    uint32_t& operator[](size_t slot) { return periods[slot]; }
    uint32_t operator[](size_t slot) const { return periods[slot]; }
};

/// A signal from one core to another: when it was given and what the sender knew.
struct CoreSignal {
    double time = 0;
    Knowledge known;
    int slot = -1;        ///< the sender
    uint32_t record = 0;  ///< of a trace: what it did last
};

}  // namespace twin
