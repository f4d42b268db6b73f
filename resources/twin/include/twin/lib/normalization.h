// LayerNorm and RmsNorm of the high-level library.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
#include "twin/lib/composite.h"

namespace AscendC {

/// Over the last of three axes; also returns mean and variance of every row.
template <typename T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon, LayerNormTiling& tiling,
               const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_HALF_OR_FLOAT("LayerNorm");
    TWIN_CALL(output, outputMean, outputVariance, inputX, gamma, beta, sharedTmpBuffer, epsilon, tiling,
              site);
    static_cast<void>(sharedTmpBuffer);
    const uint64_t rows = uint64_t(tiling.bLength) * tiling.sLength, width = tiling.hLength;
    const uint64_t used = tiling.originalHLength != 0 ? tiling.originalHLength : width;
    const uint64_t bytes = twin::product_of(rows, width, sizeof(T));
    const uint64_t of_rows = twin::product_of(rows, sizeof(T));
    twin::Instruction instruction(twin::Pipe::V, "LayerNorm", site);
    twin::require_used(instruction, used, width);
    instruction.read_aligned(inputX.view(), 0, bytes);
    instruction.read_aligned(gamma.view(), 0, used * sizeof(T));
    instruction.read_aligned(beta.view(), 0, used * sizeof(T));
    instruction.write_aligned(output.view(), 0, bytes);
    instruction.write_aligned(outputMean.view(), 0, of_rows);
    instruction.write_aligned(outputVariance.view(), 0, of_rows);
    twin::issue_composite(instruction, 16, twin::product_of(rows, width), sizeof(T));
    for (uint64_t row = 0; row < rows; ++row) {
        const T* from = inputX.data() + row * width;
        float mean = 0, variance = 0;
        for (uint64_t i = 0; i < used; ++i) mean += static_cast<float>(from[i]);
        mean /= static_cast<float>(used);
        for (uint64_t i = 0; i < used; ++i) {
            const float distance = static_cast<float>(from[i]) - mean;
            variance += distance * distance;
        }
        variance /= static_cast<float>(used);
        const float scale = 1.0f / std::sqrt(variance + static_cast<float>(epsilon));
        for (uint64_t i = 0; i < used; ++i) {
            const float normal = (static_cast<float>(from[i]) - mean) * scale;
            output.data()[row * width + i] = static_cast<T>(normal * static_cast<float>(gamma.data()[i]) +
                                                            static_cast<float>(beta.data()[i]));
        }
        outputMean.data()[row] = static_cast<T>(mean);
        outputVariance.data()[row] = static_cast<T>(variance);
    }
}
template <typename T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon,
               LayerNormTiling& tiling, const twin::Site& site = twin::Site::here()) {
    LayerNorm<T, isReuseSource>(output, outputMean, outputVariance, inputX, gamma, beta,
                                LocalTensor<uint8_t>(), epsilon, tiling, site);
}

template <typename T, bool isBasicBlock = false>
void RmsNorm(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& gamma,
             const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon, const RmsNormTiling& tiling,
             const twin::Site& site = twin::Site::here()) {
    TWIN_REQUIRE_HALF_OR_FLOAT("RmsNorm");
    TWIN_CALL(dst, src, gamma, sharedTmpBuffer, epsilon, tiling, site);
    static_cast<void>(sharedTmpBuffer);
    const uint64_t rows = uint64_t(tiling.bLength) * tiling.sLength, width = tiling.hLength;
    const uint64_t used = tiling.originalHLength != 0 ? tiling.originalHLength : width;
    const uint64_t bytes = twin::product_of(rows, width, sizeof(T));
    twin::Instruction instruction(twin::Pipe::V, "RmsNorm", site);
    twin::require_used(instruction, used, width);
    instruction.read_aligned(src.view(), 0, bytes);
    instruction.read_aligned(gamma.view(), 0, used * sizeof(T));
    instruction.write_aligned(dst.view(), 0, bytes);
    twin::issue_composite(instruction, 10, twin::product_of(rows, width), sizeof(T));
    for (uint64_t row = 0; row < rows; ++row) {
        const T* from = src.data() + row * width;
        float squares = 0;
        for (uint64_t i = 0; i < used; ++i)
            squares += static_cast<float>(from[i]) * static_cast<float>(from[i]);
        const float scale =
            1.0f / std::sqrt(squares / static_cast<float>(used) + static_cast<float>(epsilon));
        for (uint64_t i = 0; i < used; ++i) {
            dst.data()[row * width + i] =
                static_cast<T>(static_cast<float>(from[i]) * scale * static_cast<float>(gamma.data()[i]));
        }
    }
}
template <typename T, bool isBasicBlock = false>
void RmsNorm(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& gamma,
             const T epsilon, const RmsNormTiling& tiling, const twin::Site& site = twin::Site::here()) {
    RmsNorm<T, isBasicBlock>(dst, src, gamma, LocalTensor<uint8_t>(), epsilon, tiling, site);
}

}  // namespace AscendC
