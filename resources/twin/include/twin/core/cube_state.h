// What the cube side of a core keeps between its instructions.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "twin/core/buffer.h"
#include "twin/core/cube_rates.h"
#include "twin/core/site.h"

namespace twin {

/// Bytes of every tensor that a cube core fetched from HBM. Cores run at the same time, so that each fetches
/// its part of what several read; as they are simulated one after the other, the first would pay for all.
class FetchedBytes {
public:
    /// Of `missed` bytes that L2 lacks, of a tensor of `size`, those that a core pays for among `readers`.
    double charge(const void* tensor, size_t size, double missed, uint32_t readers) {
        const auto same = [tensor](const auto& entry) { return entry.first == tensor; };
        auto found = std::find_if(fetched_.begin(), fetched_.end(), same);
        if (found == fetched_.end()) found = fetched_.insert(found, {tensor, 0});
        const double left = static_cast<double>(size) / std::max(1u, readers) - found->second;
        const double charged = std::clamp(missed, 0.0, std::max(0.0, left));
        found->second += charged;
        return charged;
    }

private:
    std::vector<std::pair<const void*, double>> fetched_;
};

/// A unit flag stands for 512 bytes of L0C.
inline constexpr uint64_t kUnitBytes = 512, kL0cUnits = kL0cBytes / kUnitBytes;

/// Registers that stay set between instructions, and the products under way.
struct CubeState {
    uint16_t image_height = 0, image_width = 0;
    uint8_t image_pads[4] = {0, 0, 0, 0};
    uint64_t image_pad_bits = 0;
    uint16_t fix_matrices = 1, fix_source_step = 0;
    uint32_t fix_target_step = 0;
    uint64_t fix_scalar = 0;
    View fix_factors;
    bool has_library = false;    ///< a Matmul object was set up
    double library_init_ns = 0;  ///< what setting it up has cost
    bool reads = false;          ///< global memory was read
    CubeTimes library;           ///< what its products left
    FetchedBytes fetched;
    bool hf32 = false, hf32_to_zero = false;
    double product_begin = 0, store_begin = 0;  ///< when the last product and the last store started, cycles
    const uint8_t* open_begin = nullptr;        ///< L0C range of small products no barrier has finished
    const uint8_t* open_end = nullptr;
    uint64_t open_sequence = 0;  ///< position of the last of them on the matrix pipe, 0 for none
    Site open_site{};
    std::bitset<kL0cUnits> raised;  ///< units of L0C whose product has handed them to FixPipe by their flag
};

}  // namespace twin
