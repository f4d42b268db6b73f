// What each line of the kernel costs on one core: sums, kept in every launch. A trace has the single
// instructions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "twin/core/pipes.h"
#include "twin/core/site.h"

namespace twin {

/// One piece of work of a pipe, in cycles.
struct PipeWork {
    double start = 0, cycles = 0;
    double held = 0;     ///< how long only a flag kept an idle pipe from it
    double blocked = 0;  ///< of `cycles`: a copy waited for bytes of the other direction
    double bytes = 0;    ///< of a copy
    char operand = 0;    ///< 'a' or 'b' of copies the Matmul library makes of it
};

/// What one pipe did for the calls of one line.
struct LineCost {
    const char* call = "";
    Site site{};
    Pipe pipe = Pipe::S;
    char operand = 0;  ///< as in PipeWork
    uint64_t calls = 0;
    double cycles = 0;
    double idle = 0;     ///< cycles in which the pipe did nothing, before the calls
    double held = 0;     ///< of `idle`, as in PipeWork
    double blocked = 0;  ///< of `cycles`, as in PipeWork
    double bytes = 0;    ///< of copies
    double lanes = 0;    ///< of vector instructions
};

class LineCosts {
public:
    /// Adds an instruction. `vector_ops` are the lanes of all before it, which are counted once they were
    /// issued.
    void add(Pipe pipe, const char* call, const Site& site, const PipeWork& work, double vector_ops) {
        if (pipe == Pipe::V) count_lanes(vector_ops);
        size_t& last = last_[static_cast<size_t>(pipe)];
        if (last == 0 || !is_at(lines_[last - 1], call, site, work.operand))
            last = number(pipe, call, site, work.operand);
        LineCost& line = lines_[last - 1];
        line.calls += 1;
        line.cycles += work.cycles;
        double& end = ends_[static_cast<size_t>(pipe)];
        line.idle += std::max(0.0, work.start - end);
        end = std::max(end, work.start + work.cycles);
        line.held += work.held;
        line.blocked += work.blocked;
        line.bytes += work.bytes;
    }

    /// The `most` most expensive lines.
    std::vector<LineCost> dearest(size_t most, double vector_ops) {
        count_lanes(vector_ops);
        std::vector<LineCost> lines = lines_;
        std::stable_sort(lines.begin(), lines.end(),
                         [](const LineCost& a, const LineCost& b) { return a.cycles > b.cycles; });
        lines.resize(std::min(lines.size(), most));
        return lines;
    }

private:
    static bool is_at(const LineCost& line, const char* call, const Site& site, char operand) {
        return line.call == call && line.operand == operand && line.site.line == site.line &&
               line.site.file == site.file;
    }

    void count_lanes(double vector_ops) {
        const size_t last = last_[static_cast<size_t>(Pipe::V)];
        if (last != 0) lines_[last - 1].lanes += vector_ops - lanes_seen_;
        lanes_seen_ = vector_ops;
    }

    /// 1 + place of a line in `lines_`.
    size_t number(Pipe pipe, const char* call, const Site& site, char operand) {
        const uint64_t key = reinterpret_cast<uintptr_t>(site.file) * 1000003u +
                             static_cast<uint64_t>(site.line) * 4099u + reinterpret_cast<uintptr_t>(call) +
                             static_cast<uint64_t>(pipe) * 7919u + static_cast<uint64_t>(operand) * 104729u;
        const auto entry = numbers_.emplace(key, lines_.size() + 1);
        if (entry.second) lines_.push_back({call, site, pipe, operand});
        return entry.first->second;
    }

    std::vector<LineCost> lines_;
    std::unordered_map<uint64_t, size_t> numbers_;
    std::array<size_t, kPipes> last_{};  ///< by pipe, 1 + place of the line it worked for last
    std::array<double, kPipes> ends_{};  ///< by pipe, when its last work ended
    double lanes_seen_ = 0;
};

}  // namespace twin
