// The connection of one core to global memory, shared by its reads and writes.
#pragma once

#include <deque>

namespace twin {

/// Busy time of the bus. Transfers are given in program order but may start earlier than transfers given
/// before them; they then use the time the bus is still free.
class Bus {
public:
    /// Occupies `length` cycles of free bus time from `start` on. Returns when the last of them ends.
    double occupy(double start, double length);

private:
    struct Busy {
        double begin, end;
    };
    static constexpr size_t kRemembered = 32;

    /// After the transfer the bus is busy from `start` to `end` without a gap.
    void mark(double start, double end);

    std::deque<Busy> busy_;  // by begin, without overlaps
    double forgotten_ = 0;   // nothing starts before this any more
};

}  // namespace twin
