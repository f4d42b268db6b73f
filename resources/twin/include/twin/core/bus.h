// The connection of one core to global memory, shared by its reads and writes.
#pragma once

#include <algorithm>
#include <deque>

namespace twin {

/// Busy time of the bus. Transfers are given in program order but may start earlier than transfers given
/// before them; they then use the time the bus is still free.
class Bus {
public:
    /// Occupies `length` cycles of free bus time from `start` on. Returns when the last of them ends.
    double occupy(double start, double length) {
        start = std::max(start, forgotten_);
        double time = start, left = length;
        for (const Busy& busy : busy_) {
            if (busy.end <= time) continue;
            const double gap = std::max(0.0, busy.begin - time);
            if (gap >= left) break;
            left -= gap;
            time = busy.end;
        }
        const double end = time + left;
        mark(start, end);
        return end;
    }

private:
    struct Busy {
        double begin, end;
    };
    static constexpr size_t kRemembered = 32;

    /// After the transfer the bus is busy from `start` to `end` without a gap.
    void mark(double start, double end) {
        auto first =
            std::find_if(busy_.begin(), busy_.end(), [&](const Busy& busy) { return busy.end >= start; });
        auto last = first;
        while (last != busy_.end() && last->begin <= end) {
            start = std::min(start, last->begin);
            end = std::max(end, last->end);
            ++last;
        }
        busy_.insert(busy_.erase(first, last), Busy{start, end});
        if (busy_.size() <= kRemembered) return;
        forgotten_ = busy_.front().end;
        busy_.pop_front();
    }

    std::deque<Busy> busy_;  // by begin, without overlaps
    double forgotten_ = 0;   // nothing starts before this any more
};

}  // namespace twin
