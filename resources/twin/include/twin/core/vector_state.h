// What the vector unit of a core keeps between its instructions.
#pragma once

#include <array>
#include <cstdint>

namespace twin {

/// Vector mask registers and mask mode.
struct MaskState {
    uint64_t low = ~0ull;
    uint64_t high = ~0ull;
    bool counter = false;
};

/// Mask, address and result registers.
struct VectorState {
    MaskState mask;
    std::array<std::array<uint64_t, 8>, 8> row_addresses{};  ///< address registers of the transpose unit
    std::array<uint64_t, 2> compare_mask{};                  ///< result of Compare without destination
    double sum_value = 0;                                    ///< accumulator register: the last sum
    uint64_t summed_by = 0;                                  ///< number of the instruction that left it
    double reduce_value = 0;                                 ///< register of the last maximum or minimum
    uint64_t reduce_index = 0;
    uint64_t reduced_by = 0;
    uint64_t gather_count = 0;  ///< elements the last GatherMask kept
    uint64_t gathered_by = 0;
    std::array<uint16_t, 4> merged_counts{};  ///< how much of its lists the last MrgSort used up
    uint64_t merged_by = 0;
    float dequant_scale = 1;    ///< factor of a Cast from int32_t to half
    bool dependent = false;     ///< the next instruction uses the result of the last one
    uint64_t last_started = 0;  ///< number of the last instruction that started
};

}  // namespace twin
