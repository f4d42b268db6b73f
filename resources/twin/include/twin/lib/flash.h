// SoftMax of flash attention, its gradient, and the correction of its rows.
#pragma once

#include "twin/lib/softmax.h"

namespace twin {

/// The value of a row: all elements of its block, or with `packed` one element.
template <bool packed = false, class T>
float row_value(const AscendC::LocalTensor<T>& rows, uint64_t row) {
    return static_cast<float>(rows.data()[row * (packed ? 1 : kBlockBytes / sizeof(T))]);
}
template <bool packed = false, class T>
void set_row(const AscendC::LocalTensor<T>& rows, uint64_t row, float value) {
    constexpr uint64_t kElements = packed ? 1 : kBlockBytes / sizeof(T);
    std::fill_n(rows.data() + row * kElements, kElements, static_cast<T>(value));
}

/// exp(src - max) of every row, divided by the sum when `divide` (first version), with the state carried on
/// when `update`; `row_tops` gets the maximum of each row of src then, where `with_tops`. State of the rows
/// seen before, their sum and maximum, and where the new state goes: all are one 32-byte block of equal
/// values per row, or one value per row where the output is not broadcast.
template <bool packed, bool divide, bool with_tops, class T, class U>
void flash_rows(const char* call, const Site& site, const AscendC::LocalTensor<T>& dst,
                const AscendC::LocalTensor<U>& sums, const AscendC::LocalTensor<U>& maxima,
                const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<T>& correction,
                const AscendC::LocalTensor<U>& old_sums, const AscendC::LocalTensor<U>& old_maxima,
                const AscendC::LocalTensor<U>& row_tops, SoftMaxShape shape, bool update) {
    static_assert(is_one_of<T, half, float> && is_one_of<U, half, float>,
                  "SoftmaxFlash: half and float only");
    TWIN_CALL(call, site, dst, sums, maxima, src, correction, old_sums, old_maxima, row_tops, shape, update);
    Instruction instruction(Pipe::V, call, site);
    require_used(instruction, shape.used, shape.width);
    const uint64_t elements = product_of(shape.rows, shape.width);
    const uint64_t bytes = product_of(elements, sizeof(T));
    const uint64_t of_state = product_of(shape.rows, packed ? sizeof(U) : kBlockBytes);
    const uint64_t of_correction = product_of(shape.rows, packed ? sizeof(T) : kBlockBytes);
    instruction.read_aligned(src.view(), 0, bytes);
    if (update) {
        instruction.read_aligned(old_sums.view(), 0, of_state);
        instruction.read_aligned(old_maxima.view(), 0, of_state);
        instruction.write_aligned(correction.view(), 0, of_correction);
    }
    instruction.write_aligned(dst.view(), 0, bytes);
    instruction.write_aligned(sums.view(), 0, of_state);
    instruction.write_aligned(maxima.view(), 0, of_state);
    if (with_tops && update) instruction.write_aligned(row_tops.view(), 0, of_state);
    issue_composite(instruction, update ? 18 : 14, elements, sizeof(T));
    if (elements == 0) return;
    std::vector<float> row(shape.used);
    for (uint64_t r = 0; r < shape.rows; ++r) {
        const T* from = src.data() + r * shape.width;
        T* to = dst.data() + r * shape.width;
        const float old_sum = update ? row_value<packed>(old_sums, r) : 0;
        const float old_max =
            update ? row_value<packed>(old_maxima, r) : -std::numeric_limits<float>::infinity();
        float sum = 0, row_top = -std::numeric_limits<float>::infinity();
        for (uint64_t i = 0; i < shape.used; ++i)
            row_top = MaxFunction{}(row_top, static_cast<float>(from[i]));
        if (with_tops && update) set_row<packed>(row_tops, r, row_top);
        const float top = MaxFunction{}(old_max, row_top);
        for (uint64_t i = 0; i < shape.used; ++i) {
            row[i] = std::exp(static_cast<float>(from[i]) - top);
            sum += row[i];
        }
        const float carried = update ? std::exp(old_max - top) : 0;
        sum += carried * old_sum;
        for (uint64_t i = 0; i < shape.used; ++i) to[i] = static_cast<T>(divide ? row[i] / sum : row[i]);
        set_row<packed>(sums, r, sum);
        set_row<packed>(maxima, r, top);
        if (update) set_row<packed>(correction, r, divide ? carried * old_sum / sum : carried);
    }
}

/// Sum of grad * src of every row; with `front` that is the result, otherwise (grad - sum) * src.
template <class T>
void softmax_grad_rows(const char* call, const Site& site, const AscendC::LocalTensor<T>& dst,
                       const AscendC::LocalTensor<T>& grad, const AscendC::LocalTensor<T>& src,
                       SoftMaxShape shape, bool front) {
    static_assert(is_one_of<T, half, float>, "SoftmaxGrad: half and float only");
    TWIN_CALL(call, site, dst, grad, src, shape, front);
    Instruction instruction(Pipe::V, call, site);
    require_used(instruction, shape.used, shape.width);
    const uint64_t elements = product_of(shape.rows, shape.width);
    const uint64_t bytes = product_of(elements, sizeof(T));
    instruction.read_aligned(grad.view(), 0, bytes);
    instruction.read_aligned(src.view(), 0, bytes);
    instruction.write_aligned(dst.view(), 0, front ? product_of(shape.rows, kBlockBytes) : bytes);
    issue_composite(instruction, front ? 5 : 8, elements, sizeof(T));
    for (uint64_t r = 0; r < shape.rows; ++r) {
        const T *g = grad.data() + r * shape.width, *y = src.data() + r * shape.width;
        std::vector<float> products(shape.used);
        for (uint64_t i = 0; i < shape.used; ++i)
            products[i] = static_cast<float>(g[i]) * static_cast<float>(y[i]);
        const float sum = tensor_sum(products.data(), products.size());
        if (front) {
            set_row(dst, r, sum);
            continue;
        }
        for (uint64_t i = 0; i < shape.used; ++i) {
            dst.data()[r * shape.width + i] =
                static_cast<T>((static_cast<float>(g[i]) - sum) * static_cast<float>(y[i]));
        }
    }
}

}  // namespace twin

namespace AscendC {

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };
struct SoftmaxConfig {
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG{};

/// The tiling of SoftmaxFlashV2 as the kernel computes it for itself: the structure tells rows and row
/// length.
constexpr SoftMaxTiling SoftMaxFlashV2TilingFuncImpl(const uint32_t srcM, const uint32_t srcK, const uint32_t,
                                                     const uint32_t dataTypeSize2, const uint32_t,
                                                     const bool = false, const bool = false,
                                                     const bool = false, const bool = false) {
    SoftMaxTiling tiling;
    const uint32_t block = twin::kBlockBytes / (dataTypeSize2 == 0 ? 4 : dataTypeSize2);
    tiling.srcM = tiling.splitM = tiling.outMaxM = tiling.reduceM = srcM;
    tiling.srcK = tiling.splitK = srcK;
    tiling.srcSize = tiling.splitSize = srcM * srcK;
    tiling.outMaxK = tiling.reduceK = block;
    tiling.outMaxSize = tiling.reduceSize = srcM * block;
    tiling.rangeM = 1;
    return tiling;
}
constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(const SoftMaxShapeInfo& shape, const uint32_t dataTypeSize1,
                                                 const uint32_t dataTypeSize2,
                                                 const uint32_t localWorkSpaceSize,
                                                 const bool isUpdate = false, const bool isBasicBlock = false,
                                                 const bool isDataFormatNZ = false,
                                                 const bool isFlashOutputBrc = false) {
    return SoftMaxFlashV2TilingFuncImpl(shape.srcM, shape.srcK, dataTypeSize1, dataTypeSize2,
                                        localWorkSpaceSize / sizeof(float), isUpdate, isBasicBlock,
                                        isDataFormatNZ, isFlashOutputBrc);
}

// The documented forms differ in the temporary and in float state beside half data (U).
#define TWIN_FLASH(...)                                                                              \
    twin::flash_rows<kPacked, kDivide, false>(__VA_ARGS__, dst, sum, max, src, expMax, inSum, inMax, \
                                              LocalTensor<U>(), twin::softmax_shape(tiling, shape),  \
                                              isUpdate)
#define TWIN_FLASH_TENSORS                                                                                  \
    const LocalTensor<T>&dst, const LocalTensor<U>&sum, const LocalTensor<U>&max, const LocalTensor<T>&src, \
        const LocalTensor<T>&expMax, const LocalTensor<U>&inSum, const LocalTensor<U>&inMax

template <typename Declared, bool isReuseSource = false, bool isBasicBlock = false, typename T = Declared,
          typename U = Declared>
void SoftmaxFlash(TWIN_FLASH_TENSORS, const SoftMaxTiling& tiling, bool isUpdate = false,
                  const SoftMaxShapeInfo& shape = {}, const twin::Site& site = twin::Site::here()) {
    constexpr bool kDivide = true, kPacked = false;
    TWIN_FLASH("SoftmaxFlash", site);
}
template <typename Declared, bool isReuseSource = false, bool isBasicBlock = false, typename T = Declared,
          typename U = Declared>
void SoftmaxFlash(TWIN_FLASH_TENSORS, const LocalTensor<uint8_t>&, const SoftMaxTiling& tiling,
                  bool isUpdate = false, const SoftMaxShapeInfo& shape = {},
                  const twin::Site& site = twin::Site::here()) {
    constexpr bool kDivide = true, kPacked = false;
    TWIN_FLASH("SoftmaxFlash", site);
}
template <typename Declared, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG,
          typename T = Declared, typename U = Declared>
void SoftmaxFlashV2(TWIN_FLASH_TENSORS, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
                    const twin::Site& site = twin::Site::here()) {
    static_assert(!isDataFormatNZ, "SoftmaxFlashV2: Nz data is not simulated by the CPU twin");
    constexpr bool kDivide = false, kPacked = config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;
    TWIN_FLASH("SoftmaxFlashV2", site);
}
template <typename Declared, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG,
          typename T = Declared, typename U = Declared>
void SoftmaxFlashV2(TWIN_FLASH_TENSORS, const LocalTensor<uint8_t>&, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& shape = {}, const twin::Site& site = twin::Site::here()) {
    static_assert(!isDataFormatNZ, "SoftmaxFlashV2: Nz data is not simulated by the CPU twin");
    constexpr bool kDivide = false, kPacked = config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;
    TWIN_FLASH("SoftmaxFlashV2", site);
}

// The forms that give the maximum of each row as well.
#define TWIN_FLASH_TOPS(...)                                                                                 \
    static_assert(config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC && !isDataFormatNZ,                 \
                  "SoftmaxFlashV2: outReduceMax goes with SOFTMAX_OUTPUT_WITHOUT_BRC and no Nz data");       \
    twin::flash_rows<true, false, true>(__VA_ARGS__, dst, sum, max, src, expMax, inSum, inMax, outReduceMax, \
                                        twin::softmax_shape(tiling, shape), isUpdate)
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV2(const LocalTensor<T>& dst, const LocalTensor<T>& outReduceMax, const LocalTensor<T>& sum,
                    const LocalTensor<T>& max, const LocalTensor<T>& src, const LocalTensor<T>& expMax,
                    const LocalTensor<T>& inSum, const LocalTensor<T>& inMax, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& shape = {}, const twin::Site& site = twin::Site::here()) {
    TWIN_FLASH_TOPS("SoftmaxFlashV2", site);
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV2(const LocalTensor<T>& dst, const LocalTensor<T>& outReduceMax, const LocalTensor<T>& sum,
                    const LocalTensor<T>& max, const LocalTensor<T>& src, const LocalTensor<T>& expMax,
                    const LocalTensor<T>& inSum, const LocalTensor<T>& inMax, const LocalTensor<uint8_t>&,
                    const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
                    const twin::Site& site = twin::Site::here()) {
    TWIN_FLASH_TOPS("SoftmaxFlashV2", site);
}
#undef TWIN_FLASH_TOPS

#undef TWIN_FLASH
#undef TWIN_FLASH_TENSORS

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
void SoftmaxGrad(const LocalTensor<T>& dst, const LocalTensor<T>& grad, const LocalTensor<T>& src,
                 const SoftMaxTiling& tiling, bool isFront = false, const SoftMaxShapeInfo& shape = {},
                 const twin::Site& site = twin::Site::here()) {
    static_assert(!isDataFormatNZ, "SoftmaxGrad: Nz data is not simulated by the CPU twin");
    twin::softmax_grad_rows("SoftmaxGrad", site, dst, grad, src, twin::softmax_shape(tiling, shape), isFront);
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
void SoftmaxGrad(const LocalTensor<T>& dst, const LocalTensor<T>& grad, const LocalTensor<T>& src,
                 const LocalTensor<uint8_t>&, const SoftMaxTiling& tiling, bool isFront = false,
                 const SoftMaxShapeInfo& shape = {}, const twin::Site& site = twin::Site::here()) {
    SoftmaxGrad<T, isReuseSource, isDataFormatNZ>(dst, grad, src, tiling, isFront, shape, site);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftmaxGradFront(const LocalTensor<T>& dst, const LocalTensor<T>& grad, const LocalTensor<T>& src,
                      const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape = {},
                      const twin::Site& site = twin::Site::here()) {
    static_assert(!isDataFormatNZ, "SoftmaxGradFront: Nz data is not simulated by the CPU twin");
    twin::softmax_grad_rows("SoftmaxGradFront", site, dst, grad, src, twin::softmax_shape(tiling, shape),
                            true);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftmaxGradFront(const LocalTensor<T>& dst, const LocalTensor<T>& grad, const LocalTensor<T>& src,
                      const LocalTensor<uint8_t>&, const SoftMaxTiling& tiling,
                      const SoftMaxShapeInfo& shape = {}, const twin::Site& site = twin::Site::here()) {
    SoftmaxGradFront<T, isBasicBlock, isDataFormatNZ>(dst, grad, src, tiling, shape, site);
}

/// Rows whose maximum has the bits `from` become `to`. True when there was one.
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor,
                      const uint32_t from, const T1 to, const SoftMaxShapeInfo& shape,
                      const twin::Site& site = twin::Site::here()) {
    static_assert(!isDataFormatNZ, "AdjustSoftMaxRes: Nz data is not simulated by the CPU twin");
    static_assert(twin::is_one_of<T2, half, float>, "AdjustSoftMaxRes: half and float only");
    TWIN_ASK(bool, softMaxRes, maxTensor, from, to, shape, site);
    constexpr uint64_t kStep = stepSizeMode == 0 ? twin::kBlockBytes / sizeof(T2) : 1;
    const uint64_t elements = uint64_t(shape.srcM) * shape.srcK;
    {  // the scalar unit looks at the maximum of each row
        twin::Instruction access(twin::Pipe::S, "AdjustSoftMaxRes", site);
        access.read_aligned(maxTensor.view(), 0, shape.srcM * kStep * sizeof(T2));
        access.issue(shape.srcM * twin::processor().scalar_local_cycles, 0);
    }
    twin::Instruction instruction(twin::Pipe::V, "AdjustSoftMaxRes", site);
    instruction.read_aligned(maxTensor.view(), 0, shape.srcM * kStep * sizeof(T2));
    instruction.write_aligned(softMaxRes.view(), 0, twin::product_of(elements, sizeof(T1)));
    twin::issue_composite(instruction, 2, elements, sizeof(T1));
    bool found = false;
    for (uint64_t row = 0; row < shape.srcM; ++row) {
        uint32_t bits = 0;
        std::memcpy(&bits, static_cast<const void*>(maxTensor.data() + row * kStep), sizeof(T2));
        if (bits != from) continue;
        found = true;
        std::fill_n(softMaxRes.data() + row * shape.srcK, shape.srcK, to);
    }
    return found;
}

}  // namespace AscendC
