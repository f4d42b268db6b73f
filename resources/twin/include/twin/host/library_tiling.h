// Tiling functions of the high-level library that fill a structure for the kernel: SoftMax family, LayerNorm,
// RmsNorm.
//
// The host classes wrap the very structures the kernel reads, so the two sides cannot disagree about the
// layout.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
#include "twin/host/library_shape.h"
#include "twin/host/tiling_data.h"

namespace optiling {

/// A tiling structure of the library as a field of an operator's tiling data.
template <class Plain>
class LibraryTiling : public TilingDef {
public:
    Plain data;

private:
    FieldMark mark_ = FieldMark(this, &data, sizeof(Plain), alignof(Plain));
};

class SoftMaxTiling : public LibraryTiling<::SoftMaxTiling> {};
class LogSoftMaxTiling : public LibraryTiling<::LogSoftMaxTiling> {};
class LayerNormSeparateTiling : public LibraryTiling<::LayerNormSeparateTiling> {};
class LayerNormTiling : public LibraryTiling<::LayerNormTiling> {};
class RmsNormTiling : public LibraryTiling<::RmsNormTiling> {};
class TopkTiling : public LibraryTiling<::TopkTiling> {};
class PadTiling : public LibraryTiling<::PadTiling> {};
class UnPadTiling : public LibraryTiling<::UnPadTiling> {};
class ConfusionTransposeTiling : public LibraryTiling<::ConfusionTransposeTiling> {};

}  // namespace optiling

namespace twin {
namespace host {

/// What a tiling function fills: a field of an operator's tiling data, or the plain structure
/// (AscendC::tiling).
template <class Plain>
struct Filled {
    Plain& data;
    Filled(optiling::LibraryTiling<Plain>& field) : data(field.data) {}
    Filled(Plain& plain) : data(plain) {}
};

template <class Plain>
void fill_softmax(const ge::Shape& shape, uint32_t type_size, Plain& data) {
    const uint32_t width = last_dim(shape);
    const auto rows = static_cast<uint32_t>(width == 0 ? 0 : shape.GetShapeSize() / width);
    const uint32_t block = 32 / (type_size == 0 ? 4 : type_size);
    data.srcM = data.splitM = data.outMaxM = data.reduceM = rows;
    data.srcK = data.splitK = width;
    data.srcSize = data.splitSize = rows * width;
    data.outMaxK = data.reduceK = block;
    data.outMaxSize = data.reduceSize = rows * block;
    data.rangeM = 1;
}

}  // namespace host
}  // namespace twin

namespace AscendC {

// Sizes of the SoftMax family: at least one row, at most two copies of the tensor.
#define TWIN_HOST_SOFTMAX_SIZE(name)                                                                    \
    inline uint32_t Get##name##MinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool, \
                                          const bool = false) {                                         \
        return (twin::host::last_dim(shape) * type_size + 31) / 32 * 32 + 256;                          \
    }                                                                                                   \
    inline uint32_t Get##name##MaxTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool, \
                                          const bool = false) {                                         \
        return twin::host::buffer_bytes(shape, type_size, 2) + 256;                                     \
    }
TWIN_HOST_SOFTMAX_SIZE(SoftMax)
TWIN_HOST_SOFTMAX_SIZE(SoftMaxFlash)
TWIN_HOST_SOFTMAX_SIZE(SoftMaxGrad)
TWIN_HOST_SOFTMAX_SIZE(LogSoftMax)
#undef TWIN_HOST_SOFTMAX_SIZE

inline void SoftMaxTilingFunc(const ge::Shape& shape, const uint32_t type_size, const uint32_t,
                              twin::host::Filled<::SoftMaxTiling> tiling) {
    twin::host::fill_softmax(shape, type_size, tiling.data);
}
inline void SoftMaxFlashTilingFunc(const ge::Shape& shape, const uint32_t type_size, const uint32_t,
                                   twin::host::Filled<::SoftMaxTiling> tiling, const bool = false) {
    twin::host::fill_softmax(shape, type_size, tiling.data);
}
inline void SoftMaxGradTilingFunc(const ge::Shape& shape, const uint32_t type_size, const uint32_t,
                                  twin::host::Filled<::SoftMaxTiling> tiling, const bool = false) {
    twin::host::fill_softmax(shape, type_size, tiling.data);
}
inline void LogSoftMaxTilingFunc(const ge::Shape& shape, const uint32_t type_size, const uint32_t,
                                 twin::host::Filled<::LogSoftMaxTiling> tiling) {
    twin::host::fill_softmax(shape, type_size, tiling.data);
}

inline void GetLayerNormMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool,
                                      uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 3, most, least);
}
/// `shape` is [B, S, stored H, original H].
inline void GetLayerNormNDTilingInfo(const ge::Shape& shape, const uint32_t, const uint32_t, const bool,
                                     twin::host::Filled<::LayerNormTiling> tiling) {
    ::LayerNormTiling& data = tiling.data;
    data.bLength = static_cast<uint32_t>(shape.GetDim(0));
    data.sLength = static_cast<uint32_t>(shape.GetDim(1));
    data.hLength = static_cast<uint32_t>(shape.GetDim(2));
    data.originalHLength = static_cast<uint32_t>(shape.GetDimNum() > 3 ? shape.GetDim(3) : shape.GetDim(2));
    data.inputXSize = data.bLength * data.sLength * data.hLength;
    data.meanVarSize = data.bLength * data.sLength;
    data.loopRound = 1;
    data.lastDimValueBack =
        data.originalHLength == 0 ? 0.0f : 1.0f / static_cast<float>(data.originalHLength);
}

inline void GetLayerNormMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool reuse,
                                      const bool, const bool, uint32_t& most, uint32_t& least) {
    GetLayerNormMaxMinTmpSize(shape, type_size, reuse, most, least);
}
/// `shape` is [rows, length].
inline void GetLayerNormNDTilingInfo(const ge::Shape& shape, const uint32_t, const uint32_t, const bool,
                                     const bool, twin::host::Filled<::LayerNormSeparateTiling> tiling) {
    tiling.data.aLength = static_cast<uint32_t>(shape.GetDim(0));
    tiling.data.rLength = static_cast<uint32_t>(shape.GetDim(1));
    tiling.data.rValueBack = tiling.data.rLength == 0 ? 0.0f : 1.0f / static_cast<float>(tiling.data.rLength);
}
inline void GetNormalizeMaxMinTmpSize(const ge::Shape& shape, const uint32_t, const uint32_t type_size,
                                      const bool, const bool, const bool, uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 2, most, least);
}

inline bool GetRmsNormMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, uint32_t& most,
                                    uint32_t& least, const bool = false) {
    twin::host::most_and_least(shape, type_size, 2, most, least);
    return true;
}
/// `shape` is [B, S, stored H], `original` the same with the length that counts.
inline bool GetRmsNormTilingInfo(const ge::Shape& shape, const ge::Shape& original, const uint32_t,
                                 const uint32_t, twin::host::Filled<::RmsNormTiling> tiling,
                                 const bool = false) {
    ::RmsNormTiling& data = tiling.data;
    data.bLength = static_cast<uint32_t>(shape.GetDim(0));
    data.sLength = static_cast<uint32_t>(shape.GetDim(1));
    data.hLength = static_cast<uint32_t>(shape.GetDim(2));
    data.originalHLength = static_cast<uint32_t>(original.GetDim(2));
    data.reciprocalOfHLength =
        data.originalHLength == 0 ? 0.0f : 1.0f / static_cast<float>(data.originalHLength);
    data.mainBsLength = data.bLength * data.sLength;
    data.mainBshLength = data.mainBsLength * data.hLength;
    data.loopRound = 1;
    return true;
}

}  // namespace AscendC
