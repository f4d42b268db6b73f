// Transpose of 16x16 blocks and TransDataTo5HD.
#pragma once

#include "twin/api/vector_frame.h"

namespace AscendC {

/// Transposes one 16x16 matrix of 16-bit elements.
template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const twin::Site& site = twin::Site::here()) {
    static_assert(sizeof(T) == 2, "Transpose: 16-bit data only");
    constexpr uint32_t kSide = 16;
    twin::Instruction instruction(twin::Pipe::V, "Transpose", site);
    instruction.read_aligned(src.view(), 0, kSide * kSide * sizeof(T));
    instruction.write_aligned(dst.view(), 0, kSide * kSide * sizeof(T));
    twin::issue_vector(instruction, twin::kFullRate, kSide * kSide, sizeof(T));
    T block[kSide * kSide];
    std::memcpy(static_cast<void*>(block), src.data(), sizeof block);
    for (uint32_t row = 0; row < kSide; ++row) {
        for (uint32_t column = 0; column < kSide; ++column)
            dst.data()[column * kSide + row] = block[row * kSide + column];
    }
}

enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE,
    TRANSPOSE_NZ2ND_0213,
    TRANSPOSE_NZ2NZ_0213,
    TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N,
    TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM,
    TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16,
    TRANSPOSE_NCHW2NHWC,
    TRANSPOSE_NHWC2NCHW,
    TRANSPOSE_ND2NZ_WITHOUT_N
};

struct TransposeParamsExt {
    uint16_t nSize = 0;
    uint16_t cSize = 0;
    uint16_t hSize = 0;
    uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
    TransposeParamsExt() = default;
    TransposeParamsExt(uint16_t n, uint16_t c, uint16_t h, uint16_t w, TransposeType type)
        : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}
};

/// 16x16 matrix, or every image between channels first and channels last. The work tensor is checked for the
/// size the device needs.
template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const TransposeParamsExt& transposeParams,
               const twin::Site& site = twin::Site::here()) {
    const TransposeType type = transposeParams.transposeType;
    if (type == TransposeType::TRANSPOSE_ND2ND_B16) {
        if constexpr (sizeof(T) == 2) Transpose(dst, src, site);
        return;
    }
    if (type == TransposeType::TRANSPOSE_TYPE_NONE) return;
    const bool last = type == TransposeType::TRANSPOSE_NCHW2NHWC;
    const uint64_t images = transposeParams.nSize, channels = transposeParams.cSize;
    const uint64_t pixels = uint64_t(transposeParams.hSize) * transposeParams.wSize;
    twin::Instruction instruction(twin::Pipe::V, "Transpose", site);
    if (!last && type != TransposeType::TRANSPOSE_NHWC2NCHW) {
        instruction.fail(twin::rules::vector_limit,
                         {"this TransposeType does not exist here", "", "16x16, NCHW, NHWC"});
    }
    if (channels > 4095 || pixels > 4095 || pixels * sizeof(T) % twin::kBlockBytes != 0) {
        instruction.fail(
            twin::rules::vector_limit,
            {twin::format("%llu channels of %llu elements", static_cast<unsigned long long>(channels),
                          static_cast<unsigned long long>(pixels)),
             "", "both up to 4095, height * width in whole 32-byte blocks"});
    }
    const uint64_t elements = images * channels * pixels;
    if (elements == 0) return;
    const uint64_t rows = (last ? channels + 2 : channels * 2 + 1) * (sizeof(T) == 1 ? 32 : 16);
    instruction.write_aligned(sharedTmpBuffer.view(), 0, rows * twin::kBlockBytes);
    instruction.read_aligned(src.view(), 0, elements * sizeof(T));
    instruction.write_aligned(dst.view(), 0, elements * sizeof(T));
    twin::issue_vector(instruction, twin::kFullRate, elements * 2, sizeof(T));
    for (uint64_t at = 0; at < elements; ++at) {
        const uint64_t pixel = at % pixels, row = at / pixels;  // of the channels-first side
        const uint64_t other = (row / channels * pixels + pixel) * channels + row % channels;
        dst.data()[last ? other : at] = src.data()[last ? at : other];
    }
}

}  // namespace AscendC

namespace twin {

/// Where in UB an address of the kernel points.
inline uint8_t* ub_place(uint64_t address) {
    return own_address(MemoryKind::UB, reinterpret_cast<const void*>(address));
}

/// Sixteen rows of 32 bytes, given by address, become columns of sixteen target rows.
template <class T>
void transpose_rows(const Site& site, uint8_t* const targets[16], const uint8_t* const sources[16],
                    const AscendC::TransDataTo5HDParams& params) {
    constexpr uint32_t kRows = 16, kColumns = kBlockBytes / sizeof(T);
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4,
                  "TransDataTo5HD: 8, 16 and 32-bit data only");
    Instruction instruction(Pipe::V, "TransDataTo5HD", site);
    const auto view = [](uint8_t* address) {
        View made;
        made.data = address;
        made.limit = kUbBytes;
        return made;
    };
    for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
        const uint64_t from = uint64_t(repeat) * params.srcRepStride * kBlockBytes;
        const uint64_t to = uint64_t(repeat) * params.dstRepStride * kBlockBytes;
        for (uint32_t row = 0; row < kRows; ++row) {
            instruction.read_aligned(view(const_cast<uint8_t*>(sources[row])), from, kBlockBytes);
            instruction.write_aligned(view(targets[row]), to, kBlockBytes);
        }
    }
    issue_vector(instruction, kFullRate, uint64_t(params.repeatTimes) * kRows * kColumns, sizeof(T));
    for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
        const uint64_t from = uint64_t(repeat) * params.srcRepStride * kBlockBytes;
        const uint64_t to = uint64_t(repeat) * params.dstRepStride * kBlockBytes;
        T block[kRows][kColumns];
        for (uint32_t row = 0; row < kRows; ++row)
            std::memcpy(static_cast<void*>(block[row]), sources[row] + from, kBlockBytes);
        if constexpr (sizeof(T) == 1) {
            // Only half of every 32-byte row takes part: 16 columns, chosen by the high-half flags.
            const uint32_t first = params.srcHighHalf ? kRows : 0, place = params.dstHighHalf ? kRows : 0;
            for (uint32_t row = 0; row < kRows; ++row) {
                for (uint32_t column = 0; column < kRows; ++column) {
                    reinterpret_cast<T*>(targets[row] + to)[place + column] = block[column][first + row];
                }
            }
        } else if constexpr (sizeof(T) == 2) {
            for (uint32_t row = 0; row < kRows; ++row) {
                for (uint32_t column = 0; column < kColumns; ++column) {
                    reinterpret_cast<T*>(targets[row] + to)[column] = block[column][row];
                }
            }
        } else {
            // Sixteen rows of eight become eight rows of sixteen, each spread over two targets.
            for (uint32_t row = 0; row < kColumns; ++row) {
                for (uint32_t column = 0; column < kRows; ++column) {
                    auto* target = reinterpret_cast<T*>(targets[2 * row + column / kColumns] + to);
                    target[column % kColumns] = block[column][row];
                }
            }
        }
    }
}

}  // namespace twin

namespace AscendC {

template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16],
                    const TransDataTo5HDParams& params, const twin::Site& site = twin::Site::here()) {
    uint8_t* targets[16];
    const uint8_t* sources[16];
    for (int row = 0; row < 16; ++row) {
        targets[row] = dst[row].view().data;
        sources[row] = src[row].view().data;
    }
    twin::transpose_rows<T>(site, targets, sources, params);
}
template <typename T>
void TransDataTo5HD(uint64_t dst[16], uint64_t src[16], const TransDataTo5HDParams& params,
                    const twin::Site& site = twin::Site::here()) {
    uint8_t* targets[16];
    const uint8_t* sources[16];
    for (int row = 0; row < 16; ++row) {
        targets[row] = twin::ub_place(dst[row]);
        sources[row] = twin::ub_place(src[row]);
    }
    twin::transpose_rows<T>(site, targets, sources, params);
}

}  // namespace AscendC
