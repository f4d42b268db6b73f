// Products of a mixture of experts: rows lie expert after expert, and the rows of each are multiplied by its
// matrix.
#ifndef EXPERT_PRODUCT_H
#define EXPERT_PRODUCT_H
#include "part_finish.h"

struct ExpertLayer {
    GM_ADDR rows;      // [M, k]
    GM_ADDR matrices;  // [experts, k, n]
    GM_ADDR ends;      // [experts] int64, where the rows of each end
    uint32_t experts;
    uint32_t n;
    uint32_t k;
};

// Asks `parts` for the products of all experts; `finish` hears which row each begins with.
template <typename In, typename Parts, typename Finish>
__aicore__ inline void RunExperts(Parts& parts, Finish& finish, const ExpertLayer& layer) {
    AscendC::GlobalTensor<int64_t> ends;
    ends.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(layer.ends), layer.experts);
    const uint64_t matrix = static_cast<uint64_t>(layer.k) * layer.n * sizeof(In);
    uint64_t first = 0;
    for (uint32_t expert = 0; expert < layer.experts; ++expert) {
        const uint64_t end = static_cast<uint64_t>(ends.GetValue(expert));
        if (end > first) {
            finish.SetFirstToken(first);
            parts.Run(MatrixProduct{expert, static_cast<uint32_t>(end - first), layer.n, layer.k,
                                    layer.rows + first * layer.k * sizeof(In),
                                    layer.matrices + expert * matrix, first * layer.n});
        }
        first = end;
    }
}
#endif
