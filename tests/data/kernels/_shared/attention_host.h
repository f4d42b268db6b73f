// Host side of attention block by block: tiling of the two products and workspace of the cores.
#ifndef ATTENTION_HOST_H
#define ATTENTION_HOST_H
#include "host_common.h"
#include "tiling/tiling_api.h"

namespace optiling {
constexpr uint32_t ATTENTION_ROWS = 16;
constexpr uint32_t ATTENTION_KEYS = 128;

inline bool TileProduct(const platform_ascendc::PlatformAscendC& platform, ge::DataType type, bool transposed,
                        int32_t n, int32_t k, optiling::TCubeTiling& cube) {
    using matmul_tiling::CubeFormat;
    using matmul_tiling::TPosition;
    const auto operands =
        type == ge::DT_BF16 ? matmul_tiling::DataType::DT_BFLOAT16 : matmul_tiling::DataType::DT_FLOAT16;
    matmul_tiling::MatmulApiTiling api(platform);
    api.SetAType(TPosition::GM, CubeFormat::ND, operands, false);
    api.SetBType(TPosition::GM, CubeFormat::ND, operands, transposed);
    api.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    api.SetBias(false);
    api.SetShape(ATTENTION_ROWS, n, k);
    api.SetOrgShape(ATTENTION_ROWS, n, k);
    api.SetBufferSpace(-1, -1, -1);
    return api.GetTiling(cube) != -1;
}

// Both products of queries of `depth` elements and values of `width`; `gathered` bytes of workspace for every
// core beside what the products need.
template <typename Data>
ge::graphStatus SplitAttention(gert::TilingContext* context, Data& tiling, bool any, uint32_t depth,
                               uint32_t width, uint64_t gathered) {
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const ge::DataType type = context->GetInputDesc(0)->GetDataType();
    const uint32_t cores = platform.GetCoreNumAiv();
    const uint64_t space =
        ATTENTION_ROWS * ATTENTION_KEYS * 6 + static_cast<uint64_t>(ATTENTION_ROWS) * width * 4;
    tiling.set_cores(any ? cores : 0);
    tiling.set_space(space + RoundUp(gathered, BLOCK_BYTES));
    if (any &&
        !(TileProduct(platform, type, true, ATTENTION_KEYS, static_cast<int32_t>(depth), tiling.scores) &&
          TileProduct(platform, type, false, static_cast<int32_t>(width), ATTENTION_KEYS, tiling.mixture))) {
        return ge::GRAPH_FAILED;
    }
    context->SetBlockDim(any ? (cores + 1) / 2 : 1);  // two vector cores each
    gert::TilingData* raw = context->GetRawTilingData();
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + cores * tiling.get_space();
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling
#endif
