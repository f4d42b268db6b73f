// SoftMax and LogSoftMax of the high-level library over the last axis of a matrix in UB.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
#include "twin/lib/composite.h"

namespace AscendC {

struct SoftMaxShapeInfo {
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
};
using LastAxisShapeND = SoftMaxShapeInfo;

}  // namespace AscendC

namespace twin {

/// Rows, row length in UB and row length that counts.
struct SoftMaxShape {
    uint64_t rows, width, used;
};

inline SoftMaxShape softmax_shape(const SoftMaxTiling& tiling, const AscendC::SoftMaxShapeInfo& info) {
    const uint64_t width = info.srcK != 0 ? info.srcK : tiling.srcK;
    return {info.srcM != 0 ? info.srcM : tiling.srcM, width, info.oriSrcK != 0 ? info.oriSrcK : width};
}

/// LogSoftMax is documented with the decimal logarithm.
constexpr float kLog10E = 0.43429448f;

/// `with_state`: maximum and sum of every row are written as one 32-byte block of equal values.
template <bool logarithm, bool with_state, class T, class U>
void softmax_rows(const char* call, const Site& site, const AscendC::LocalTensor<T>& dst,
                  const AscendC::LocalTensor<U>& sums, const AscendC::LocalTensor<U>& maxima,
                  const AscendC::LocalTensor<T>& src, SoftMaxShape shape) {
    static_assert(is_one_of<T, half, float> && is_one_of<U, half, float>, "SoftMax: half and float only");
    TWIN_CALL(call, site, dst, sums, maxima, src, shape);
    constexpr uint64_t kPerBlock = kBlockBytes / sizeof(U);
    Instruction instruction(Pipe::V, call, site);
    require_used(instruction, shape.used, shape.width);
    const uint64_t elements = product_of(shape.rows, shape.width);
    const uint64_t bytes = product_of(elements, sizeof(T)), of_state = product_of(shape.rows, kBlockBytes);
    instruction.read_aligned(src.view(), 0, bytes);
    instruction.write_aligned(dst.view(), 0, bytes);
    if (with_state) {
        instruction.write_aligned(sums.view(), 0, of_state);
        instruction.write_aligned(maxima.view(), 0, of_state);
    }
    issue_composite(instruction, 14, elements, sizeof(T));
    if (elements == 0) return;
    std::vector<float> row(shape.used);
    for (uint64_t r = 0; r < shape.rows; ++r) {
        const T* from = src.data() + r * shape.width;
        T* to = dst.data() + r * shape.width;
        float top = -std::numeric_limits<float>::infinity(), sum = 0;
        for (uint64_t i = 0; i < shape.used; ++i) top = MaxFunction{}(top, static_cast<float>(from[i]));
        for (uint64_t i = 0; i < shape.used; ++i) {
            row[i] = std::exp(static_cast<float>(from[i]) - top);
            sum += row[i];
        }
        const float log_sum = std::log(sum);
        for (uint64_t i = 0; i < shape.used; ++i) {
            to[i] = static_cast<T>(logarithm ? (static_cast<float>(from[i]) - top - log_sum) * kLog10E
                                             : row[i] / sum);
        }
        if (!with_state) continue;
        std::fill_n(sums.data() + r * kPerBlock, kPerBlock, static_cast<U>(sum));
        std::fill_n(maxima.data() + r * kPerBlock, kPerBlock, static_cast<U>(top));
    }
}

}  // namespace twin

namespace AscendC {

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
             const LocalTensor<T>& src, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
             const twin::Site& site = twin::Site::here()) {
    twin::softmax_rows<false, true>("SoftMax", site, dst, sum, max, src, twin::softmax_shape(tiling, shape));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
             const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
             const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
             const twin::Site& site = twin::Site::here()) {
    static_cast<void>(sharedTmpBuffer);
    twin::softmax_rows<false, true>("SoftMax", site, dst, sum, max, src, twin::softmax_shape(tiling, shape));
}
/// Half data with float sum and maximum.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftMax(const LocalTensor<half>& dst, const LocalTensor<float>& sum, const LocalTensor<float>& max,
             const LocalTensor<half>& src, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
             const twin::Site& site = twin::Site::here()) {
    twin::softmax_rows<false, true>("SoftMax", site, dst, sum, max, src, twin::softmax_shape(tiling, shape));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& shape = {}, const twin::Site& site = twin::Site::here()) {
    const LocalTensor<T> none;
    twin::softmax_rows<false, false>("SoftMax", site, dst, none, none, src,
                                     twin::softmax_shape(tiling, shape));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src,
             const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& shape = {}, const twin::Site& site = twin::Site::here()) {
    static_cast<void>(sharedTmpBuffer);
    const LocalTensor<T> none;
    twin::softmax_rows<false, false>("SoftMax", site, dst, none, none, src,
                                     twin::softmax_shape(tiling, shape));
}

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
void LogSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
                const LocalTensor<T>& src, const LogSoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
                const twin::Site& site = twin::Site::here()) {
    twin::softmax_rows<true, true>("LogSoftMax", site, dst, sum, max, src,
                                   twin::softmax_shape(tiling, shape));
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
void LogSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
                const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                const LogSoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
                const twin::Site& site = twin::Site::here()) {
    static_cast<void>(sharedTmpBuffer);
    twin::softmax_rows<true, true>("LogSoftMax", site, dst, sum, max, src,
                                   twin::softmax_shape(tiling, shape));
}

/// dst = exp(src - max) / sum with given row maxima and sums.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SimpleSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
                   const LocalTensor<T>& src, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& info = {},
                   const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, sum, max, src, tiling, info, site);
    const auto shape = twin::softmax_shape(tiling, info);
    constexpr uint64_t kPerBlock = twin::kBlockBytes / sizeof(T);
    twin::Instruction instruction(twin::Pipe::V, "SimpleSoftMax", site);
    twin::require_used(instruction, shape.used, shape.width);
    const uint64_t elements = twin::product_of(shape.rows, shape.width);
    const uint64_t bytes = twin::product_of(elements, sizeof(T));
    const uint64_t of_state = twin::product_of(shape.rows, twin::kBlockBytes);
    instruction.read_aligned(src.view(), 0, bytes);
    instruction.read_aligned(sum.view(), 0, of_state);
    instruction.read_aligned(max.view(), 0, of_state);
    instruction.write_aligned(dst.view(), 0, bytes);
    twin::issue_composite(instruction, 4, elements, sizeof(T));
    for (uint64_t r = 0; r < shape.rows; ++r) {
        const float top = max.data()[r * kPerBlock], total = sum.data()[r * kPerBlock];
        for (uint64_t i = r * shape.width; i < r * shape.width + shape.used; ++i) {
            dst.data()[i] = static_cast<T>(std::exp(static_cast<float>(src.data()[i]) - top) / total);
        }
    }
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SimpleSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
                   const LocalTensor<T>& src, const LocalTensor<uint8_t>&, const SoftMaxTiling& tiling,
                   const SoftMaxShapeInfo& info = {}, const twin::Site& site = twin::Site::here()) {
    SimpleSoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ>(dst, sum, max, src, tiling, info, site);
}

}  // namespace AscendC
