// The tiling of one matrix product over several cores.
#pragma once

#include "twin/host/matmul_tiling.h"

namespace matmul_tiling {

/// Splits one product over several cores.
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;

    int32_t SetSingleRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1,
                           int32_t = -1) {
        return 0;
    }
    int32_t SetAlignSplit(int32_t m, int32_t n, int32_t) {
        align_m_ = std::max(16, m), align_n_ = std::max(16, n);
        return 0;
    }
    void EnableMultiCoreSplitK(bool enable) { split_k_ = enable; }
    int32_t GetSingleShape(int32_t& m, int32_t& n, int32_t& k) const {
        m = chosen_.singleCoreM, n = chosen_.singleCoreN, k = chosen_.singleCoreK;
        return 0;
    }
    int32_t GetCoreNum(int32_t& dim, int32_t& rows, int32_t& columns) const {
        dim = chosen_.usedCoreNum;
        rows = Ceil(m_, chosen_.singleCoreM);
        columns = Ceil(n_, chosen_.singleCoreN);
        return 0;
    }

private:
    void ChooseSingle() override {
        MatmulApiTilingBase::ChooseSingle();
        double least = -1;
        for (int32_t rows = 1; rows <= cores_; ++rows) {
            for (int32_t columns = 1; columns <= cores_ / rows; ++columns) TryGrid(rows, columns, least);
        }
        const int32_t left = cores_ / std::max(1, chosen_.usedCoreNum);
        if (!split_k_ || single_k_ > 0 || left < 2) return;
        int32_t parts = left;  // many kernels take the parts of the inner dimension to be equal
        while (parts > 1 && (k_ % parts != 0 || k_ / parts % 16 != 0)) --parts;
        chosen_.singleCoreK = RoundUp(Ceil(k_, parts > 1 ? parts : left), 16);
        chosen_.usedCoreNum *= Ceil(k_, chosen_.singleCoreK);
    }

    /// Takes the grid when its largest part is smaller than that of the best so far. Grids of equal parts may
    /// be half as large again, because kernels often do without tails; then the squarer one, then the one
    /// with more rows.
    void TryGrid(int32_t rows, int32_t columns, double& least) {
        constexpr double kUneven = 1.5;
        const int32_t m = single_m_ > 0 ? single_m_ : std::min(m_, RoundUp(Ceil(m_, rows), align_m_));
        const int32_t n = single_n_ > 0 ? single_n_ : std::min(n_, RoundUp(Ceil(n_, columns), align_n_));
        const int32_t used = Ceil(m_, m) * Ceil(n_, n);
        if (used > cores_) return;
        const bool even = m_ % m == 0 && n_ % n == 0;
        const double work = double(RoundUp(m, 16)) * RoundUp(n, 16) * (even ? 1 : kUneven) * 1024 + m + n;
        if (least >= 0 && work > least) return;
        least = work;
        chosen_.singleCoreM = m, chosen_.singleCoreN = n;
        chosen_.usedCoreNum = used;
    }

    int32_t align_m_ = 16, align_n_ = 16;
    bool split_k_ = false;
};

}  // namespace matmul_tiling
