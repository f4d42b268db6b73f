// AscendQuant, AscendDequant and AscendAntiQuant of the high-level library.
#pragma once

#include "twin/lib/composite.h"

namespace AscendC {

enum class DeQuantMode : uint8_t { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };
struct DequantParams {
    uint32_t m;
    uint32_t n;
    uint32_t calCount;
};
struct AntiQuantShapeInfo {
    uint32_t offsetHeight{0};
    uint32_t offsetWidth{0};
    uint32_t scaleHeight{0};
    uint32_t scaleWidth{0};
};
struct AscendQuantConfig {
    uint32_t calcCount = 0;
    uint32_t offsetCount = 0;
    uint32_t scaleCount = 0;
    uint32_t workLocalSize = 0;
};
inline constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG{};

}  // namespace AscendC

namespace twin {

/// Checks the `count` factors that `elements` elements take in turns.
template <class T>
void read_factors(Instruction& instruction, const AscendC::LocalTensor<T>& factors, uint64_t count,
                  uint64_t elements) {
    if (count == 0) {
        instruction.fail(rules::vector_limit, {"the number of scales or offsets is 0", "", "1 at least"});
    }
    instruction.read_aligned(factors.view(), 0, product_of(std::min(count, elements), sizeof(T)));
}

/// dst = round(src * scale + offset) into 8 bits. The device works in half; `scale` and `offset` give the
/// parameter of element i.
template <class T, class Scale, class Offset>
void quantise_by(Instruction& instruction, const AscendC::LocalTensor<int8_t>& dst,
                 const AscendC::LocalTensor<T>& src, uint64_t count, Scale scale, Offset offset) {
    static_assert(is_one_of<T, half, float>, "AscendQuant: half and float only");
    uint64_t i = 0;
    composite_unary(instruction, 5, dst, src, count, [&](float value) {
        const half product = static_cast<float>(half(value)) * static_cast<float>(half(scale(i)));
        const half sum = static_cast<float>(product) + static_cast<float>(half(offset(i)));
        ++i;
        const float rounded = std::nearbyint(static_cast<float>(sum));
        return std::min(std::max(rounded, -128.0f), 127.0f);
    });
}

// Scale and offset: two numbers; a tensor and a number; two tensors.
template <class T>
void quantise(const AscendC::LocalTensor<int8_t>& dst, const AscendC::LocalTensor<T>& src, float scale,
              float offset, uint32_t count, const Site& site) {
    TWIN_CALL(dst, src, scale, offset, count, site);
    Instruction instruction(Pipe::V, "AscendQuant", site);
    quantise_by(
        instruction, dst, src, count, [=](uint64_t) { return scale; }, [=](uint64_t) { return offset; });
}
template <class T>
void quantise(const AscendC::LocalTensor<int8_t>& dst, const AscendC::LocalTensor<T>& src,
              const AscendC::LocalTensor<T>& scale, T offset, uint32_t scales, uint32_t count,
              const Site& site) {
    TWIN_CALL(dst, src, scale, offset, scales, count, site);
    Instruction instruction(Pipe::V, "AscendQuant", site);
    read_factors(instruction, scale, scales, count);
    const float shift = static_cast<float>(offset);
    const T* factors = scale.data();
    quantise_by(
        instruction, dst, src, count, [=](uint64_t i) { return static_cast<float>(factors[i % scales]); },
        [=](uint64_t) { return shift; });
}
template <class T>
void quantise(const AscendC::LocalTensor<int8_t>& dst, const AscendC::LocalTensor<T>& src,
              const AscendC::LocalTensor<T>& scale, const AscendC::LocalTensor<T>& offset, uint32_t scales,
              uint32_t offsets, uint32_t count, const Site& site) {
    TWIN_CALL(dst, src, scale, offset, scales, offsets, count, site);
    Instruction instruction(Pipe::V, "AscendQuant", site);
    read_factors(instruction, scale, scales, count);
    read_factors(instruction, offset, offsets, count);
    const T *factors = scale.data(), *shifts = offset.data();
    quantise_by(
        instruction, dst, src, count, [=](uint64_t i) { return static_cast<float>(factors[i % scales]); },
        [=](uint64_t i) { return static_cast<float>(shifts[i % offsets]); });
}

/// A factor of AscendDequant: 64-bit words carry a float in their low half.
template <class T>
float dequant_factor(const T& value) {
    if constexpr (std::is_same<T, uint64_t>::value) {
        return bits_float(static_cast<uint32_t>(value));
    } else {
        return static_cast<float>(value);
    }
}

/// The first `calCount` elements of every row of n, times their factors.
template <bool single_row, class D, class Factor>
void dequantise_by(Instruction& instruction, const AscendC::LocalTensor<D>& dst,
                   const AscendC::LocalTensor<int32_t>& src, AscendC::DequantParams p, Factor factor) {
    static_assert(is_one_of<D, half, float, bfloat16_t>, "AscendDequant: half, float and bfloat16_t only");
    constexpr uint64_t kPerBlock = kBlockBytes / sizeof(D);
    if (single_row && p.m == 1 && p.calCount != 0 && p.calCount % kPerBlock == 0 && p.n % p.calCount == 0) {
        p.m = p.n / p.calCount;
        p.n = p.calCount;
    }
    require_used(instruction, p.calCount, p.n);
    const uint64_t stride = (p.n + kPerBlock - 1) / kPerBlock * kPerBlock;
    instruction.read_aligned(src.view(), 0, product_of(p.m, p.n, sizeof(int32_t)));
    instruction.write_aligned(dst.view(), 0, product_of(p.m, stride, sizeof(D)));
    issue_composite(instruction, 3, uint64_t(p.m) * p.n, sizeof(int32_t));
    for (uint64_t row = 0; row < p.m; ++row) {
        for (uint64_t i = 0; i < p.calCount; ++i) {
            const float value = static_cast<float>(src.data()[row * p.n + i]) * factor(i);
            dst.data()[row * stride + i] = static_cast<D>(value);
        }
    }
}

// One factor for every column, or one for all.
template <bool single_row, class D, class S>
void dequantise(const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<int32_t>& src,
                const AscendC::LocalTensor<S>& scale, AscendC::DequantParams params, const Site& site) {
    TWIN_CALL(dst, src, scale, params, site);
    Instruction instruction(Pipe::V, "AscendDequant", site);
    instruction.read_aligned(scale.view(), 0, params.calCount * sizeof(S));
    const S* factors = scale.data();
    dequantise_by<single_row>(instruction, dst, src, params,
                              [=](uint64_t i) { return dequant_factor(factors[i]); });
}
template <bool single_row, class D>
void dequantise(const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<int32_t>& src, float factor,
                AscendC::DequantParams params, const Site& site) {
    TWIN_CALL(dst, src, factor, params, site);
    Instruction instruction(Pipe::V, "AscendDequant", site);
    dequantise_by<single_row>(instruction, dst, src, params, [=](uint64_t) { return factor; });
}

/// dst = (src + offset) * scale with one number for everything. The device works in the type of dst.
template <class In, class Out>
void anti_quantise(const AscendC::LocalTensor<Out>& dst, const AscendC::LocalTensor<In>& src, Out offset,
                   Out scale, const Site& site) {
    static_assert(
        std::is_same<In, int8_t>::value && is_one_of<Out, half, bfloat16_t>,
        "AscendAntiQuant: int8_t into half or bfloat16_t; other pairs are not simulated by the CPU twin");
    TWIN_CALL(dst, src, offset, scale, site);
    const float shift = static_cast<float>(offset), factor = static_cast<float>(scale);
    composite_unary("AscendAntiQuant", site, 4, dst, src, src.GetSize(), [=](int32_t value) {
        const Out sum = static_cast<float>(value) + shift;
        return static_cast<float>(sum) * factor;
    });
}
/// Numbers of scales and offsets in both directions, and elements in a row of the source.
struct AntiQuantGroups {
    uint32_t down, across, width;
};
/// With a row of numbers for every group of rows, or a column for every group of columns.
template <class In, class Out>
void anti_quantise(const AscendC::LocalTensor<Out>& dst, const AscendC::LocalTensor<In>& src,
                   const AscendC::LocalTensor<Out>& offset, const AscendC::LocalTensor<Out>& scale,
                   AntiQuantGroups groups, const Site& site) {
    static_assert(
        std::is_same<In, int8_t>::value && is_one_of<Out, half, bfloat16_t>,
        "AscendAntiQuant: int8_t into half or bfloat16_t; other pairs are not simulated by the CPU twin");
    TWIN_CALL(dst, src, offset, scale, groups, site);
    const uint64_t count = src.GetSize(), width = groups.width;
    Instruction instruction(Pipe::V, "AscendAntiQuant", site);
    if (width == 0 || count % width != 0) {
        instruction.fail(rules::vector_limit,
                         {format("%llu elements are no rows of %llu", static_cast<unsigned long long>(count),
                                 static_cast<unsigned long long>(width)),
                          "", ""});
    }
    const uint64_t height = count / width;
    const uint64_t factors = product_of(groups.down, groups.across, sizeof(Out));
    instruction.read_aligned(offset.view(), 0, factors);
    instruction.read_aligned(scale.view(), 0, factors);
    uint64_t i = 0;
    composite_unary(instruction, 4, dst, src, count, [&](int32_t value) {
        const uint64_t row = i / width, column = i % width;
        const uint64_t at = row * groups.down / height * groups.across + column * groups.across / width;
        ++i;
        const Out sum = static_cast<float>(value) + static_cast<float>(offset.data()[at]);
        return static_cast<float>(sum) * static_cast<float>(scale.data()[at]);
    });
}

}  // namespace twin

namespace AscendC {

template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const float scale,
                 const float offset, const uint32_t calCount, const twin::Site& site = twin::Site::here()) {
    twin::quantise(dst, src, scale, offset, calCount, site);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&,
                 const float scale, const float offset, const uint32_t calCount,
                 const twin::Site& site = twin::Site::here()) {
    twin::quantise(dst, src, scale, offset, calCount, site);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const float scale,
                 const float offset, const twin::Site& site = twin::Site::here()) {
    twin::quantise(dst, src, scale, offset, src.GetSize(), site);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<T>& scale,
                 const T offset, const uint32_t scaleCount, const uint32_t calCount,
                 const twin::Site& site = twin::Site::here()) {
    twin::quantise(dst, src, scale, offset, scaleCount, calCount, site);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&,
                 const LocalTensor<T>& scale, const T offset, const uint32_t scaleCount,
                 const uint32_t calCount, const twin::Site& site = twin::Site::here()) {
    twin::quantise(dst, src, scale, offset, scaleCount, calCount, site);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<T>& scale,
                 const LocalTensor<T>& offset, const uint32_t scaleCount, const uint32_t offsetCount,
                 const uint32_t calCount, const twin::Site& site = twin::Site::here()) {
    twin::quantise(dst, src, scale, offset, scaleCount, offsetCount, calCount, site);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset, const uint32_t scaleCount,
                 const uint32_t offsetCount, const uint32_t calCount,
                 const twin::Site& site = twin::Site::here()) {
    twin::quantise(dst, src, scale, offset, scaleCount, offsetCount, calCount, site);
}

template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, DequantParams params,
                   const twin::Site& site = twin::Site::here()) {
    twin::dequantise<mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW>(dst, src, deqScale, params, site);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>&, DequantParams params,
                   const twin::Site& site = twin::Site::here()) {
    AscendDequant<dstT, scaleT, mode>(dst, src, deqScale, params, site);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<int32_t>& src, const scaleT deqScale,
                   DequantParams params, const twin::Site& site = twin::Site::here()) {
    twin::dequantise<mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW>(dst, src, twin::dequant_factor(deqScale),
                                                                   params, site);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<int32_t>& src, const scaleT deqScale,
                   const LocalTensor<uint8_t>&, DequantParams params,
                   const twin::Site& site = twin::Site::here()) {
    AscendDequant<dstT, scaleT, mode>(dst, src, deqScale, params, site);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>&, const uint32_t calCount,
                   const twin::Site& site = twin::Site::here()) {
    AscendDequant<dstT, scaleT, mode>(dst, src, deqScale, {1, src.GetSize(), calCount}, site);
}

// One scale and offset for everything.
template <typename In, typename Out, bool isTranspose>
void AscendAntiQuant(const LocalTensor<Out>& dst, const LocalTensor<In>& src, const Out offset,
                     const Out scale, const LocalTensor<uint8_t>&, const uint32_t k,
                     const AntiQuantShapeInfo& = {}, const twin::Site& site = twin::Site::here()) {
    static_cast<void>(k);
    twin::anti_quantise(dst, src, offset, scale, site);
}
template <typename In, typename Out, bool isTranspose>
void AscendAntiQuant(const LocalTensor<Out>& dst, const LocalTensor<In>& src, const Out offset,
                     const Out scale, const uint32_t k, const AntiQuantShapeInfo& info = {},
                     const twin::Site& site = twin::Site::here()) {
    AscendAntiQuant<In, Out, isTranspose>(dst, src, offset, scale, LocalTensor<uint8_t>(), k, info, site);
}
/// With a row of numbers for every group of rows of src [k, n], or, transposed, a column for every group of
/// columns of src [n, k].
template <typename In, typename Out, bool isTranspose>
void AscendAntiQuant(const LocalTensor<Out>& dst, const LocalTensor<In>& src, const LocalTensor<Out>& offset,
                     const LocalTensor<Out>& scale, const LocalTensor<uint8_t>&, const uint32_t k,
                     const AntiQuantShapeInfo& info = {}, const twin::Site& site = twin::Site::here()) {
    const ShapeInfo noted = offset.GetShapeInfo();  // where the call gives no shape, the tensor has one
    twin::AntiQuantGroups groups;
    groups.down = std::max(1u, info.scaleHeight != 0 ? info.scaleHeight : noted.shape[0]);
    groups.across = std::max(1u, info.scaleWidth != 0 ? info.scaleWidth : noted.shape[1]);
    groups.width = isTranspose || k == 0 ? k : src.GetSize() / k;
    twin::anti_quantise(dst, src, offset, scale, groups, site);
}
template <typename In, typename Out, bool isTranspose>
void AscendAntiQuant(const LocalTensor<Out>& dst, const LocalTensor<In>& src, const LocalTensor<Out>& offset,
                     const LocalTensor<Out>& scale, const uint32_t k, const AntiQuantShapeInfo& info = {},
                     const twin::Site& site = twin::Site::here()) {
    AscendAntiQuant<In, Out, isTranspose>(dst, src, offset, scale, LocalTensor<uint8_t>(), k, info, site);
}

}  // namespace AscendC
