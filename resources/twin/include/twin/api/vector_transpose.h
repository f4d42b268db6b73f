// Transpose of 16x16 blocks and TransDataTo5HD.
#pragma once

#include <utility>
#include <vector>

#include "twin/api/vector_frame.h"

namespace AscendC {

/// Transposes one 16x16 matrix of 16-bit elements.
template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const twin::Site& site = twin::Site::here()) {
    static_assert(sizeof(T) == 2, "Transpose: 16-bit data only");
    TWIN_CALL(dst, src, site);
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
    TRANSPOSE_NHWC2NCHW
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
    TWIN_CALL(dst, src, sharedTmpBuffer, transposeParams, site);
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
inline uint8_t* ub_place(uint64_t address) { return bytes_at(reinterpret_cast<const void*>(address)); }

/// Where an element of a source row arrives: number of the target row and of the element in it.
struct Arrival {
    uint32_t row, column;
};
constexpr uint32_t kTransposedRows = 16;

/// Where the rows of TransDataTo5HD lie in UB.
struct Rows {
    View of[kTransposedRows];

    /// What the address of a row says: nothing of its tensor.
    void set(uint32_t row, uint8_t* address) {
        of[row].data = address;
        of[row].limit = kUbBytes;
    }
};

namespace wire {

template <>
struct Form<Rows> {
    static void write(Writer& to, const Rows& rows) {
        for (const View& row : rows.of) to.plain(place_of(row));
    }
    static Rows read(Reader& from) {
        Rows rows;
        for (uint32_t row = 0; row < kTransposedRows; ++row)
            rows.set(row, view_of(from.plain<LocalPlace>()).data);
        return rows;
    }
};

}  // namespace wire

/// A flag of a structure, whose byte may hold anything.
inline bool is_set(const bool& flag) {
    uint8_t byte;
    std::memcpy(&byte, &flag, sizeof byte);
    return byte != 0;
}

/// Of TransDataTo5HD with elements of `size` bytes; row 16 when the element does not take part.
constexpr Arrival arrival(uint32_t size, uint32_t row, uint32_t column, bool src_high, bool dst_high) {
    if (size == 1) {  // only half of every 32-byte row takes part, chosen by the flags
        const uint32_t first = src_high ? kTransposedRows : 0, place = dst_high ? kTransposedRows : 0;
        const bool inside = column >= first && column < first + kTransposedRows;
        return {inside ? column - first : kTransposedRows, place + row};
    }
    if (size == 2) return {column, row};
    const uint32_t columns =
        static_cast<uint32_t>(kBlockBytes) / 4;  // eight rows of sixteen, each spread over two targets
    return {2 * column + row / columns, row % columns};
}

/// Sixteen rows of 32 bytes, given by address, become columns of sixteen target rows. Elements that nobody
/// wrote, rows that only fill the sixteen up, stay unwritten where they arrive.
template <class T>
void transpose_rows(const Rows& targets, const Rows& sources, const AscendC::TransDataTo5HDParams& params,
                    const Site& site) {
    constexpr uint32_t kRows = kTransposedRows, kColumns = kBlockBytes / sizeof(T);
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4,
                  "TransDataTo5HD: 8, 16 and 32-bit data only");
    TWIN_CALL(targets, sources, params, site);
    Instruction instruction(Pipe::V, "TransDataTo5HD", site);
    const bool src_high = is_set(params.srcHighHalf), dst_high = is_set(params.dstHighHalf);
    const auto place = [&](uint32_t row, uint32_t column) {
        return arrival(sizeof(T), row, column, src_high, dst_high);
    };
    LocalMemory& memory = core().memory(MemoryKind::UB);
    const auto offset = [&](const uint8_t* address) { return static_cast<size_t>(address - memory.base()); };
    for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
        const uint64_t from = uint64_t(repeat) * params.srcRepStride * kBlockBytes;
        const uint64_t to = uint64_t(repeat) * params.dstRepStride * kBlockBytes;
        std::vector<std::pair<Arrival, uint32_t>> unwritten;  // and the call to name
        for (uint32_t row = 0; row < kRows; ++row) {
            const View& source = sources.of[row];
            instruction.require_aligned(source, from, kBlockBytes);
            instruction.read_any(source, from, kBlockBytes);
            const size_t at = offset(source.data) + from;
            if (core().launch.launch.fast || memory.first_unwritten(at, kBlockBytes) < 0) continue;
            for (uint32_t column = 0; column < kColumns; ++column) {
                const Arrival there = place(row, column);
                const long byte = memory.first_unwritten(at + column * sizeof(T), sizeof(T));
                if (there.row < kRows && byte >= 0)
                    unwritten.push_back({there, instruction.origin(source, byte)});
            }
        }
        for (uint32_t row = 0; row < kRows; ++row)
            instruction.write_aligned(targets.of[row], to, kBlockBytes);
        for (const auto& [there, origin] : unwritten) {
            const size_t at = offset(targets.of[there.row].data) + to + there.column * sizeof(T);
            memory.mark_unwritten(at, sizeof(T), origin);
        }
    }
    issue_vector(instruction, kFullRate, uint64_t(params.repeatTimes) * kRows * kColumns, sizeof(T));
    for (uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
        const uint64_t from = uint64_t(repeat) * params.srcRepStride * kBlockBytes;
        const uint64_t to = uint64_t(repeat) * params.dstRepStride * kBlockBytes;
        T block[kRows][kColumns];
        for (uint32_t row = 0; row < kRows; ++row)
            std::memcpy(static_cast<void*>(block[row]), sources.of[row].data + from, kBlockBytes);
        for (uint32_t row = 0; row < kRows; ++row) {
            for (uint32_t column = 0; column < kColumns; ++column) {
                const Arrival there = place(row, column);
                if (there.row < kRows)
                    reinterpret_cast<T*>(targets.of[there.row].data + to)[there.column] = block[row][column];
            }
        }
    }
}

}  // namespace twin

namespace AscendC {

template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16],
                    const TransDataTo5HDParams& params, const twin::Site& site = twin::Site::here()) {
    twin::Rows targets, sources;
    for (uint32_t row = 0; row < twin::kTransposedRows; ++row) {
        targets.set(row, dst[row].view().data);
        sources.set(row, src[row].view().data);
    }
    twin::transpose_rows<T>(targets, sources, params, site);
}
template <typename T>
void TransDataTo5HD(uint64_t dst[16], uint64_t src[16], const TransDataTo5HDParams& params,
                    const twin::Site& site = twin::Site::here()) {
    twin::Rows targets, sources;
    for (uint32_t row = 0; row < twin::kTransposedRows; ++row) {
        targets.set(row, twin::ub_place(dst[row]));
        sources.set(row, twin::ub_place(src[row]));
    }
    twin::transpose_rows<T>(targets, sources, params, site);
}

}  // namespace AscendC
