// Tiling functions of the flash attention, normalisation, quantisation, sorting and padding library.
//
// Temporary sizes are safe, not minimal: what a kernel reserves by them is enough here and on the device's
// scale.
#pragma once

#include "twin/host/library_tiling.h"
#include "twin/host/platform.h"
#include "twin/lib/topk_mode.h"

namespace optiling {

class LayerNormGradTiling : public LibraryTiling<::LayerNormGradTiling> {};
class LayerNormGradBetaTiling : public LibraryTiling<::LayerNormGradBetaTiling> {};
class DeepNormTiling : public LibraryTiling<::DeepNormTiling> {};
class BatchNormTiling : public LibraryTiling<::BatchNormTiling> {};
class GroupNormTiling : public LibraryTiling<::GroupNormTiling> {};

}  // namespace optiling

namespace twin {
namespace host {

/// [B, S, stored H, H that counts] of a normalisation.
template <class Tiling>
void fill_rows(const ge::Shape& shape, int64_t counting, Filled<Tiling> tiling) {
    tiling.data.bLength = static_cast<uint32_t>(shape.GetDim(0));
    tiling.data.sLength = static_cast<uint32_t>(shape.GetDim(1));
    tiling.data.hLength = static_cast<uint32_t>(shape.GetDim(2));
    tiling.data.originalHLength = static_cast<uint32_t>(counting);
}
inline int64_t counting_length(const ge::Shape& shape) {
    return shape.GetDimNum() > 3 ? shape.GetDim(3) : shape.GetDim(2);
}

}  // namespace host
}  // namespace twin

namespace AscendC {

inline uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& shape, const uint32_t type_size, const uint32_t,
                                            const bool, const bool = false, const bool = false) {
    return GetSoftMaxMinTmpSize(shape, type_size, false);
}
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& shape, const uint32_t type_size, const uint32_t,
                                            const bool, const bool = false, const bool = false) {
    return GetSoftMaxMaxTmpSize(shape, type_size, false);
}
inline void SoftMaxFlashV2TilingFunc(const ge::Shape& shape, const uint32_t type_size, const uint32_t,
                                     const uint32_t, twin::host::Filled<::SoftMaxTiling> tiling, const bool,
                                     const bool = false, const bool = false) {
    twin::host::fill_softmax(shape, type_size, tiling.data);
}

inline void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const uint32_t,
                                           uint32_t& most, uint32_t& least, const bool, const bool = false) {
    twin::host::most_and_least(shape, type_size, 4, most, least);
}
inline void SoftMaxFlashV3TilingFunc(const ge::Shape& shape, const uint32_t type_size, const uint32_t,
                                     const uint32_t, optiling::SoftMaxTiling& tiling, const bool,
                                     const bool = false) {
    twin::host::fill_softmax(shape, type_size, tiling.data);
}

inline void GetLayerNormGradMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool,
                                          uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 6, most, least);
}
inline void GetLayerNormGradNDTilingInfo(const ge::Shape& shape, const uint32_t, const uint32_t, const bool,
                                         twin::host::Filled<::LayerNormGradTiling> tiling) {
    twin::host::fill_rows(shape, twin::host::counting_length(shape), tiling);
}
inline void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool,
                                              uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 3, most, least);
}
inline void GetLayerNormGradBetaNDTilingInfo(const ge::Shape& shape, const uint32_t, const uint32_t,
                                             const bool,
                                             twin::host::Filled<::LayerNormGradBetaTiling> tiling) {
    twin::host::fill_rows(shape, twin::host::counting_length(shape), tiling);
}

inline bool GetDeepNormMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool, const bool,
                                     uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 4, most, least);
    return true;
}
inline bool GetDeepNormTilingInfo(const ge::Shape& shape, const ge::Shape& original, const uint32_t,
                                  const uint32_t, const bool, const bool,
                                  twin::host::Filled<::DeepNormTiling> tiling) {
    twin::host::fill_rows(shape, original.GetDim(2), tiling);
    return true;
}

inline bool GetBatchNormMaxMinTmpSize(const ge::Shape& shape, const ge::Shape&, const uint32_t type_size,
                                      const bool, uint32_t& most, uint32_t& least, const bool = false) {
    twin::host::most_and_least(shape, type_size, 4, most, least);
    return true;
}
inline bool GetBatchNormNDTilingInfo(const ge::Shape& shape, const ge::Shape& original, const uint32_t,
                                     const uint32_t, const bool, twin::host::Filled<::BatchNormTiling> tiling,
                                     const bool = false) {
    tiling.data.bLength = static_cast<uint32_t>(shape.GetDim(0));
    tiling.data.sLength = static_cast<uint32_t>(shape.GetDim(1));
    tiling.data.hLength = static_cast<uint32_t>(shape.GetDim(2));
    tiling.data.originalBLength = static_cast<uint32_t>(original.GetDim(0));
    return true;
}

inline void GetGroupNormMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool,
                                      const uint32_t, uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 4, most, least);
}
inline void GetGroupNormNDTilingInfo(const ge::Shape& shape, const uint32_t, const uint32_t, const bool,
                                     const uint32_t groups, twin::host::Filled<::GroupNormTiling> tiling) {
    tiling.data.n = static_cast<uint32_t>(shape.GetDim(0));
    tiling.data.c = static_cast<uint32_t>(shape.GetDim(1));
    tiling.data.hw = static_cast<uint32_t>(shape.GetDim(2) * (shape.GetDimNum() > 3 ? shape.GetDim(3) : 1));
    tiling.data.g = groups;
    tiling.data.d = groups == 0 ? 0 : tiling.data.c / groups;
}

inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const int32_t inner,
                                 const int32_t outer, const bool, const bool, const TopKMode, const bool,
                                 const uint32_t type_size, uint32_t& most, uint32_t& least) {
    most = least = static_cast<uint32_t>(inner) * (16 + type_size) + static_cast<uint32_t>(outer) * 32;
    return true;
}
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC&, const int32_t inner, const int32_t outer,
                           const int32_t, const uint32_t, const bool, const TopKMode, const bool,
                           twin::host::Filled<::TopkTiling> tiling) {
    tiling.data.allDataSize = inner * outer;
    tiling.data.innerDataSize = inner;
    return true;
}

inline void GetPadMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, uint32_t& most,
                                uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 2, most, least);
}
/// `shape` is [height, stored width], `original` the same with the width that counts.
inline void PadTilingFunc(const ge::Shape shape, const ge::Shape original, const uint32_t, const uint32_t,
                          twin::host::Filled<::PadTiling> tiling) {
    tiling.data.srcHeight = static_cast<uint32_t>(shape.GetDim(0));
    tiling.data.srcWidth = static_cast<uint32_t>(shape.GetDim(1));
    tiling.data.srcOriWidth = static_cast<uint32_t>(original.GetDim(1));
}
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& shape,
                                  const uint32_t type_size, uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 2, most, least);
}
inline void UnPadTilingFunc(const ge::Shape shape, const uint32_t, const uint32_t,
                            twin::host::Filled<::UnPadTiling> tiling) {
    tiling.data.srcHeight = static_cast<uint32_t>(shape.GetDim(0));
    tiling.data.srcWidth = static_cast<uint32_t>(shape.GetDim(1));
}

#define TWIN_HOST_QUANT_SIZE(name)                                                                         \
    inline void Get##name##MaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, uint32_t& most, \
                                         uint32_t& least) {                                                \
        twin::host::most_and_least(shape, type_size, 2, most, least);                                      \
    }                                                                                                      \
    inline void Get##name##TmpBufferFactorSize(uint32_t& factor, uint32_t& extra) { factor = 2, extra = 256; }
TWIN_HOST_QUANT_SIZE(AscendQuant)
TWIN_HOST_QUANT_SIZE(AscendDequant)
#undef TWIN_HOST_QUANT_SIZE

inline void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& shape, const ge::Shape&, bool, ge::DataType,
                                            ge::DataType, uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, 4, 2, most, least);
}
inline uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape& shape, const ge::Shape& scale, bool transposed,
                                             ge::DataType from, ge::DataType to) {
    uint32_t most = 0, least = 0;
    GetAscendAntiQuantMaxMinTmpSize(shape, scale, transposed, from, to, most, least);
    return most;
}
inline uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape& shape, const ge::Shape& scale, bool transposed,
                                             ge::DataType from, ge::DataType to) {
    uint32_t most = 0, least = 0;
    GetAscendAntiQuantMaxMinTmpSize(shape, scale, transposed, from, to, most, least);
    return least;
}

inline void GetDropOutMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool,
                                    uint32_t& most, uint32_t& least) {
    twin::host::most_and_least(shape, type_size, 1, most, least);
}

}  // namespace AscendC
