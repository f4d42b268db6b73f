// What the tiling functions share: sizes of dtypes, tile lengths that fit UB, and the split over the vector
// cores.
#ifndef HOST_COMMON_H
#define HOST_COMMON_H
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t BLOCK_BYTES = 32;
constexpr uint32_t REPEAT_BYTES = 256;
constexpr uint32_t LONGEST_TILE = 8192;      // elements; longer copies gain nothing
constexpr uint32_t LEAST_CORE_BYTES = 2048;  // starting a core for less costs more than it saves

inline uint32_t WidthOf(ge::DataType type) {
    switch (type) {
        case ge::DT_INT64: return 8;
        case ge::DT_FLOAT:
        case ge::DT_INT32: return 4;
        case ge::DT_FLOAT16:
        case ge::DT_BF16:
        case ge::DT_INT16: return 2;
        default: return 1;
    }
}

inline uint32_t RoundUp(uint64_t value, uint32_t unit) {
    return static_cast<uint32_t>((value + unit - 1) / unit * unit);
}
inline uint32_t CeilOf(uint64_t value, uint64_t unit) {
    return static_cast<uint32_t>((value + unit - 1) / unit);
}

inline uint32_t VectorCores(gert::TilingContext* context) {
    return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
}
inline uint64_t UnifiedBytes(gert::TilingContext* context) {
    uint64_t bytes = 0;
    platform_ascendc::PlatformAscendC(context->GetPlatformInfo())
        .GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    return bytes;
}

// Longest tile, a multiple of 256 elements, of which every element needs `bytes` bytes of UB; `reserved`
// bytes of UB are not for tiles. 0 when nothing fits.
inline uint32_t TileLength(gert::TilingContext* context, uint32_t bytes, uint64_t reserved = 0) {
    uint64_t free = UnifiedBytes(context);
    free = free > reserved ? free - reserved : 0;
    uint64_t tile = free / bytes / REPEAT_BYTES * REPEAT_BYTES;
    return static_cast<uint32_t>(tile < LONGEST_TILE ? tile : LONGEST_TILE);
}

// UB bytes one element of an element-wise kernel needs: queues with two buffers, float32 copies of everything
// that is not 32 bits wide, and `scratch` further 32-bit numbers.
inline uint32_t MapBytes(uint32_t inputs, uint32_t outputs, uint32_t scratch, uint32_t width) {
    uint32_t wide = width == 4 ? 0 : (inputs + outputs) * 4;
    return 2 * (inputs + outputs) * width + wide + scratch * 4;
}

inline ge::graphStatus Finish(gert::TilingContext* context, TilingDef& tiling, uint32_t cores) {
    context->SetBlockDim(cores == 0 ? 1 : cores);
    gert::TilingData* raw = context->GetRawTilingData();
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

// Fills totalLength, coreLength and tileLength of any tiling data that has them and sets the number of cores.
template <typename Data>
ge::graphStatus SplitFlat(gert::TilingContext* context, Data& tiling, uint64_t total, uint32_t width,
                          uint32_t tile) {
    uint32_t unit = LEAST_CORE_BYTES / width;
    uint32_t units = CeilOf(total, unit);
    uint32_t cores = VectorCores(context);
    uint32_t share = CeilOf(units, cores);
    tiling.set_totalLength(static_cast<uint32_t>(total));
    tiling.set_coreLength((share == 0 ? 1 : share) * unit);
    tiling.set_tileLength(tile);
    return Finish(context, tiling, share == 0 ? 1 : CeilOf(units, share));
}

// Fills rows and coreRows of any tiling data that has them and sets the number of cores: whole rows for every
// core.
template <typename Data>
ge::graphStatus SplitRows(gert::TilingContext* context, Data& tiling, uint64_t rows) {
    uint32_t share = CeilOf(rows, VectorCores(context));
    share = share == 0 ? 1 : share;
    tiling.set_rows(static_cast<uint32_t>(rows));
    tiling.set_coreRows(share);
    return Finish(context, tiling, CeilOf(rows, share));
}

// Tile length of a kernel that keeps rows of `width` 32-bit numbers in UB: no longer than a row needs, 0 when
// the rows do not fit beside tiles of `bytes` bytes for every element.
inline uint32_t RowTileLength(gert::TilingContext* context, uint64_t width, uint32_t bytes) {
    uint64_t kept = RoundUp(width * 4, REPEAT_BYTES) + RoundUp(width / 8, REPEAT_BYTES) + 4 * REPEAT_BYTES;
    uint32_t tile = TileLength(context, bytes, kept);
    uint32_t whole = RoundUp(width == 0 ? 1 : width, REPEAT_BYTES);
    return tile < whole ? tile : whole;
}

inline uint64_t LastLength(const gert::StorageShape* shape) {
    const gert::Shape& dims = shape->GetStorageShape();
    return dims.GetDimNum() == 0 ? 1 : static_cast<uint64_t>(dims.GetDim(dims.GetDimNum() - 1));
}

inline uint64_t ElementsOf(const gert::StorageShape* shape) {
    return shape == nullptr ? 0 : static_cast<uint64_t>(shape->GetStorageShape().GetShapeSize());
}
}  // namespace optiling
#endif
