// What the cube side of a core keeps between its instructions.
#pragma once

#include <cstdint>

#include "twin/core/buffer.h"
#include "twin/core/cube_rates.h"
#include "twin/core/site.h"

namespace twin {

/// Registers that stay set between instructions, and the products under way.
struct CubeState {
    uint16_t image_height = 0, image_width = 0;
    uint8_t image_pads[4] = {0, 0, 0, 0};
    uint64_t image_pad_bits = 0;
    uint16_t fix_matrices = 1, fix_source_step = 0;
    uint32_t fix_target_step = 0;
    uint64_t fix_scalar = 0;
    View fix_factors;
    bool has_library = false;  ///< a Matmul object was set up
    bool reads = false;        ///< global memory was read
    CubeTimes library;         ///< what its products left
    bool hf32 = false, hf32_to_zero = false;
    double product_begin = 0, store_begin = 0;  ///< when the last product and the last store started, cycles
    const uint8_t* open_begin = nullptr;        ///< L0C range of small products no barrier has finished
    const uint8_t* open_end = nullptr;
    uint64_t open_sequence = 0;  ///< position of the last of them on the matrix pipe, 0 for none
    Site open_site{};
};

}  // namespace twin
