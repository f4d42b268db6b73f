// Host side of products that vector cores ask for part by part: sizes of the parts, tiling of the cube,
// workspace.
#ifndef PART_HOST_H
#define PART_HOST_H
#include "host_common.h"
#include "part_tiling.h"

namespace optiling {
// `groups` products of up to m rows, n columns and k products a sum, of operands of one type.
struct Products {
    uint64_t m;
    uint64_t n;
    uint64_t k;
    uint64_t groups;
    ge::DataType operands;
    bool kMajorLeft;
};

inline matmul_tiling::DataType CubeType(ge::DataType type) {
    switch (type) {
        case ge::DT_INT8: return matmul_tiling::DataType::DT_INT8;
        case ge::DT_BF16: return matmul_tiling::DataType::DT_BFLOAT16;
        case ge::DT_FLOAT: return matmul_tiling::DataType::DT_FLOAT;
        default: return matmul_tiling::DataType::DT_FLOAT16;
    }
}

// Parts of at most 128 x 256, halved while there are fewer of them than cores.
template <typename Data>
void ChooseParts(Data& tiling, const Products& work, uint32_t cores) {
    constexpr uint32_t unit = 16;
    uint32_t rows = work.m < 128 ? RoundUp(work.m, unit) : 128;
    uint32_t columns = work.n < 256 ? RoundUp(work.n, unit) : 256;
    while (static_cast<uint64_t>(CeilOf(work.m, rows)) * CeilOf(work.n, columns) * work.groups < cores) {
        uint32_t& longer = columns > rows ? columns : rows;
        if (longer <= 2 * unit) {
            break;
        }
        longer = RoundUp(longer / 2, unit);
    }
    tiling.set_partM(rows);
    tiling.set_partN(columns);
}

// Parts for every vector core, one tile of 32-bit sums in workspace for each of them, then `reserve` bytes.
// Without work there are no parts.
template <typename Data>
ge::graphStatus SplitParts(gert::TilingContext* context, Data& tiling, const Products& work,
                           uint64_t reserve = 0) {
    using matmul_tiling::CubeFormat;
    using matmul_tiling::TPosition;
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    bool any = work.m > 0 && work.n > 0;
    uint32_t cores = platform.GetCoreNumAiv();
    tiling.set_cores(any ? cores : 0);
    tiling.set_groups(static_cast<uint32_t>(work.groups));
    tiling.set_m(static_cast<uint32_t>(work.m));
    tiling.set_n(static_cast<uint32_t>(work.n));
    tiling.set_k(static_cast<uint32_t>(work.k));
    if (any) {
        ChooseParts(tiling, work, cores);
        int32_t rows = static_cast<int32_t>(tiling.get_partM());
        int32_t columns = static_cast<int32_t>(tiling.get_partN());
        int32_t depth = static_cast<int32_t>(work.k == 0 ? 1 : work.k);
        matmul_tiling::DataType type = CubeType(work.operands);
        matmul_tiling::DataType sums = work.operands == ge::DT_INT8 ? matmul_tiling::DataType::DT_INT32
                                                                    : matmul_tiling::DataType::DT_FLOAT;
        matmul_tiling::MatmulApiTiling api(platform);
        api.SetAType(TPosition::GM, CubeFormat::ND, type, work.kMajorLeft);
        api.SetBType(TPosition::GM, CubeFormat::ND, type, false);
        api.SetCType(TPosition::GM, CubeFormat::ND, sums);
        api.SetBias(false);
        api.SetShape(rows, columns, depth);
        api.SetOrgShape(static_cast<int32_t>(work.m), static_cast<int32_t>(work.n), depth);
        api.SetBufferSpace(-1, -1, -1);
        if (api.GetTiling(tiling.cube) == -1) {
            return ge::GRAPH_FAILED;
        }
    }
    context->SetBlockDim(any ? (cores + 1) / 2 : 1);  // two vector cores each
    gert::TilingData* raw = context->GetRawTilingData();
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
    uint64_t tile = any ? static_cast<uint64_t>(tiling.get_partM()) * tiling.get_partN() * 4 : 0;
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + cores * tile + reserve;
    return ge::GRAPH_SUCCESS;
}

inline uint64_t SizeOf(gert::TilingContext* context, size_t input, size_t dimension) {
    return static_cast<uint64_t>(context->GetInputShape(input)->GetStorageShape().GetDim(dimension));
}

// Tiling of one product a[m, k] b[k, n].
template <typename Data>
ge::graphStatus SplitProduct(gert::TilingContext* context, Data& tiling) {
    Products work{SizeOf(context, 0, 0),
                  SizeOf(context, 1, 1),
                  SizeOf(context, 0, 1),
                  1,
                  context->GetInputDesc(0)->GetDataType(),
                  false};
    return SplitParts(context, tiling, work);
}

// Tiling of a mixture of experts: rows a[M, k] that lie expert after expert, and matrices b[experts, k, n].
template <typename Data>
ge::graphStatus SplitExperts(gert::TilingContext* context, Data& tiling, uint64_t reserve = 0) {
    Products work{SizeOf(context, 0, 0),
                  SizeOf(context, 1, 2),
                  SizeOf(context, 0, 1),
                  1,
                  context->GetInputDesc(0)->GetDataType(),
                  false};
    if (SplitParts(context, tiling, work, reserve) != ge::GRAPH_SUCCESS) {
        return ge::GRAPH_FAILED;
    }
    tiling.set_groups(static_cast<uint32_t>(SizeOf(context, 1, 0)));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling
#endif
