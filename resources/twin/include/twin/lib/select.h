// TopK, Pad, UnPad, DropOut and the end of the Welford algorithm.
#pragma once

#include <numeric>

#include "kernel_tiling/kernel_tiling.h"
#include "twin/lib/topk_mode.h"
#include "twin/lib/training.h"

namespace AscendC {

struct TopKInfo {
    int32_t outter = 1;
    int32_t inner = 0;
    int32_t n = 0;
};
struct PadParams {
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
    int32_t padValue = 0;
};
struct UnPadParams {
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
};
struct DropOutShapeInfo {
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

}  // namespace AscendC

namespace twin {

/// What TopK costs. The library sorts a row after the other by Sort32 and MrgSort, of four lists while there
/// are as many, of two with `kept` elements each of what is left; each step but the last is copied. Rows of
/// the small mode are sorted together. Source: TopK.md, MERGE_SORT; the library's own topk_v220_impl.h.
inline LibraryPrice price_of_top_k(uint64_t rows, uint64_t width, uint64_t kept, bool largest,
                                   bool small_mode, size_t bytes) {
    constexpr size_t kWord = 4;  // of the pairs of a value and an index
    const auto repeats = static_cast<double>(small_mode ? 1 : rows);
    LibraryPrice price;
    const auto sort = [&](uint64_t elements) { price.add(repeats, kSortRate, elements, bytes); };
    const auto copy = [&] { price.add(repeats, kFullRate, 2 * width, kWord); };
    if (small_mode) {
        width = product_of(rows, width), kept = width;
        sort(width);
    } else {
        sort(width), copy();
        uint64_t list = 32;
        for (; list * 4 <= width; list *= 4) sort(width), copy();
        for (uint64_t merged = list, next = list; merged < width;) {
            for (; next > width - merged; next /= 4) {
            }
            sort(std::min(merged, kept) + std::min(next, kept));
            merged += next;
        }
    }
    if (!largest) price.add(2 * repeats, kFullRate, width, bytes);  // times -1, and back
    price.add(2 * repeats, kGatherMaskRate, 2 * kept, kWord);
    return price;
}

template <bool has_index, bool has_finish, bool small_mode, class T>
void top_k(const AscendC::LocalTensor<T>& values, const AscendC::LocalTensor<int32_t>& indices,
           const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<int32_t>& src_index,
           const AscendC::LocalTensor<bool>& finish, int32_t k, AscendC::TopKInfo info, bool largest,
           const Site& site) {
    TWIN_REQUIRE_HALF_OR_FLOAT("TopK");
    TWIN_CALL(values, indices, src, src_index, finish, k, info, largest, site);
    const auto rows = static_cast<uint64_t>(info.outter), width = static_cast<uint64_t>(info.inner);
    const auto used = static_cast<uint64_t>(info.n), kept = static_cast<uint64_t>(k);
    constexpr uint64_t kValues = kBlockBytes / sizeof(T), kIndices = kBlockBytes / sizeof(int32_t);
    const uint64_t value_step = (kept + kValues - 1) / kValues * kValues;
    const uint64_t index_step = (kept + kIndices - 1) / kIndices * kIndices;
    Instruction instruction(Pipe::V, "TopK", site);
    constexpr uint64_t kMostWidth = small_mode ? 32 : 4096;
    if (width % 32 != 0 || width > kMostWidth || kept < 1 || kept > used || used > width) {
        instruction.fail(rules::vector_limit,
                         {format("inner %d must be a multiple of 32 and at most 4096 (32 in the small mode), "
                                 "k %d in 1..n, n %d at most inner",
                                 info.inner, k, info.n),
                          "", format("%llu elements of a row", static_cast<unsigned long long>(kMostWidth))});
    }
    const uint64_t elements = product_of(rows, width);
    instruction.read_aligned(src.view(), 0, product_of(elements, sizeof(T)));
    if (has_index) {
        const uint64_t of_index = small_mode ? elements : width;
        instruction.read_aligned(src_index.view(), 0, product_of(of_index, sizeof(int32_t)));
    }
    if (has_finish) instruction.read_aligned(finish.view(), 0, rows);
    instruction.write_aligned(values.view(), 0, product_of(rows, value_step, sizeof(T)));
    instruction.write_aligned(indices.view(), 0, product_of(rows, index_step, sizeof(int32_t)));
    price_of_top_k(rows, width, kept, largest, small_mode, sizeof(T)).issue(instruction);
    if (elements == 0) return;
    std::vector<uint32_t> order(used);
    for (uint64_t row = 0; row < rows; ++row) {
        const T* from = src.data() + row * width;
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            const float left = static_cast<float>(from[a]), right = static_cast<float>(from[b]);
            return largest ? precedes<true>(left, right) : precedes<false>(left, right);
        });
        const uint64_t index_row = small_mode ? row * width : 0;
        for (uint64_t i = 0; i < kept; ++i) {
            values.data()[row * value_step + i] = from[order[i]];
            int32_t index =
                has_index ? src_index.data()[index_row + order[i]] : static_cast<int32_t>(order[i]);
            if (has_finish && finish.data()[row]) index = info.n;
            indices.data()[row * index_step + i] = index;
        }
    }
}

}  // namespace twin

namespace AscendC {

/// The k largest (or smallest) elements of every row, largest (smallest) first; equal ones by position, NaN
/// before all. Rows of the results start at multiples of 32 bytes.
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode topkMode = TopKMode::TOPK_NORMAL>
void TopK(const LocalTensor<T>& dstValue, const LocalTensor<int32_t>& dstIndex, const LocalTensor<T>& src,
          const LocalTensor<int32_t>& srcIndex, const LocalTensor<bool>& finish, const LocalTensor<uint8_t>&,
          const int32_t k, const TopkTiling&, const TopKInfo& info, const bool isLargest = true,
          const twin::Site& site = twin::Site::here()) {
    twin::top_k<isInitIndex, isHasfinish, topkMode == TopKMode::TOPK_NSMALL>(
        dstValue, dstIndex, src, srcIndex, finish, k, info, isLargest, site);
}
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode topkMode = TopKMode::TOPK_NORMAL>
void TopK(const LocalTensor<T>& dstValue, const LocalTensor<int32_t>& dstIndex, const LocalTensor<T>& src,
          const LocalTensor<int32_t>& srcIndex, const LocalTensor<bool>& finish, const int32_t k,
          const TopkTiling& tiling, const TopKInfo& info, const bool isLargest = true,
          const twin::Site& site = twin::Site::here()) {
    TopK<T, isInitIndex, isHasfinish, isReuseSrc, topkMode>(
        dstValue, dstIndex, src, srcIndex, finish, LocalTensor<uint8_t>(), k, tiling, info, isLargest, site);
}

/// Rows of srcOriWidth elements (stored srcWidth apart) get padding on both sides, up to a multiple of 32
/// bytes.
template <typename T>
void Pad(const LocalTensor<T>& dst, const LocalTensor<T>& src, PadParams& padParams, PadTiling& tiling,
         const twin::Site& site = twin::Site::here()) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Pad: 16-bit and 32-bit data only");
    TWIN_CALL(dst, src, padParams, tiling, site);
    constexpr uint64_t kPerBlock = twin::kBlockBytes / sizeof(T);
    const uint64_t rows = tiling.srcHeight, used = tiling.srcOriWidth, left = padParams.leftPad;
    const uint64_t width = (left + used + padParams.rightPad + kPerBlock - 1) / kPerBlock * kPerBlock;
    twin::Instruction instruction(twin::Pipe::V, "Pad", site);
    twin::require_used(instruction, used, tiling.srcWidth);
    instruction.read_aligned(src.view(), 0, twin::product_of(rows, tiling.srcWidth, sizeof(T)));
    instruction.write_aligned(dst.view(), 0, twin::product_of(rows, width, sizeof(T)));
    twin::issue_composite(instruction, 3, rows * width, sizeof(T));
    const std::vector<T> source(src.data(), src.data() + rows * tiling.srcWidth);
    for (uint64_t row = 0; row < rows; ++row) {
        for (uint64_t i = 0; i < width; ++i) {
            const bool inside = i >= left && i < left + used;
            dst.data()[row * width + i] =
                inside ? source[row * tiling.srcWidth + i - left] : static_cast<T>(padParams.padValue);
        }
    }
}
template <typename T>
void Pad(const LocalTensor<T>& dst, const LocalTensor<T>& src, PadParams& padParams,
         const LocalTensor<uint8_t>&, PadTiling& tiling, const twin::Site& site = twin::Site::here()) {
    Pad(dst, src, padParams, tiling, site);
}

/// Drops the last rightPad elements of every row.
template <typename T>
void UnPad(const LocalTensor<T>& dst, const LocalTensor<T>& src, UnPadParams& unPadParams,
           UnPadTiling& tiling, const twin::Site& site = twin::Site::here()) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "UnPad: 16-bit and 32-bit data only");
    TWIN_CALL(dst, src, unPadParams, tiling, site);
    const uint64_t rows = tiling.srcHeight, width = tiling.srcWidth, kept = width - unPadParams.rightPad;
    twin::Instruction instruction(twin::Pipe::V, "UnPad", site);
    twin::require_used(instruction, unPadParams.rightPad, width);
    instruction.read_aligned(src.view(), 0, twin::product_of(rows, width, sizeof(T)));
    instruction.write_aligned(dst.view(), 0, twin::product_of(rows, kept, sizeof(T)));
    twin::issue_composite(instruction, 3, rows * width, sizeof(T));
    const std::vector<T> source(src.data(), src.data() + rows * width);
    for (uint64_t i = 0; i < rows * kept; ++i) dst.data()[i] = source[i / kept * width + i % kept];
}
template <typename T>
void UnPad(const LocalTensor<T>& dst, const LocalTensor<T>& src, UnPadParams& unPadParams,
           LocalTensor<uint8_t>&, UnPadTiling& tiling, const twin::Site& site = twin::Site::here()) {
    UnPad(dst, src, unPadParams, tiling, site);
}

/// Keeps the elements whose mask is set, divided by keepProb; the others become 0. One byte of mask per
/// element, or one bit (dropOutMode 3 and 4).
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
void DropOut(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& mask,
             const float keepProb, const DropOutShapeInfo& info,
             const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_HALF_OR_FLOAT("DropOut");
    static_assert(dropOutMode <= 4, "DropOut: dropOutMode is 0 to 4");
    TWIN_CALL(dst, src, mask, keepProb, info, site);
    const uint64_t rows = info.firstAxis, width = info.srcLastAxis;
    const bool bits = dropOutMode >= 3 || (dropOutMode == 0 && info.maskLastAxis < info.srcLastAxis);
    twin::Instruction instruction(twin::Pipe::V, "DropOut", site);
    const uint64_t bytes = twin::product_of(rows, width, sizeof(T));
    twin::require_used(instruction, bits ? (width + 7) / 8 : width, info.maskLastAxis);
    instruction.read_aligned(src.view(), 0, bytes);
    instruction.read_aligned(mask.view(), 0, rows * info.maskLastAxis);
    instruction.write_aligned(dst.view(), 0, bytes);
    twin::issue_composite(instruction, 3, rows * width, sizeof(T));
    for (uint64_t i = 0; i < rows * width; ++i) {
        const uint8_t* row = mask.data() + i / width * info.maskLastAxis;
        const uint64_t column = i % width;
        const bool keep = bits ? (row[column / 8] >> (column % 8) & 1) != 0 : row[column] != 0;
        dst.data()[i] =
            keep ? static_cast<T>(static_cast<float>(src.data()[i]) / keepProb) : static_cast<T>(0.0f);
    }
}
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
void DropOut(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& mask,
             const LocalTensor<uint8_t>&, const float keepProb, const DropOutShapeInfo& info,
             const twin::Site& site = twin::Site::here()) {
    DropOut<T, isInitBitMode, dropOutMode>(dst, src, mask, keepProb, info, site);
}

}  // namespace AscendC

namespace twin {

/// Joins `abLength` running means and sums into one mean and variance; count(i) values are behind each of
/// them.
template <class Count>
void welford_finish(Instruction& instruction, const AscendC::LocalTensor<float>& out_mean,
                    const AscendC::LocalTensor<float>& out_variance, const AscendC::LocalTensor<float>& means,
                    const AscendC::LocalTensor<float>& sums, uint64_t length, float total, Count count) {
    instruction.read_aligned(means.view(), 0, length * sizeof(float));
    instruction.read_aligned(sums.view(), 0, length * sizeof(float));
    instruction.write_aligned(out_mean.view(), 0, kBlockBytes);
    instruction.write_aligned(out_variance.view(), 0, kBlockBytes);
    issue_composite(instruction, 8, length, sizeof(float));
    float mean = 0, variance = 0;
    for (uint64_t i = 0; i < length; ++i) mean += count(i) * means.data()[i] / total;
    for (uint64_t i = 0; i < length; ++i) {
        const float distance = means.data()[i] - mean;
        variance += (sums.data()[i] + count(i) * distance * distance) / total;
    }
    out_mean.data()[0] = mean;
    out_variance.data()[0] = variance;
}

}  // namespace twin

namespace AscendC {

template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     WelfordFinalizePara& para, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(outputMean, outputVariance, inputMean, inputVariance, para, site);
    twin::Instruction instruction(twin::Pipe::V, "WelfordFinalize", site);
    const float each = static_cast<float>(para.rnLength);
    twin::welford_finish(instruction, outputMean, outputVariance, inputMean, inputVariance, para.abLength,
                         each * static_cast<float>(para.abLength), [=](uint64_t) { return each; });
}
template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const LocalTensor<uint8_t>&, WelfordFinalizePara& para,
                     const twin::Site& site = twin::Site::here()) {
    WelfordFinalize(outputMean, outputVariance, inputMean, inputVariance, para, site);
}
/// With the number of values behind every mean.
template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const LocalTensor<int32_t>& counts, WelfordFinalizePara& para,
                     const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(outputMean, outputVariance, inputMean, inputVariance, counts, para, site);
    twin::Instruction instruction(twin::Pipe::V, "WelfordFinalize", site);
    instruction.read_aligned(counts.view(), 0, para.abLength * sizeof(int32_t));
    float total = 0;
    for (uint64_t i = 0; i < para.abLength; ++i) total += static_cast<float>(counts.data()[i]);
    const int32_t* numbers = counts.data();
    twin::welford_finish(instruction, outputMean, outputVariance, inputMean, inputVariance, para.abLength,
                         total, [=](uint64_t i) { return static_cast<float>(numbers[i]); });
}
template <bool isReuseSource = false>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const LocalTensor<int32_t>& counts, const LocalTensor<uint8_t>&,
                     WelfordFinalizePara& para, const twin::Site& site = twin::Site::here()) {
    WelfordFinalize(outputMean, outputVariance, inputMean, inputVariance, counts, para, site);
}

}  // namespace AscendC
