// Tiling of matrix products for the host: matmul_tiling::MatmulApiTiling, MultiCoreMatmulTiling,
// BatchMatmulTiling.
//
// The split is our own: it fills the same fields and respects the same memories as the device library, but
// may choose other block sizes. Kernels must read it from the tiling data, as they must on the device.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_tiling/kernel_tiling.h"
#include "twin/host/library_tiling.h"
#include "twin/host/platform.h"

namespace optiling {

/// The tiling structure as a field of an operator's tiling data.
class TCubeTiling : public LibraryTiling<::TCubeTiling> {
public:
#define TWIN_TILING_WORD(name)                            \
    void set_##name(int32_t value) { data.name = value; } \
    int32_t get_##name() const { return data.name; }
    TWIN_TILING_WORD(usedCoreNum)
    TWIN_TILING_WORD(M)
    TWIN_TILING_WORD(N)
    TWIN_TILING_WORD(Ka)
    TWIN_TILING_WORD(Kb)
    TWIN_TILING_WORD(singleCoreM)
    TWIN_TILING_WORD(singleCoreN)
    TWIN_TILING_WORD(singleCoreK)
    TWIN_TILING_WORD(baseM)
    TWIN_TILING_WORD(baseN)
    TWIN_TILING_WORD(baseK)
    TWIN_TILING_WORD(depthA1)
    TWIN_TILING_WORD(depthB1)
    TWIN_TILING_WORD(stepM)
    TWIN_TILING_WORD(stepN)
    TWIN_TILING_WORD(isBias)
    TWIN_TILING_WORD(transLength)
    TWIN_TILING_WORD(iterateOrder)
    TWIN_TILING_WORD(shareMode)
    TWIN_TILING_WORD(shareL1Size)
    TWIN_TILING_WORD(shareL0CSize)
    TWIN_TILING_WORD(shareUbSize)
    TWIN_TILING_WORD(batchM)
    TWIN_TILING_WORD(batchN)
    TWIN_TILING_WORD(singleBatchM)
    TWIN_TILING_WORD(singleBatchN)
    TWIN_TILING_WORD(stepKa)
    TWIN_TILING_WORD(stepKb)
    TWIN_TILING_WORD(dbL0A)
    TWIN_TILING_WORD(dbL0B)
    TWIN_TILING_WORD(dbL0C)
    TWIN_TILING_WORD(ALayoutInfoB)
    TWIN_TILING_WORD(ALayoutInfoS)
    TWIN_TILING_WORD(ALayoutInfoN)
    TWIN_TILING_WORD(ALayoutInfoG)
    TWIN_TILING_WORD(ALayoutInfoD)
    TWIN_TILING_WORD(BLayoutInfoB)
    TWIN_TILING_WORD(BLayoutInfoS)
    TWIN_TILING_WORD(BLayoutInfoN)
    TWIN_TILING_WORD(BLayoutInfoG)
    TWIN_TILING_WORD(BLayoutInfoD)
    TWIN_TILING_WORD(CLayoutInfoB)
    TWIN_TILING_WORD(CLayoutInfoS1)
    TWIN_TILING_WORD(CLayoutInfoN)
    TWIN_TILING_WORD(CLayoutInfoG)
    TWIN_TILING_WORD(CLayoutInfoS2)
    TWIN_TILING_WORD(BatchNum)
#undef TWIN_TILING_WORD
};

}  // namespace optiling

namespace matmul_tiling {

enum class TPosition : int32_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    MAX
};
enum class CubeFormat : int32_t { ND = 0, NZ, ZN, ZZ, NN, VECTOR, ND_ALIGN, SCALAR };
enum class DataType : int32_t {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_BF16 = 27,
    DT_BFLOAT16 = 27,
    DT_INT4 = 29
};
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

/// How the device schedules the product; only the order of the blocks changes anything here.
struct MatmulConfigParams {
    int32_t mmConfigType;
    bool enableL1CacheUB;
    ScheduleType scheduleType;
    MatrixTraverse traverse;
    bool enVecND2NZ;
    MatmulConfigParams(int32_t type = 1, bool l1_cache = false,
                       ScheduleType schedule = ScheduleType::INNER_PRODUCT,
                       MatrixTraverse order = MatrixTraverse::NOSET, bool nd2nz = false)
        : mmConfigType(type),
          enableL1CacheUB(l1_cache),
          scheduleType(schedule),
          traverse(order),
          enVecND2NZ(nd2nz) {}
};

/// What the tiling knows of the processor, filled by hand; the twin takes the modelled one's.
struct PlatformInfo {
    platform_ascendc::SocVersion socVersion = platform_ascendc::SocVersion::RESERVED_VERSION;
    uint64_t l1Size = 0;
    uint64_t l0CSize = 0;
    uint64_t ubSize = 0;
    uint64_t l0ASize = 0;
    uint64_t l0BSize = 0;
    uint64_t btSize = 0;
    uint64_t fbSize = 0;
};

/// Tiling of one product. Returns of the setters: 0 done, -1 refused; GetTiling the same.
class MatmulApiTilingBase {
public:
    MatmulApiTilingBase() = default;
    explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& platform) {
        cores_ = static_cast<int32_t>(platform.GetCoreNumAiv());
    }
    explicit MatmulApiTilingBase(const PlatformInfo&)
        : MatmulApiTilingBase(*platform_ascendc::PlatformAscendCManager::GetInstance()) {}
    virtual ~MatmulApiTilingBase() = default;

    int32_t SetAType(TPosition, CubeFormat, DataType type, bool transposed = false) {
        a_bytes_ = Bytes(type);
        static_cast<void>(transposed);
        return 0;
    }
    int32_t SetBType(TPosition, CubeFormat, DataType type, bool transposed = false) {
        b_bytes_ = Bytes(type);
        static_cast<void>(transposed);
        return 0;
    }
    int32_t SetCType(TPosition position, CubeFormat, DataType type) {
        c_local_ = position != TPosition::GM;
        c_bytes_ = Bytes(type);
        return 0;
    }
    int32_t SetBiasType(TPosition, CubeFormat, DataType) { return 0; }
    int32_t SetBias(bool bias = false) {
        bias_ = bias;
        return 0;
    }
    int32_t EnableBias(bool bias = false) { return SetBias(bias); }
    int32_t SetDequantType(DequantType) { return 0; }
    int32_t SetMadType(MatrixMadType) { return 0; }
    int32_t SetDim(int32_t cores) {
        cores_ = cores;
        return cores > 0 ? 0 : -1;
    }
    /// A size of -1 is that of the whole matrix.
    int32_t SetShape(int32_t m, int32_t n, int32_t k) {
        m_ = m == -1 ? org_m_ : m, n_ = n == -1 ? org_n_ : n, k_ = k == -1 ? org_ka_ : k;
        return 0;
    }
    int32_t SetOrgShape(int32_t m, int32_t n, int32_t k) { return SetOrgShape(m, n, k, k); }
    int32_t SetOrgShape(int32_t m, int32_t n, int32_t ka, int32_t kb) {
        org_m_ = m, org_n_ = n, org_ka_ = ka, org_kb_ = kb;
        return 0;
    }
    int32_t SetSingleShape(int32_t m = -1, int32_t n = -1, int32_t k = -1) {
        single_m_ = m, single_n_ = n, single_k_ = k;
        return 0;
    }
    int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
        return SetLayout(a_layout_, b, s, n, g, d);
    }
    int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
        return SetLayout(b_layout_, b, s, n, g, d);
    }
    int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
        return SetLayout(c_layout_, b, s, n, g, d);
    }
    int32_t SetBatchNum(int32_t batch) {
        batch_ = batch;
        return 0;
    }
    int32_t SetBatchInfoForNormal(int32_t batch_a, int32_t batch_b, int32_t m, int32_t n, int32_t k) {
        batch_ = std::max(batch_a, batch_b);
        SetOrgShape(m, n, k);
        return SetShape(m, n, k);
    }
    int32_t SetBufferSpace(int32_t l1 = -1, int32_t l0c = -1, int32_t ub = -1, int32_t bias = -1) {
        l1_ = l1 < 0 ? static_cast<int32_t>(twin::kL1Bytes) : l1;
        l0c_ = l0c < 0 ? static_cast<int32_t>(twin::kL0cBytes) : l0c;
        ub_ = ub;
        static_cast<void>(bias);
        return 0;
    }
    int32_t SetFixSplit(int32_t m = -1, int32_t n = -1, int32_t k = -1) {
        base_m_ = m, base_n_ = n, base_k_ = k;
        return 0;
    }
    int32_t SetTraverse(MatrixTraverse order) {
        order_ = order;
        return 0;
    }
    int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
    int32_t SetSplitRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1,
                          int32_t = -1) {
        return 0;
    }
    void SetMatmulConfigParams(const MatmulConfigParams& params) {
        if (params.traverse != MatrixTraverse::NOSET) order_ = params.traverse;
    }
    void SetMatmulConfigParams(int32_t type = 1, bool l1_cache = false,
                               ScheduleType schedule = ScheduleType::INNER_PRODUCT,
                               MatrixTraverse order = MatrixTraverse::NOSET, bool nd2nz = false) {
        SetMatmulConfigParams(MatmulConfigParams(type, l1_cache, schedule, order, nd2nz));
    }
    int32_t GetBaseM() const { return chosen_.baseM; }
    int32_t GetBaseN() const { return chosen_.baseN; }
    int32_t GetBaseK() const { return chosen_.baseK; }

    int64_t GetTiling(::TCubeTiling& tiling) {
        if (m_ <= 0 || n_ <= 0 || k_ <= 0 || cores_ <= 0) return -1;
        Choose();
        tiling = chosen_;
        return 0;
    }
    int64_t GetTiling(optiling::TCubeTiling& tiling) { return GetTiling(tiling.data); }

protected:
    struct Layout {
        int32_t b = 0, s = 0, n = 0, g = 0, d = 0;
    };

    static int32_t SetLayout(Layout& layout, int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
        layout = {b, s, n, g, d};
        return 0;
    }
    static int32_t Bytes(DataType type) {
        switch (type) {
            case DataType::DT_INT8:
            case DataType::DT_UINT8:
            case DataType::DT_INT4:
                return 1;
            case DataType::DT_FLOAT16:
            case DataType::DT_BF16:
            case DataType::DT_INT16:
            case DataType::DT_UINT16:
                return 2;
            default:
                return 4;
        }
    }
    static int32_t Ceil(int32_t value, int32_t unit) { return (value + unit - 1) / unit; }
    static int32_t RoundUp(int32_t value, int32_t unit) { return Ceil(value, unit) * unit; }

    /// Rows and columns one core computes: the grid of at most cores_ parts with the smallest largest part.
    virtual void ChooseSingle() {
        chosen_.usedCoreNum = 1;
        chosen_.singleCoreM = single_m_ > 0 ? single_m_ : m_;
        chosen_.singleCoreN = single_n_ > 0 ? single_n_ : n_;
        chosen_.singleCoreK = single_k_ > 0 ? single_k_ : k_;
    }

    void Choose() {
        chosen_ = ::TCubeTiling();
        chosen_.M = org_m_ > 0 ? org_m_ : m_;
        chosen_.N = org_n_ > 0 ? org_n_ : n_;
        chosen_.Ka = org_ka_ > 0 ? org_ka_ : k_;
        chosen_.Kb = org_kb_ > 0 ? org_kb_ : k_;
        chosen_.isBias = bias_ ? 1 : 0;
        ChooseSingle();
        ChooseBase();
        chosen_.iterateOrder = order_ == MatrixTraverse::FIRSTN ? 1 : 0;
        chosen_.dbL0A = chosen_.dbL0B = 2;
        chosen_.dbL0C = 1;
        chosen_.batchM = chosen_.batchN = chosen_.singleBatchM = chosen_.singleBatchN = 1;
        chosen_.BatchNum = batch_;
        chosen_.shareL1Size = l1_;
        chosen_.shareL0CSize = chosen_.baseM * chosen_.baseN * 4;
        FillLayouts();
    }

    /// Base block: the result fits L0C (and the kernel's buffer), two operand blocks fit L0A and L0B.
    void ChooseBase() {
        const int32_t bytes = std::max(a_bytes_, b_bytes_), c0 = 32 / bytes;
        const int32_t half_l0 = static_cast<int32_t>(twin::kL0aBytes) / 2;
        int32_t m = std::min(128, RoundUp(chosen_.singleCoreM, 16));
        int32_t n = std::min(256, RoundUp(chosen_.singleCoreN, 16));
        if (base_m_ > 0) m = base_m_;
        if (base_n_ > 0) n = base_n_;
        int64_t room = l0c_ / 4;
        if (c_local_) room = std::min<int64_t>(room, (ub_ > 0 ? ub_ : 65536) / c_bytes_);
        while (base_n_ <= 0 && n > 16 && int64_t(m) * n > room) n = RoundUp(n / 2, 16);
        while (base_m_ <= 0 && m > 16 && int64_t(m) * n > room) m = RoundUp(m / 2, 16);
        int32_t k = std::min(RoundUp(chosen_.singleCoreK, c0), half_l0 / (std::max(m, n) * bytes) / c0 * c0);
        if (base_k_ > 0) k = base_k_;
        chosen_.baseM = m, chosen_.baseN = n, chosen_.baseK = std::max(k, c0);
        const int32_t steps = Ceil(chosen_.singleCoreK, chosen_.baseK);
        const int32_t each = l1_ / 2 / (std::max(m, n) * chosen_.baseK * bytes);
        const int32_t depth = std::max(1, std::min(steps, each / 2));
        chosen_.stepM = chosen_.stepN = 1;
        chosen_.stepKa = chosen_.stepKb = depth;
        chosen_.depthA1 = chosen_.depthB1 = std::min(2 * depth, std::max(1, each));
    }

    void FillLayouts() {
        chosen_.ALayoutInfoB = a_layout_.b, chosen_.ALayoutInfoS = a_layout_.s,
        chosen_.ALayoutInfoN = a_layout_.n;
        chosen_.ALayoutInfoG = a_layout_.g, chosen_.ALayoutInfoD = a_layout_.d;
        chosen_.BLayoutInfoB = b_layout_.b, chosen_.BLayoutInfoS = b_layout_.s,
        chosen_.BLayoutInfoN = b_layout_.n;
        chosen_.BLayoutInfoG = b_layout_.g, chosen_.BLayoutInfoD = b_layout_.d;
        chosen_.CLayoutInfoB = c_layout_.b, chosen_.CLayoutInfoS1 = c_layout_.s,
        chosen_.CLayoutInfoN = c_layout_.n;
        chosen_.CLayoutInfoG = c_layout_.g, chosen_.CLayoutInfoS2 = c_layout_.d;
    }

    int32_t cores_ = 1, m_ = 0, n_ = 0, k_ = 0, org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0;
    int32_t single_m_ = -1, single_n_ = -1, single_k_ = -1, base_m_ = -1, base_n_ = -1, base_k_ = -1,
            batch_ = 0;
    int32_t a_bytes_ = 2, b_bytes_ = 2, c_bytes_ = 4, l1_ = static_cast<int32_t>(twin::kL1Bytes);
    int32_t l0c_ = static_cast<int32_t>(twin::kL0cBytes), ub_ = -1;
    bool bias_ = false, c_local_ = false;
    MatrixTraverse order_ = MatrixTraverse::NOSET;
    Layout a_layout_, b_layout_, c_layout_;
    ::TCubeTiling chosen_;
};

class MatmulApiTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
};

class BatchMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
    int32_t GetCoreNum(int32_t& dim, int32_t& rows, int32_t& columns) const {
        dim = rows = columns = 1;
        return 0;
    }
};

}  // namespace matmul_tiling
