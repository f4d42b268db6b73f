// Row and column reductions of the high-level library: Sum, Mean, ReduceX with patterns, CumSum, Broadcast.
#pragma once

#include "twin/api/vector_reduce_tensor.h"
#include "twin/lib/composite.h"

namespace AscendC {

struct SumParams {
    uint32_t outter = 1;
    uint32_t inner = 0;
    uint32_t n = 0;
};
struct MeanParams {
    uint32_t outter = 1;
    uint32_t inner = 0;
    uint32_t n = 0;
};
struct CumSumInfo {
    uint32_t outter = 0;
    uint32_t inner = 0;
};

namespace Pattern {
namespace Reduce {
struct R {};
struct AR {};
struct RA {};
}  // namespace Reduce
}  // namespace Pattern

}  // namespace AscendC

namespace twin {

template <bool all>
struct RowLogic;

/// Element types of a reduction of the library: logic takes float and uint8_t, all others half and float.
template <class Reduce, class T>
constexpr bool takes() {
    if constexpr (std::is_same<Reduce, RowLogic<true>>::value ||
                  std::is_same<Reduce, RowLogic<false>>::value) {
        return is_one_of<T, float, uint8_t>;
    } else {
        return is_one_of<T, half, float>;
    }
}

/// Checks and issues a reduction of `rows` rows of `width` elements, of which the first `used` count, to
/// `results` elements.
template <class T>
void issue_reduction(const char* call, const Site& site, const AscendC::LocalTensor<T>& dst,
                     const AscendC::LocalTensor<T>& src, uint64_t rows, uint64_t width, uint64_t used,
                     uint64_t results, double steps) {
    Instruction instruction(Pipe::V, call, site);
    require_used(instruction, used, width);
    const uint64_t elements = product_of(rows, width);
    instruction.read_aligned(src.view(), 0, product_of(elements, sizeof(T)));
    instruction.write_aligned(dst.view(), 0, product_of(results, sizeof(T)));
    issue_composite(instruction, steps, elements, sizeof(T));
}

/// dst[row] = reduce(row) over the first `used` of `width` elements.
template <class T, class Reduce>
void reduce_rows(const char* call, const Site& site, const AscendC::LocalTensor<T>& dst,
                 const AscendC::LocalTensor<T>& src, uint64_t rows, uint64_t width, uint64_t used,
                 Reduce reduce) {
    static_assert(takes<Reduce, T>(), "reductions: data type not supported by the library");
    TWIN_CALL(call, site, dst, src, rows, width, used, reduce);
    issue_reduction(call, site, dst, src, rows, width, used, rows, 8);
    std::vector<T> results(rows);
    for (uint64_t row = 0; row < rows; ++row) results[row] = reduce(src.data() + row * width, used);
    std::copy(results.begin(), results.end(), dst.data());
}

struct RowSum {
    template <class T>
    T operator()(const T* values, uint64_t count) const {
        return tensor_sum(values, count);
    }
};
struct RowMean {
    template <class T>
    T operator()(const T* values, uint64_t count) const {
        return static_cast<T>(static_cast<float>(tensor_sum(values, count)) / static_cast<float>(count));
    }
};
template <bool maximum>
struct RowExtreme {
    template <class T>
    T operator()(const T* values, uint64_t count) const {
        return find_extreme<maximum>(values, static_cast<uint32_t>(count)).value;
    }
};
/// Logical and or or of zeros and ones.
template <bool all>
struct RowLogic {
    template <class T>
    T operator()(const T* values, uint64_t count) const {
        for (uint64_t i = 0; i < count; ++i) {
            if ((values[i] != T(0)) != all) return T(all ? 0 : 1);
        }
        return T(all ? 1 : 0);
    }
};
struct RowProduct {
    template <class T>
    T operator()(const T* values, uint64_t count) const {
        T product = static_cast<T>(1.0f);
        for (uint64_t i = 0; i < count; ++i)
            product = static_cast<T>(Compute<T>(product) * Compute<T>(values[i]));
        return product;
    }
};

/// dst[i] = reduce(column i) of the first `used` of `width` columns.
template <class T, class Reduce>
void reduce_columns(const char* call, const Site& site, const AscendC::LocalTensor<T>& dst,
                    const AscendC::LocalTensor<T>& src, uint64_t rows, uint64_t width, uint64_t used,
                    Reduce reduce) {
    static_assert(takes<Reduce, T>(), "reductions: data type not supported by the library");
    TWIN_CALL(call, site, dst, src, rows, width, used, reduce);
    issue_reduction(call, site, dst, src, rows, width, used, used, 2);
    if (rows == 0 || width == 0) return;
    std::vector<T> column(rows), results(used);
    for (uint64_t i = 0; i < used; ++i) {
        for (uint64_t row = 0; row < rows; ++row) column[row] = src.data()[row * width + i];
        results[i] = reduce(column.data(), rows);
    }
    std::copy(results.begin(), results.end(), dst.data());
}

/// Reduces a matrix along its last (AR) or first (RA) axis.
template <class Pattern, class T, class Reduce>
void reduce_pattern(const char* call, const Site& site, const AscendC::LocalTensor<T>& dst,
                    const AscendC::LocalTensor<T>& src, const uint32_t shape[], bool inner_padded,
                    Reduce reduce) {
    constexpr uint64_t kPerBlock = kBlockBytes / sizeof(T);
    const uint64_t rows = shape[0], used = shape[1];
    const uint64_t width = inner_padded ? (used + kPerBlock - 1) / kPerBlock * kPerBlock : used;
    if constexpr (std::is_same<Pattern, AscendC::Pattern::Reduce::AR>::value) {
        reduce_rows(call, site, dst, src, rows, width, used, reduce);
    } else {
        static_assert(std::is_same<Pattern, AscendC::Pattern::Reduce::RA>::value,
                      "only the patterns AR and RA exist");
        reduce_columns(call, site, dst, src, rows, width, used, reduce);
    }
}

/// Rows and columns of a matrix.
struct MatrixShape {
    uint64_t rows, columns;
};
/// Repeats a vector or a row or column of a matrix until dst has its shape.
template <class T>
void broadcast_matrix(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, MatrixShape to,
                      MatrixShape from, const Site& site) {
    static_assert(sizeof(T) <= 4, "Broadcast: data of up to 32 bits");
    TWIN_CALL(dst, src, to, from, site);
    const uint64_t elements = product_of(to.rows, to.columns);
    const uint64_t from_elements = product_of(from.rows, from.columns);
    Instruction instruction(Pipe::V, "Broadcast", site);
    const bool fits =
        (from.rows == 1 || from.rows >= to.rows) && (from.columns == 1 || from.columns >= to.columns);
    if (!fits) {
        instruction.fail(rules::vector_limit,
                         {"an axis of the source has one element or as many as the result's", "", ""});
    }
    instruction.read_aligned(src.view(), 0, product_of(from_elements, sizeof(T)));
    instruction.write_aligned(dst.view(), 0, product_of(elements, sizeof(T)));
    issue_composite(instruction, 2, elements, sizeof(T));
    const std::vector<T> values(src.data(), src.data() + from_elements);
    for (uint64_t row = 0; row < to.rows; ++row) {
        for (uint64_t column = 0; column < to.columns; ++column) {
            const uint64_t of_row = (from.rows == 1 ? 0 : row) * from.columns;
            dst.data()[row * to.columns + column] = values[of_row + (from.columns == 1 ? 0 : column)];
        }
    }
}

}  // namespace twin

namespace AscendC {

template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const SumParams& params,
         const twin::Site& site = twin::Site::here()) {
    twin::reduce_rows("Sum", site, dst, src, params.outter, params.inner, params.n, twin::RowSum{});
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
         const SumParams& params, const twin::Site& site = twin::Site::here()) {
    static_cast<void>(sharedTmpBuffer);
    Sum<T, reduceDim>(dst, src, params, site);
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
void Mean(const LocalTensor<T>& dst, const LocalTensor<T>& src, const MeanParams& params,
          const twin::Site& site = twin::Site::here()) {
    twin::reduce_rows("Mean", site, dst, src, params.outter, params.inner, params.n, twin::RowMean{});
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
void Mean(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
          const MeanParams& params, const twin::Site& site = twin::Site::here()) {
    static_cast<void>(sharedTmpBuffer);
    Mean<T, accType>(dst, src, params, site);
}

#define TWIN_PATTERN_REDUCE(NAME, REDUCE)                                                               \
    template <typename T, typename pattern, bool isReuseSource = false>                                 \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                     \
              const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool srcInnerPad, \
              const twin::Site& site = twin::Site::here()) {                                            \
        static_cast<void>(sharedTmpBuffer);                                                             \
        twin::reduce_pattern<pattern>(#NAME, site, dst, src, srcShape, srcInnerPad, REDUCE{});          \
    }                                                                                                   \
    template <typename T, typename pattern, bool isReuseSource = false>                                 \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t srcShape[],          \
              bool srcInnerPad, const twin::Site& site = twin::Site::here()) {                          \
        twin::reduce_pattern<pattern>(#NAME, site, dst, src, srcShape, srcInnerPad, REDUCE{});          \
    }

TWIN_PATTERN_REDUCE(ReduceSum, twin::RowSum)
TWIN_PATTERN_REDUCE(ReduceMean, twin::RowMean)
TWIN_PATTERN_REDUCE(ReduceMax, twin::RowExtreme<true>)
TWIN_PATTERN_REDUCE(ReduceMin, twin::RowExtreme<false>)
TWIN_PATTERN_REDUCE(ReduceProd, twin::RowProduct)

TWIN_PATTERN_REDUCE(ReduceAll, twin::RowLogic<true>)
TWIN_PATTERN_REDUCE(ReduceAny, twin::RowLogic<false>)

#undef TWIN_PATTERN_REDUCE

/// Repeats a vector or a row or column of a matrix until dst has its shape.
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], const twin::Site& site = twin::Site::here()) {
    static_assert(dim == 1 || dim == 2, "Broadcast: one or two dimensions");
    const twin::MatrixShape to{dim == 1 ? 1 : dstShape[0], dstShape[dim - 1]};
    const twin::MatrixShape from{dim == 1 ? 1 : srcShape[0], srcShape[dim - 1]};
    twin::broadcast_matrix(dst, src, to, from, site);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void Broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], LocalTensor<uint8_t>& sharedTmpBuffer,
               const twin::Site& site = twin::Site::here()) {
    static_cast<void>(sharedTmpBuffer);
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, site);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], const twin::Site& site = twin::Site::here()) {
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, site);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
void BroadCast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dstShape[dim],
               const uint32_t srcShape[dim], LocalTensor<uint8_t>& sharedTmpBuffer,
               const twin::Site& site = twin::Site::here()) {
    static_cast<void>(sharedTmpBuffer);
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, site);
}

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
struct CumSumConfig {
    bool isLastAxis = true;
    bool isReuseSource = false;
    bool outputLastRow = false;
    CumSumAlgorithm algorithm = CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE;
};
constexpr CumSumConfig defaultCumSumConfig{};

}  // namespace AscendC

namespace twin {

/// What running sums cost: the library adds line to line, as floats. Rows become lines by a transposition of
/// 16 rows and more, and one back. Source: CumSum.md; the library's own cumsum_common_impl.h.
inline LibraryPrice price_of_sums(bool along_rows, const AscendC::CumSumInfo& info, size_t bytes) {
    constexpr uint64_t kRows = 16;
    const uint64_t lines = along_rows ? info.inner : info.outter;
    const uint64_t length = along_rows ? (info.outter + kRows - 1) / kRows * kRows : info.inner;
    LibraryPrice price;
    price.add(static_cast<double>(lines), kTwoSourceRate, length, sizeof(float));
    if (along_rows) price.add(2, kFullRate, product_of(lines, length), bytes);
    if (bytes < sizeof(float)) price.add(2, kCastRate, product_of(lines, length), sizeof(float));
    return price;
}

/// Running sums along the last or the first axis.
template <bool along_rows, bool with_last, class T>
void cumulate(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& last_row,
              const AscendC::LocalTensor<T>& src, AscendC::CumSumInfo info, const Site& site) {
    TWIN_REQUIRE_HALF_OR_FLOAT("CumSum");
    TWIN_CALL(dst, last_row, src, info, site);
    const uint64_t elements = product_of(info.outter, info.inner), bytes = product_of(elements, sizeof(T));
    Instruction instruction(Pipe::V, "CumSum", site);
    instruction.read_aligned(src.view(), 0, bytes);
    instruction.write_aligned(dst.view(), 0, bytes);
    if (with_last) instruction.write_aligned(last_row.view(), 0, product_of(info.inner, sizeof(T)));
    price_of_sums(along_rows, info, sizeof(T)).issue(instruction);
    if (elements == 0) return;
    std::vector<float> sums(src.data(), src.data() + elements);
    const uint64_t step = along_rows ? 1 : info.inner;
    for (uint64_t i = 0; i < elements; ++i) {
        const bool first = along_rows ? i % info.inner == 0 : i < info.inner;
        if (!first) sums[i] += sums[i - step];
    }
    for (uint64_t i = 0; i < elements; ++i) dst.data()[i] = static_cast<T>(sums[i]);
    if (!with_last) return;
    for (uint64_t i = 0; i < info.inner; ++i)
        last_row.data()[i] = static_cast<T>(sums[elements - info.inner + i]);
}

}  // namespace twin

namespace AscendC {

/// Running sums along the last or the first axis; the last row is also returned.
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(LocalTensor<T>& dst, LocalTensor<T>& lastRow, const LocalTensor<T>& src,
            LocalTensor<uint8_t>& sharedTmpBuffer, const CumSumInfo& info,
            const twin::Site& site = twin::Site::here()) {
    static_cast<void>(sharedTmpBuffer);
    twin::cumulate<config.isLastAxis, config.outputLastRow>(dst, lastRow, src, info, site);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(LocalTensor<T>& dst, LocalTensor<T>& lastRow, const LocalTensor<T>& src, const CumSumInfo& info,
            const twin::Site& site = twin::Site::here()) {
    LocalTensor<uint8_t> none;
    CumSum<T, config>(dst, lastRow, src, none, info, site);
}

}  // namespace AscendC
