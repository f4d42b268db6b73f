// Normalisations beside LayerNorm and RmsNorm, and gradients of LayerNorm.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
#include "twin/lib/composite.h"

namespace AscendC {

struct LayerNormGradShapeInfo {
    DataFormat dataFormat = DataFormat::ND;
};
struct WelfordUpdateConfig {
    bool isInplace = false;
};
inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG{};
struct WelfordUpdateParam {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t abComputeLength;
    float nRec;
};
struct WelfordFinalizePara {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t headCount;
    uint32_t headCountLength;
    uint32_t tailCount;
    uint32_t tailCountLength;
    float abRec;
    float rRec;
};

/// Gradient of LayerNorm in its input, and (x - mean) / deviation for the gradient in gamma.
template <typename T, bool isReuseSource = false>
void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                   const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                   const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                   const LocalTensor<T>& inputGamma, T epsilon, LayerNormGradTiling& tiling,
                   const LayerNormGradShapeInfo& info = {}, const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_HALF_OR_FLOAT("LayerNormGrad");
    TWIN_CALL(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean, inputGamma, epsilon, tiling,
              info, site);
    static_cast<void>(info);
    const uint64_t rows = uint64_t(tiling.bLength) * tiling.sLength, width = tiling.hLength;
    const uint64_t used = tiling.originalHLength != 0 ? tiling.originalHLength : width;
    const uint64_t elements = twin::product_of(rows, width), all = twin::product_of(elements, sizeof(T));
    const uint64_t of_rows = twin::product_of(rows, sizeof(T));
    twin::Instruction instruction(twin::Pipe::V, "LayerNormGrad", site);
    twin::require_used(instruction, used, width);
    instruction.read_aligned(inputDy.view(), 0, all);
    instruction.read_aligned(inputX.view(), 0, all);
    instruction.read_aligned(inputVariance.view(), 0, of_rows);
    instruction.read_aligned(inputMean.view(), 0, of_rows);
    instruction.read_aligned(inputGamma.view(), 0, used * sizeof(T));
    instruction.write_aligned(outputPdX.view(), 0, all);
    instruction.write_aligned(resForGamma.view(), 0, all);
    twin::issue_composite(instruction, 26, elements, sizeof(T));
    if (elements == 0) return;
    const float count = static_cast<float>(used);
    std::vector<float> distance(used), scaled(used);
    for (uint64_t row = 0; row < rows; ++row) {
        const float mean = inputMean.data()[row];
        const float spread = static_cast<float>(inputVariance.data()[row]) + static_cast<float>(epsilon);
        const float inverse = 1.0f / std::sqrt(spread);
        float variance_part = 0, mean_part = 0, distances = 0;
        for (uint64_t i = 0; i < used; ++i) {
            const uint64_t at = row * width + i;
            distance[i] = static_cast<float>(inputX.data()[at]) - mean;
            scaled[i] = static_cast<float>(inputDy.data()[at]) * static_cast<float>(inputGamma.data()[i]);
            variance_part += -0.5f * scaled[i] * distance[i] * inverse / spread;
            mean_part -= scaled[i] * inverse;
            distances += -2.0f * distance[i];
        }
        mean_part += variance_part / count * distances;
        for (uint64_t i = 0; i < used; ++i) {
            const float x = scaled[i] * inverse + variance_part * 2 / count * distance[i] + mean_part / count;
            outputPdX.data()[row * width + i] = static_cast<T>(x);
            resForGamma.data()[row * width + i] = static_cast<T>(distance[i] * inverse);
        }
    }
}
template <typename T, bool isReuseSource = false>
void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                   const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                   const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                   const LocalTensor<T>& inputGamma, LocalTensor<uint8_t>&, T epsilon,
                   LayerNormGradTiling& tiling, const LayerNormGradShapeInfo& info = {},
                   const twin::Site& site = twin::Site::here()) {
    LayerNormGrad<T, isReuseSource>(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean,
                                    inputGamma, epsilon, tiling, info, site);
}

/// Gradients of LayerNorm in gamma and beta: sums over all rows.
template <typename T, bool isReuseSource = false>
void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                       const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                       LayerNormGradBetaTiling& tiling, const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_HALF_OR_FLOAT("LayerNormGradBeta");
    TWIN_CALL(outputPdGamma, outputPdBeta, resForGamma, inputDy, tiling, site);
    const uint64_t rows = uint64_t(tiling.bLength) * tiling.sLength, width = tiling.hLength;
    const uint64_t elements = twin::product_of(rows, width), all = twin::product_of(elements, sizeof(T));
    twin::Instruction instruction(twin::Pipe::V, "LayerNormGradBeta", site);
    instruction.read_aligned(inputDy.view(), 0, all);
    instruction.read_aligned(resForGamma.view(), 0, all);
    instruction.write_aligned(outputPdGamma.view(), 0, width * sizeof(T));
    instruction.write_aligned(outputPdBeta.view(), 0, width * sizeof(T));
    twin::issue_composite(instruction, 3, elements, sizeof(T));
    for (uint64_t i = 0; i < width; ++i) {
        float gamma = 0, beta = 0;
        for (uint64_t row = 0; row < rows; ++row) {
            const float dy = inputDy.data()[row * width + i];
            gamma += dy * static_cast<float>(resForGamma.data()[row * width + i]);
            beta += dy;
        }
        outputPdGamma.data()[i] = static_cast<T>(gamma);
        outputPdBeta.data()[i] = static_cast<T>(beta);
    }
}
template <typename T, bool isReuseSource = false>
void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                       const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                       const LocalTensor<uint8_t>&, const LayerNormGradBetaTiling& tiling,
                       const twin::Site& site = twin::Site::here()) {
    LayerNormGradBetaTiling taken = tiling;
    LayerNormGradBeta<T, isReuseSource>(outputPdGamma, outputPdBeta, resForGamma, inputDy, taken, site);
}

}  // namespace AscendC

namespace twin {

/// Mean and variance of `count` values `step` apart, in float.
template <class T>
std::pair<float, float> moments(const T* values, uint64_t count, uint64_t step) {
    float mean = 0, variance = 0;
    for (uint64_t i = 0; i < count; ++i) mean += static_cast<float>(values[i * step]);
    mean /= static_cast<float>(count);
    for (uint64_t i = 0; i < count; ++i) {
        const float distance = static_cast<float>(values[i * step]) - mean;
        variance += distance * distance;
    }
    return {mean, variance / static_cast<float>(count)};
}

}  // namespace twin

namespace AscendC {

/// LayerNorm of alpha * x + gx; also returns mean and variance of every row (the documentation calls the
/// latter rstd, but its example and the public one hold the variance).
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
void DeepNorm(const LocalTensor<T>& dst, const LocalTensor<T>& mean, const LocalTensor<T>& rstd,
              const LocalTensor<T>& src, const LocalTensor<T>& gx, const LocalTensor<T>& beta,
              const LocalTensor<T>& gamma, const T alpha, const T epsilon, DeepNormTiling& tiling,
              const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_HALF_OR_FLOAT("DeepNorm");
    TWIN_CALL(dst, mean, rstd, src, gx, beta, gamma, alpha, epsilon, tiling, site);
    const uint64_t rows = uint64_t(tiling.bLength) * tiling.sLength, width = tiling.hLength;
    const uint64_t used = tiling.originalHLength != 0 ? tiling.originalHLength : width;
    const uint64_t elements = twin::product_of(rows, width), all = twin::product_of(elements, sizeof(T));
    const uint64_t of_rows = twin::product_of(rows, sizeof(T));
    twin::Instruction instruction(twin::Pipe::V, "DeepNorm", site);
    twin::require_used(instruction, used, width);
    instruction.read_aligned(src.view(), 0, all);
    instruction.read_aligned(gx.view(), 0, all);
    instruction.read_aligned(beta.view(), 0, used * sizeof(T));
    instruction.read_aligned(gamma.view(), 0, used * sizeof(T));
    instruction.write_aligned(dst.view(), 0, all);
    instruction.write_aligned(mean.view(), 0, of_rows);
    instruction.write_aligned(rstd.view(), 0, of_rows);
    twin::issue_composite(instruction, 18, elements, sizeof(T));
    if (elements == 0) return;
    std::vector<float> line(used);
    for (uint64_t row = 0; row < rows; ++row) {
        for (uint64_t i = 0; i < used; ++i) {
            line[i] = static_cast<float>(alpha) * static_cast<float>(src.data()[row * width + i]) +
                      static_cast<float>(gx.data()[row * width + i]);
        }
        const auto [middle, variance] = twin::moments(line.data(), used, 1);
        const float inverse = 1.0f / std::sqrt(variance + static_cast<float>(epsilon));
        for (uint64_t i = 0; i < used; ++i) {
            const float normal = (line[i] - middle) * inverse;
            dst.data()[row * width + i] = static_cast<T>(normal * static_cast<float>(gamma.data()[i]) +
                                                         static_cast<float>(beta.data()[i]));
        }
        mean.data()[row] = static_cast<T>(middle);
        rstd.data()[row] = static_cast<T>(variance);
    }
}
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
void DeepNorm(const LocalTensor<T>& dst, const LocalTensor<T>& mean, const LocalTensor<T>& rstd,
              const LocalTensor<T>& src, const LocalTensor<T>& gx, const LocalTensor<T>& beta,
              const LocalTensor<T>& gamma, const LocalTensor<uint8_t>&, const T alpha, const T epsilon,
              DeepNormTiling& tiling, const twin::Site& site = twin::Site::here()) {
    DeepNorm<T>(dst, mean, rstd, src, gx, beta, gamma, alpha, epsilon, tiling, site);
}

/// Over the first of the axes [B, S, H]; gamma and beta have one number per batch.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon,
               BatchNormTiling& tiling, const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_HALF_OR_FLOAT("BatchNorm");
    TWIN_CALL(output, outputMean, outputVariance, inputX, gamma, beta, epsilon, tiling, site);
    const uint64_t batches = tiling.bLength, width = uint64_t(tiling.sLength) * tiling.hLength;
    const uint64_t used = tiling.originalBLength != 0 ? tiling.originalBLength : batches;
    const uint64_t elements = twin::product_of(batches, width), all = twin::product_of(elements, sizeof(T));
    const uint64_t of_plane = twin::product_of(width, sizeof(T));
    twin::Instruction instruction(twin::Pipe::V, "BatchNorm", site);
    twin::require_used(instruction, used, batches);
    instruction.read_aligned(inputX.view(), 0, all);
    instruction.read_aligned(gamma.view(), 0, used * sizeof(T));
    instruction.read_aligned(beta.view(), 0, used * sizeof(T));
    instruction.write_aligned(output.view(), 0, all);
    instruction.write_aligned(outputMean.view(), 0, of_plane);
    instruction.write_aligned(outputVariance.view(), 0, of_plane);
    twin::issue_composite(instruction, 14, elements, sizeof(T));
    for (uint64_t i = 0; i < width; ++i) {
        const auto [middle, variance] = twin::moments(inputX.data() + i, used, width);
        const float inverse = 1.0f / std::sqrt(variance + static_cast<float>(epsilon));
        for (uint64_t batch = 0; batch < used; ++batch) {
            const float normal = (static_cast<float>(inputX.data()[batch * width + i]) - middle) * inverse;
            output.data()[batch * width + i] = static_cast<T>(
                normal * static_cast<float>(gamma.data()[batch]) + static_cast<float>(beta.data()[batch]));
        }
        outputMean.data()[i] = static_cast<T>(middle);
        outputVariance.data()[i] = static_cast<T>(variance);
    }
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const LocalTensor<uint8_t>&,
               const T epsilon, BatchNormTiling& tiling, const twin::Site& site = twin::Site::here()) {
    BatchNorm<T>(output, outputMean, outputVariance, inputX, gamma, beta, epsilon, tiling, site);
}

/// Over groups of channels of [N, C, H, W]; gamma and beta have one number per channel.
template <typename T, bool isReuseSource = false>
void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon,
               GroupNormTiling& tiling, const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_HALF_OR_FLOAT("GroupNorm");
    TWIN_CALL(output, outputMean, outputVariance, inputX, gamma, beta, epsilon, tiling, site);
    const uint64_t groups = uint64_t(tiling.n) * tiling.g, plane = tiling.hw, channels = tiling.d;
    const uint64_t size = channels * plane, elements = twin::product_of(groups, size);
    const uint64_t all = twin::product_of(elements, sizeof(T));
    const uint64_t of_groups = twin::product_of(groups, sizeof(T));
    twin::Instruction instruction(twin::Pipe::V, "GroupNorm", site);
    if (tiling.g * channels > tiling.c) {
        instruction.fail(twin::rules::vector_limit, {twin::format("%u groups of %u channels are more than %u",
                                                                  tiling.g, tiling.d, tiling.c),
                                                     "", ""});
    }
    instruction.read_aligned(inputX.view(), 0, all);
    instruction.read_aligned(gamma.view(), 0, tiling.c * sizeof(T));
    instruction.read_aligned(beta.view(), 0, tiling.c * sizeof(T));
    instruction.write_aligned(output.view(), 0, all);
    instruction.write_aligned(outputMean.view(), 0, of_groups);
    instruction.write_aligned(outputVariance.view(), 0, of_groups);
    twin::issue_composite(instruction, 16, elements, sizeof(T));
    for (uint64_t group = 0; group < groups; ++group) {
        const T* from = inputX.data() + group * size;
        const auto [middle, variance] = twin::moments(from, size, 1);
        const float inverse = 1.0f / std::sqrt(variance + static_cast<float>(epsilon));
        for (uint64_t i = 0; i < size; ++i) {
            const uint64_t channel = group % tiling.g * channels + i / plane;
            const float normal = (static_cast<float>(from[i]) - middle) * inverse;
            output.data()[group * size + i] =
                static_cast<T>(normal * static_cast<float>(gamma.data()[channel]) +
                               static_cast<float>(beta.data()[channel]));
        }
        outputMean.data()[group] = static_cast<T>(middle);
        outputVariance.data()[group] = static_cast<T>(variance);
    }
}
template <typename T, bool isReuseSource = false>
void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const LocalTensor<uint8_t>&,
               const T epsilon, GroupNormTiling& tiling, const twin::Site& site = twin::Site::here()) {
    GroupNorm<T>(output, outputMean, outputVariance, inputX, gamma, beta, epsilon, tiling, site);
}

}  // namespace AscendC

namespace twin {

template <class T, class U>
void welford_update(const AscendC::LocalTensor<U>& out_mean, const AscendC::LocalTensor<U>& out_variance,
                    const AscendC::LocalTensor<U>& means, const AscendC::LocalTensor<U>& variances,
                    const AscendC::LocalTensor<T>& input, const AscendC::WelfordUpdateParam& para,
                    const Site& site) {
    TWIN_CALL(out_mean, out_variance, means, variances, input, para, site);
    const uint64_t count = uint64_t(para.rnLength) * para.abLength, bytes = product_of(count, sizeof(U));
    Instruction instruction(Pipe::V, "WelfordUpdate", site);
    instruction.read_aligned(input.view(), 0, product_of(count, sizeof(T)));
    instruction.read_aligned(means.view(), 0, bytes);
    instruction.read_aligned(variances.view(), 0, bytes);
    instruction.write_aligned(out_mean.view(), 0, bytes);
    instruction.write_aligned(out_variance.view(), 0, bytes);
    issue_composite(instruction, 6, count, sizeof(U));
    for (uint64_t i = 0; i < std::min<uint64_t>(count, para.abComputeLength); ++i) {
        const float x = input.data()[i], mean = means.data()[i];
        const float moved = mean + (x - mean) * para.nRec;
        out_mean.data()[i] = static_cast<U>(moved);
        out_variance.data()[i] =
            static_cast<U>(static_cast<float>(variances.data()[i]) + (x - mean) * (x - moved));
    }
}

}  // namespace twin

namespace AscendC {

/// One more value for every running mean and sum of squared distances.
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                   const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                   const LocalTensor<T>& inputX, const WelfordUpdateParam& para,
                   const twin::Site& site = twin::Site::here()) {
    twin::welford_update(outputMean, outputVariance, inputMean, inputVariance, inputX, para, site);
}
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                   const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                   const LocalTensor<T>& inputX, const LocalTensor<uint8_t>&, const WelfordUpdateParam& para,
                   const twin::Site& site = twin::Site::here()) {
    WelfordUpdate<T, U, isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, inputX,
                                               para, site);
}

}  // namespace AscendC
