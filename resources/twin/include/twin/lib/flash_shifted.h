// SoftmaxFlashV3: SoftMax of flash attention with rows shifted by the means of their parts.
#pragma once

#include "twin/lib/flash.h"

namespace AscendC {

struct SoftMaxParams {
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    uint32_t loopCnt = 0;
    uint32_t splitMeanCnt = 0;
    float alpha = 0;
};

}  // namespace AscendC

namespace twin {

constexpr uint64_t kMeanParts = 8, kMeanLanes = 64;  ///< parts of a row; what one repeat adds up

/// Operands of one call: results, then what is carried from the rows before.
template <class T, class U>
struct ShiftedFlash {
    const AscendC::LocalTensor<T>& dst;
    const AscendC::LocalTensor<U>&mean, &sum, &max;
    const AscendC::LocalTensor<T>&src, &correction;
    const AscendC::LocalTensor<U>&old_mean, &old_sum, &old_max;
};

/// Means of the eight parts of a row as the documented algorithm adds them up: sums of eight neighbours for
/// the first 512 elements, then every further 64 elements lane by lane.
template <class T>
void part_means(const T* row, uint64_t width, float (&means)[kMeanParts]) {
    float lanes[kMeanLanes] = {};
    for (uint64_t i = 0; i < kMeanLanes * kMeanParts; ++i)
        lanes[i / kMeanParts] += static_cast<float>(row[i]);
    for (uint64_t i = kMeanLanes * kMeanParts; i < width; ++i)
        lanes[i % kMeanLanes] += static_cast<float>(row[i]);
    for (uint64_t part = 0; part < kMeanParts; ++part) {
        means[part] = 0;
        for (uint64_t i = 0; i < kMeanParts; ++i) means[part] += lanes[part * kMeanParts + i];
        means[part] /= static_cast<float>(width / kMeanParts);
    }
}

template <class T, class U>
void shifted_flash_row(const ShiftedFlash<T, U>& call, uint64_t r, const AscendC::SoftMaxParams& params,
                       bool update) {
    const uint64_t width = params.srcK, part = width / kMeanParts;
    const float factor = params.alpha / (1 - params.alpha);
    const T* from = call.src.data() + r * width;
    float means[kMeanParts], global = 0;
    part_means(from, width, means);
    for (const float value : means) global += value / kMeanParts;
    std::vector<float> row(width);
    float top = -std::numeric_limits<float>::infinity();
    for (uint64_t i = 0; i < width; ++i) {
        row[i] = static_cast<float>(from[i]) - (global - means[i / part]) * factor;
        top = MaxFunction{}(top, row[i]);
    }
    const float old_mean = update ? row_value(call.old_mean, r) : 0,
                old_max = update ? row_value(call.old_max, r) : 0;
    const float old_sum = update ? row_value(call.old_sum, r) : 0, loops = static_cast<float>(params.loopCnt);
    const float mean = update ? (global + old_mean * (loops - 1)) / loops : global;
    const float shift = (global - mean) * factor, old_shift = (old_mean - mean) * factor;
    const float max = update ? MaxFunction{}(shift + top, old_shift + old_max) : shift + top;
    float sum = 0;
    for (uint64_t i = 0; i < width; ++i) {
        const float value = std::exp(row[i] - (max - shift));
        sum += value;
        call.dst.data()[r * width + i] = static_cast<T>(value);
    }
    if (update) {
        const float carried = std::exp(old_max - max + old_shift);
        sum += carried * old_sum;
        set_row(call.correction, r, carried);
    }
    set_row(call.mean, r, mean);
    set_row(call.sum, r, sum);
    set_row(call.max, r, max);
}

template <class T, class U>
void shifted_flash(const Site& site, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& mean,
                   const AscendC::LocalTensor<U>& sum, const AscendC::LocalTensor<U>& max,
                   const AscendC::LocalTensor<T>& src, const AscendC::LocalTensor<T>& correction,
                   const AscendC::LocalTensor<U>& old_mean, const AscendC::LocalTensor<U>& old_sum,
                   const AscendC::LocalTensor<U>& old_max, const AscendC::SoftMaxParams& params,
                   bool update) {
    static_assert(std::is_same<T, half>::value && std::is_same<U, float>::value,
                  "SoftmaxFlashV3: half data, float state");
    TWIN_CALL(site, dst, mean, sum, max, src, correction, old_mean, old_sum, old_max, params, update);
    const ShiftedFlash<T, U> call{dst, mean, sum, max, src, correction, old_mean, old_sum, old_max};
    Instruction instruction(Pipe::V, "SoftmaxFlashV3", site);
    if (params.srcK < kMeanLanes * kMeanParts || params.srcK % kMeanLanes != 0 || params.srcM % 8 != 0 ||
        params.splitMeanCnt != kMeanParts || params.oriSrcK != params.srcK || params.oriSrcM != params.srcM) {
        instruction.fail(rules::vector_limit, {"SoftmaxFlashV3 takes a multiple of 8 rows of a multiple of "
                                               "64 elements, 512 or more, in 8 parts",
                                               "", "splitMeanCnt 8"});
        return;
    }
    const uint64_t elements = uint64_t(params.srcM) * params.srcK,
                   blocks = uint64_t(params.srcM) * kBlockBytes;
    const uint64_t bytes = product_of(elements, sizeof(T));
    instruction.read_aligned(call.src.view(), 0, bytes);
    if (update) {
        for (const auto* state : {&call.old_mean, &call.old_sum, &call.old_max}) {
            instruction.read_aligned(state->view(), 0, blocks);
        }
        instruction.write_aligned(call.correction.view(), 0, blocks);
    }
    instruction.write_aligned(call.dst.view(), 0, bytes);
    for (const auto* state : {&call.mean, &call.sum, &call.max})
        instruction.write_aligned(state->view(), 0, blocks);
    issue_composite(instruction, update ? 26 : 22, elements, sizeof(T));
    for (uint64_t r = 0; r < params.srcM; ++r) shifted_flash_row(call, r, params, update);
}

}  // namespace twin

namespace AscendC {

#define TWIN_FLASH_TENSORS                                                               \
    const LocalTensor<T>&dst, const LocalTensor<U>&mean, const LocalTensor<U>&expSum,    \
        const LocalTensor<U>&max, const LocalTensor<T>&src, const LocalTensor<T>&expMax, \
        const LocalTensor<U>&inMean, const LocalTensor<U>&inExpSum, const LocalTensor<U>&inMax
#define TWIN_FLASH_CALL \
    twin::shifted_flash(site, dst, mean, expSum, max, src, expMax, inMean, inExpSum, inMax, params, isUpdate)

template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false,
          bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV3(TWIN_FLASH_TENSORS, const SoftMaxTiling&, const SoftMaxParams& params,
                    const twin::Site& site = twin::Site::here()) {
    TWIN_FLASH_CALL;
}
template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false,
          bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV3(TWIN_FLASH_TENSORS, const LocalTensor<uint8_t>&, const SoftMaxTiling&,
                    const SoftMaxParams& params, const twin::Site& site = twin::Site::here()) {
    TWIN_FLASH_CALL;
}

#undef TWIN_FLASH_CALL
#undef TWIN_FLASH_TENSORS

}  // namespace AscendC
