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

/// dst = round(src * scale + offset) into 8 bits. The device works in half; `scale` and `offset` give the
/// parameter of element i.
template <class T, class Scale, class Offset>
void quantise(const Site& site, const AscendC::LocalTensor<int8_t>& dst, const AscendC::LocalTensor<T>& src,
              uint64_t count, Scale scale, Offset offset) {
    static_assert(is_one_of<T, half, float>, "AscendQuant: half and float only");
    uint64_t i = 0;
    composite_unary("AscendQuant", site, 5, dst, src, count, [&](float value) {
        const half product = static_cast<float>(half(value)) * static_cast<float>(half(scale(i)));
        const half sum = static_cast<float>(product) + static_cast<float>(half(offset(i)));
        ++i;
        const float rounded = std::nearbyint(static_cast<float>(sum));
        return std::min(std::max(rounded, -128.0f), 127.0f);
    });
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
template <class D, class Factor>
void dequantise(const Site& site, const AscendC::LocalTensor<D>& dst,
                const AscendC::LocalTensor<int32_t>& src, AscendC::DequantParams p, bool single_row,
                Factor factor) {
    static_assert(is_one_of<D, half, float, bfloat16_t>, "AscendDequant: half, float and bfloat16_t only");
    constexpr uint32_t kPerBlock = kBlockBytes / sizeof(D);
    if (single_row && p.m == 1 && p.calCount != 0 && p.calCount % kPerBlock == 0 && p.n % p.calCount == 0) {
        p.m = p.n / p.calCount;
        p.n = p.calCount;
    }
    const uint64_t stride = (p.n + kPerBlock - 1) / kPerBlock * kPerBlock;
    Instruction instruction(Pipe::V, "AscendDequant", site);
    instruction.read_aligned(src.view(), 0, uint64_t(p.m) * p.n * sizeof(int32_t));
    instruction.write_aligned(dst.view(), 0, p.m * stride * sizeof(D));
    issue_composite(instruction, 3, uint64_t(p.m) * p.n, sizeof(int32_t));
    for (uint64_t row = 0; row < p.m; ++row) {
        for (uint64_t i = 0; i < p.calCount; ++i) {
            const float value = static_cast<float>(src.data()[row * p.n + i]) * factor(i);
            dst.data()[row * stride + i] = static_cast<D>(value);
        }
    }
}

}  // namespace twin

namespace AscendC {

// Scale and offset: two numbers; a tensor and a number; two tensors. Each with or without temporary and
// count.
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const float scale,
                 const float offset, const uint32_t calCount, const twin::Site& site = twin::Site::here()) {
    twin::quantise(
        site, dst, src, calCount, [=](uint64_t) { return scale; }, [=](uint64_t) { return offset; });
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&,
                 const float scale, const float offset, const uint32_t calCount,
                 const twin::Site& site = twin::Site::here()) {
    AscendQuant<T>(dst, src, scale, offset, calCount, site);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const float scale,
                 const float offset, const twin::Site& site = twin::Site::here()) {
    AscendQuant<T>(dst, src, scale, offset, src.GetSize(), site);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<T>& scale,
                 const T offset, const uint32_t scaleCount, const uint32_t calCount,
                 const twin::Site& site = twin::Site::here()) {
    const float shift = static_cast<float>(offset);
    const T* factors = scale.data();
    twin::quantise(
        site, dst, src, calCount, [=](uint64_t i) { return static_cast<float>(factors[i % scaleCount]); },
        [=](uint64_t) { return shift; });
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&,
                 const LocalTensor<T>& scale, const T offset, const uint32_t scaleCount,
                 const uint32_t calCount, const twin::Site& site = twin::Site::here()) {
    AscendQuant<T>(dst, src, scale, offset, scaleCount, calCount, site);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<T>& scale,
                 const LocalTensor<T>& offset, const uint32_t scaleCount, const uint32_t offsetCount,
                 const uint32_t calCount, const twin::Site& site = twin::Site::here()) {
    const T *factors = scale.data(), *shifts = offset.data();
    twin::quantise(
        site, dst, src, calCount, [=](uint64_t i) { return static_cast<float>(factors[i % scaleCount]); },
        [=](uint64_t i) { return static_cast<float>(shifts[i % offsetCount]); });
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset, const uint32_t scaleCount,
                 const uint32_t offsetCount, const uint32_t calCount,
                 const twin::Site& site = twin::Site::here()) {
    AscendQuant<T>(dst, src, scale, offset, scaleCount, offsetCount, calCount, site);
}

// One factor for every column, or one for all.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, DequantParams params,
                   const twin::Site& site = twin::Site::here()) {
    const scaleT* factors = deqScale.data();
    twin::dequantise(site, dst, src, params, mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW,
                     [=](uint64_t i) { return twin::dequant_factor(factors[i]); });
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
    const float factor = twin::dequant_factor(deqScale);
    twin::dequantise(site, dst, src, params, mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW,
                     [=](uint64_t) { return factor; });
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

/// dst = (src + offset) * scale with one number for everything. The device works in the type of dst.
template <typename In, typename Out, bool isTranspose>
void AscendAntiQuant(const LocalTensor<Out>& dst, const LocalTensor<In>& src, const Out offset,
                     const Out scale, const LocalTensor<uint8_t>&, const uint32_t k,
                     const AntiQuantShapeInfo& = {}, const twin::Site& site = twin::Site::here()) {
    static_assert(
        std::is_same<In, int8_t>::value && twin::is_one_of<Out, half, bfloat16_t>,
        "AscendAntiQuant: int8_t into half or bfloat16_t; other pairs are not simulated by the CPU twin");
    static_cast<void>(k);
    const float shift = static_cast<float>(offset), factor = static_cast<float>(scale);
    twin::composite_unary("AscendAntiQuant", site, 4, dst, src, src.GetSize(), [=](int32_t value) {
        const Out sum = static_cast<float>(value) + shift;
        return static_cast<float>(sum) * factor;
    });
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
    static_assert(
        std::is_same<In, int8_t>::value && twin::is_one_of<Out, half, bfloat16_t>,
        "AscendAntiQuant: int8_t into half or bfloat16_t; other pairs are not simulated by the CPU twin");
    const uint64_t count = src.GetSize(), width = isTranspose ? k : count / k;
    const ShapeInfo noted = offset.GetShapeInfo();  // where the call gives no shape, the tensor has one
    const uint64_t groups_down = std::max(1u, info.scaleHeight != 0 ? info.scaleHeight : noted.shape[0]),
                   groups_across = std::max(1u, info.scaleWidth != 0 ? info.scaleWidth : noted.shape[1]);
    const uint64_t height = count / std::max<uint64_t>(1, width);
    const Out *shifts = offset.data(), *factors = scale.data();
    uint64_t i = 0;
    twin::composite_unary("AscendAntiQuant", site, 4, dst, src, count, [&](int32_t value) {
        const uint64_t row = i / width, column = i % width;
        const uint64_t at = row * groups_down / height * groups_across + column * groups_across / width;
        ++i;
        const Out sum = static_cast<float>(value) + static_cast<float>(shifts[at]);
        return static_cast<float>(sum) * static_cast<float>(factors[at]);
    });
}
template <typename In, typename Out, bool isTranspose>
void AscendAntiQuant(const LocalTensor<Out>& dst, const LocalTensor<In>& src, const LocalTensor<Out>& offset,
                     const LocalTensor<Out>& scale, const uint32_t k, const AntiQuantShapeInfo& info = {},
                     const twin::Site& site = twin::Site::here()) {
    AscendAntiQuant<In, Out, isTranspose>(dst, src, offset, scale, LocalTensor<uint8_t>(), k, info, site);
}

}  // namespace AscendC
