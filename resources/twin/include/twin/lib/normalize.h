// LayerNorm over rows with float mean and deviation, and Normalize with given ones.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
#include "twin/api/vector_reduce.h"
#include "twin/lib/composite.h"
#include "twin/lib/reduce_pattern.h"

namespace AscendC {

struct LayerNormConfig {
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
    bool isOutputRstd = true;
};
inline constexpr LayerNormConfig LNCFG_NORM{};
struct LayerNormPara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};
struct NormalizeConfig {
    ReducePattern reducePattern = ReducePattern::AR;
    int32_t aLength = -1;
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
};
inline constexpr NormalizeConfig NLCFG_NORM{};
struct NormalizePara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};

}  // namespace AscendC

namespace twin {

/// What the rows of a normalisation are scaled and shifted by; nullptr for none.
template <class U>
struct RowFactors {
    const U *gamma = nullptr, *beta = nullptr;
};

template <class T, class U>
void normalise_row(const T* from, T* to, uint64_t length, float mean, float scale, RowFactors<U> factors) {
    for (uint64_t i = 0; i < length; ++i) {
        float value = (static_cast<float>(from[i]) - mean) * scale;
        if (factors.gamma != nullptr) value *= static_cast<float>(factors.gamma[i]);
        if (factors.beta != nullptr) value += static_cast<float>(factors.beta[i]);
        to[i] = static_cast<T>(value);
    }
}

/// Checks the operands that both functions share and returns the factors in use.
template <class T, class U, class Para>
RowFactors<U> check_normalisation(Instruction& instruction, const AscendC::LocalTensor<T>& output,
                                  const AscendC::LocalTensor<T>& input, const AscendC::LocalTensor<U>& gamma,
                                  const AscendC::LocalTensor<U>& beta, const Para& para, bool scaled,
                                  bool shifted) {
    require_used(instruction, para.rLength, para.rLengthWithPadding);
    const uint64_t elements = product_of(para.aLength, para.rLengthWithPadding);
    const uint64_t bytes = product_of(elements, sizeof(T));
    instruction.read_aligned(input.view(), 0, bytes);
    if (scaled) instruction.read_aligned(gamma.view(), 0, para.rLength * sizeof(U));
    if (shifted) instruction.read_aligned(beta.view(), 0, para.rLength * sizeof(U));
    instruction.write_aligned(output.view(), 0, bytes);
    issue_composite(instruction, 12, elements, sizeof(T));
    return {scaled ? gamma.data() : nullptr, shifted ? beta.data() : nullptr};
}

/// The outputs beside the rows, one number a row: mean and 1 / sqrt(variance + epsilon), or the variance.
enum class RowState { none, deviation, variance };

template <bool scaled, bool shifted, RowState state, class T, class U>
void layer_norm(const AscendC::LocalTensor<T>& output, const AscendC::LocalTensor<float>& means,
                const AscendC::LocalTensor<float>& states, const AscendC::LocalTensor<T>& input,
                const AscendC::LocalTensor<U>& gamma, const AscendC::LocalTensor<U>& beta, float epsilon,
                AscendC::LayerNormPara para, const Site& site) {
    TWIN_REQUIRE_HALF_OR_FLOAT("LayerNorm");
    TWIN_CALL(output, means, states, input, gamma, beta, epsilon, para, site);
    Instruction instruction(Pipe::V, "LayerNorm", site);
    if (state != RowState::none) {
        instruction.write_aligned(means.view(), 0, para.aLength * sizeof(float));
        instruction.write_aligned(states.view(), 0, para.aLength * sizeof(float));
    }
    const auto factors = check_normalisation(instruction, output, input, gamma, beta, para, scaled, shifted);
    if (para.aLength == 0) return;
    const auto length = static_cast<float>(para.rLength);
    std::vector<float> row(para.rLength);
    for (uint64_t r = 0; r < para.aLength; ++r) {
        const T* from = input.data() + r * para.rLengthWithPadding;
        std::copy_n(from, para.rLength, row.begin());
        const float mean = tensor_sum(row.data(), row.size()) / length;
        for (float& value : row) value = (value - mean) * (value - mean);
        const float variance = tensor_sum(row.data(), row.size()) / length;
        const float scale = 1.0f / std::sqrt(variance + epsilon);
        normalise_row(from, output.data() + r * para.rLengthWithPadding, para.rLength, mean, scale, factors);
        if (state == RowState::none) continue;
        means.data()[r] = mean;
        states.data()[r] = state == RowState::deviation ? scale : variance;
    }
}

template <bool scaled, bool shifted, bool with_state, class T, class U>
void normalize(const AscendC::LocalTensor<T>& output, const AscendC::LocalTensor<float>& deviations,
               const AscendC::LocalTensor<float>& means, const AscendC::LocalTensor<float>& variances,
               const AscendC::LocalTensor<T>& input, const AscendC::LocalTensor<U>& gamma,
               const AscendC::LocalTensor<U>& beta, float epsilon, AscendC::NormalizePara para,
               const Site& site) {
    TWIN_REQUIRE_HALF_OR_FLOAT("Normalize");
    TWIN_CALL(output, deviations, means, variances, input, gamma, beta, epsilon, para, site);
    Instruction instruction(Pipe::V, "Normalize", site);
    instruction.read_aligned(means.view(), 0, para.aLength * sizeof(float));
    instruction.read_aligned(variances.view(), 0, para.aLength * sizeof(float));
    if (with_state) instruction.write_aligned(deviations.view(), 0, para.aLength * sizeof(float));
    const auto factors = check_normalisation(instruction, output, input, gamma, beta, para, scaled, shifted);
    for (uint64_t r = 0; r < para.aLength; ++r) {
        const uint64_t first = r * para.rLengthWithPadding;
        const float mean = means.data()[r], scale = 1.0f / std::sqrt(variances.data()[r] + epsilon);
        normalise_row(input.data() + first, output.data() + first, para.rLength, mean, scale, factors);
        if (with_state) deviations.data()[r] = scale;
    }
}

}  // namespace twin

namespace AscendC {

/// Also returns the mean of every row and 1 / sqrt(variance + epsilon), or the variance.
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
               const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
               const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const float epsilon,
               const LayerNormPara& para, const LayerNormSeparateTiling& tiling,
               const twin::Site& site = twin::Site::here()) {
    static_cast<void>(tiling);
    constexpr auto kRows = config.isOutputRstd ? twin::RowState::deviation : twin::RowState::variance;
    constexpr auto kState = config.isOnlyOutput ? twin::RowState::none : kRows;
    twin::layer_norm<!config.isNoGamma, !config.isNoBeta, kState>(output, outputMean, outputRstd, inputX,
                                                                  gamma, beta, epsilon, para, site);
}
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
               const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
               const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const float epsilon,
               const LocalTensor<uint8_t>&, const LayerNormPara& para, const LayerNormSeparateTiling& tiling,
               const twin::Site& site = twin::Site::here()) {
    LayerNorm<U, T, isReuseSource, config>(output, outputMean, outputRstd, inputX, gamma, beta, epsilon, para,
                                           tiling, site);
}

/// With the mean and variance of every row; also returns 1 / sqrt(variance + epsilon).
template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
               const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
               const float epsilon, const NormalizePara& para, const twin::Site& site = twin::Site::here()) {
    static_assert(config.reducePattern == ReducePattern::AR, "Normalize: ReducePattern::AR only");
    twin::normalize<!config.isNoGamma, !config.isNoBeta, !config.isOnlyOutput>(
        output, outputRstd, inputMean, inputVariance, inputX, gamma, beta, epsilon, para, site);
}
template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
               const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
               const LocalTensor<uint8_t>&, const float epsilon, const NormalizePara& para,
               const twin::Site& site = twin::Site::here()) {
    Normalize<U, T, isReuseSource, config>(output, outputRstd, inputMean, inputVariance, inputX, gamma, beta,
                                           epsilon, para, site);
}

}  // namespace AscendC
