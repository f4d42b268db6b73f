// Duplicate, Brcb, CreateVecIndex and ArithProgression: vectors made from little.
#pragma once

#include "twin/api/vector_frame.h"

namespace twin {

/// dst[i] = function(position of i) over the lanes of `frame`.
template <class T, class Function>
void fill_vector(const char* call, const Site& site, VectorRate rate, const Frame& frame, Operand<T> dst,
                 Function function) {
    constexpr uint32_t kLanes = lanes_of(sizeof(T));
    Instruction instruction(Pipe::V, call, site);
    check_write(instruction, frame, dst);
    issue_vector(instruction, rate, charged_elements(frame), sizeof(T));
    T out[kLanes];
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        for (uint32_t lane = 0; lane < kLanes; ++lane) out[lane] = function(uint64_t(repeat) * kLanes + lane);
        store_lanes(out, frame, repeat, dst);
    }
}

template <class T>
Frame counted_frame(int64_t count, const char* call, const Site& site) {
    return Frame::counted(checked_count(count, call, site), lanes_of(sizeof(T)));
}
template <class T>
constexpr Stride packed_stride() {
    return Stride::packed(sizeof(T), lanes_of(sizeof(T)));
}

}  // namespace twin

namespace AscendC {

#define TWIN_DUPLICATE_CHECK()                                                                       \
    static_assert(twin::is_one_of<T, half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float>, \
                  "Duplicate: data type not supported by the vector unit")

template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, twin::Mask mask, const uint8_t repeatTime,
               const uint16_t dstBlockStride, const uint8_t dstRepeatStride,
               const twin::Site& site = twin::Site::here()) {
    TWIN_DUPLICATE_CHECK();
    TWIN_CALL(dst, scalarValue, mask, repeatTime, dstBlockStride, dstRepeatStride, site);
    const auto frame =
        twin::make_frame<isSetMask>(mask, repeatTime, twin::lanes_of(sizeof(T)), "Duplicate", site);
    const T value = scalarValue;
    twin::fill_vector("Duplicate", site, twin::kFullRate, frame,
                      twin::Operand<T>{dst, {dstBlockStride, dstRepeatStride}},
                      [value](uint64_t) { return value; });
}
template <typename T>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t count,
               const twin::Site& site = twin::Site::here()) {
    TWIN_DUPLICATE_CHECK();
    TWIN_CALL(dst, scalarValue, count, site);
    const T value = scalarValue;
    twin::fill_vector("Duplicate", site, twin::kFullRate, twin::counted_frame<T>(count, "Duplicate", site),
                      twin::Operand<T>{dst, twin::packed_stride<T>()}, [value](uint64_t) { return value; });
}

#undef TWIN_DUPLICATE_CHECK

#define TWIN_INDEX_CHECK(NAME)                                       \
    static_assert(twin::is_one_of<T, half, int16_t, int32_t, float>, \
                  #NAME ": data type not supported by the vector unit")

/// dst[i] = firstValue + i.
template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, uint32_t count,
                    const twin::Site& site = twin::Site::here()) {
    TWIN_INDEX_CHECK(CreateVecIndex);
    TWIN_CALL(dst, firstValue, count, site);
    const twin::Compute<T> first = firstValue;
    twin::fill_vector(
        "CreateVecIndex", site, twin::kFullRate, twin::counted_frame<T>(count, "CreateVecIndex", site),
        twin::Operand<T>{dst, twin::packed_stride<T>()},
        [first](uint64_t i) { return static_cast<T>(first + static_cast<twin::Compute<T>>(i)); });
}
template <typename T>
void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, twin::Mask mask, uint8_t repeatTime,
                    uint16_t dstBlkStride, uint8_t dstRepStride,
                    const twin::Site& site = twin::Site::here()) {
    TWIN_INDEX_CHECK(CreateVecIndex);
    TWIN_CALL(dst, firstValue, mask, repeatTime, dstBlkStride, dstRepStride, site);
    const twin::Compute<T> first = firstValue;
    const auto frame =
        twin::make_frame<true>(mask, repeatTime, twin::lanes_of(sizeof(T)), "CreateVecIndex", site);
    twin::fill_vector(
        "CreateVecIndex", site, twin::kFullRate, frame, twin::Operand<T>{dst, {dstBlkStride, dstRepStride}},
        [first](uint64_t i) { return static_cast<T>(first + static_cast<twin::Compute<T>>(i)); });
}
/// dst[i] = firstValue + i * diffValue.
template <typename T>
void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count,
                      const twin::Site& site = twin::Site::here()) {
    TWIN_INDEX_CHECK(ArithProgression);
    TWIN_CALL(dst, firstValue, diffValue, count, site);
    const twin::Compute<T> first = firstValue, step = diffValue;
    twin::fill_vector(
        "ArithProgression", site, twin::kFullRate, twin::counted_frame<T>(count, "ArithProgression", site),
        twin::Operand<T>{dst, twin::packed_stride<T>()},
        [=](uint64_t i) { return static_cast<T>(first + static_cast<twin::Compute<T>>(i) * step); });
}
template <typename T>
void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count,
            const twin::Site& site = twin::Site::here()) {
    ArithProgression(dst, firstValue, diffValue, count, site);
}

#undef TWIN_INDEX_CHECK

/// Spreads eight elements per repeat over eight 32-byte blocks.
template <typename T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint8_t repeatTime,
          const BrcbRepeatParams& params, const twin::Site& site = twin::Site::here()) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Brcb: 16-bit and 32-bit data only");
    TWIN_CALL(dst, src, repeatTime, params, site);
    constexpr uint32_t kPerRepeat = 8, kPerBlock = 32 / sizeof(T);
    twin::Instruction instruction(twin::Pipe::V, "Brcb", site);
    instruction.read_aligned(src.view(), 0, uint64_t(repeatTime) * kPerRepeat * sizeof(T));
    instruction.require_aligned(dst.view(), 0, twin::kBlockBytes);
    const auto offset = [&](uint32_t repeat, uint32_t block) {
        return (uint64_t(repeat) * params.dstRepStride + uint64_t(block) * params.dstBlkStride) *
               twin::kBlockBytes;
    };
    for (uint32_t repeat = 0; repeat < repeatTime; ++repeat) {
        for (uint32_t block = 0; block < kPerRepeat; ++block) {
            instruction.write(dst.view(), offset(repeat, block), twin::kBlockBytes);
        }
    }
    twin::issue_vector(instruction, twin::kFullRate, uint64_t(repeatTime) * kPerRepeat * kPerBlock,
                       sizeof(T));
    const std::vector<T> values(src.data(), src.data() + uint64_t(repeatTime) * kPerRepeat);
    for (uint32_t repeat = 0; repeat < repeatTime; ++repeat) {
        for (uint32_t block = 0; block < kPerRepeat; ++block) {
            T* to = dst.data() + offset(repeat, block) / sizeof(T);
            std::fill(to, to + kPerBlock, values[repeat * kPerRepeat + block]);
        }
    }
}

}  // namespace AscendC
