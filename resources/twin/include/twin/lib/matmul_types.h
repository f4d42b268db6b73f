// Template parameters of the Matmul object.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel_tiling/kernel_tiling.h"
#include "twin/api/types.h"

enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, VECTOR, ND_ALIGN, SCALAR, COLUMN_MAJOR };

/// How the batches of a batched product lie in memory.
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

enum class IterateOrder { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };
enum BatchOutMode { SINGLE_BATCH = 0, MULTI_BATCH, DYNAMIC };
enum class BatchMode { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum class MatmulConfigMode { CONFIG_NORM = 0, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };
/// Which of the Iterate functions a kernel calls.
enum IterateMode : uint8_t {
    ITERATE_MODE_NORMAL = 1,
    ITERATE_MODE_ALL = 2,
    ITERATE_MODE_BATCH = 4,
    ITERATE_MODE_N_BATCH = 8,
    ITERATE_MODE_DEFAULT = 255
};

/// How the device library schedules a product. Here every product is computed the same way, so that only the
/// parameters that change its result, its blocks or its time (doMultiDataLoad) are kept.
struct MatmulConfig {
    // In the order of the documented structure: kernels fill it by position, or by name in this order. All
    // but the sizes are scheduling choices without effect on the result.
    bool doNorm = true, doBasicBlock = false, doMultiDataLoad = false;
    uint32_t basicM = 0, basicN = 0, basicK = 0;
    bool intrinsicsCheck = false, isNBatch = false, enVecND2NZ = false, doSpecialBasicBlock = false;
    uint32_t doMTE2Preload = 0, singleCoreM = 0, singleCoreN = 0, singleCoreK = 0, stepM = 1, stepN = 1,
             baseMN = 0, singleCoreMN = 0;
    bool enUnitFlag = false, isPerTensor = false, hasAntiQuantOffset = false, doIBShareNorm = false,
         doSpecialMDL = false, enableInit = true;
    BatchMode batchMode = BatchMode::BATCH_LESS_THAN_L1;
    bool enableEnd = true, enableGetTensorC = true, enableSetOrgShape = true, enableSetBias = true,
         enableSetTail = true, enableQuantVector = true, enableSetDefineData = true;
    uint8_t iterateMode = IterateMode::ITERATE_MODE_DEFAULT;
    bool enableReuse = true, enableUBReuse = true, enableL1CacheUB = false, intraBlockPartSum = false;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableDoubleCache = false, isBiasBatch = true, enableStaticPadZeros = false, isPartialOutput = false,
         enableMixDualMaster = false, isA2B2Shared = false, isEnableChannelSplit = false,
         enableKdimReorderLoad = false, isCO1Shared = false;
    uint32_t sharedCO1BufferSize = 65536;
    BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
    bool enableL1BankConflictOptimise = false;
};
struct MatmulShapeParams {
    uint32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0, basicM = 0, basicN = 0, basicK = 0;
};
struct MatmulQuantParams {
    bool isPerChannel = false, isPerTensor = false;
};
struct MatmulBatchParams {
    bool isNBatch = false;
    BatchMode batchMode = BatchMode::NONE;
    bool isBiasBatch = true;
    BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
};
struct MatmulFuncParams {
    bool intrinsicsLimit = false, enVecND2NZ = false, enableDoubleCache = false, enableL1CacheUB = false;
    uint32_t doMTE2Preload = 0;
    IterateOrder iterateOrder = IterateOrder::UNDEF;
    ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
    bool enableReuse = true, enableUBReuse = false;
};

namespace twin {
/// One copy into L1 brings several base blocks.
constexpr MatmulConfig multi_data_load() {
    MatmulConfig config;
    config.doNorm = false, config.doMultiDataLoad = true;
    return config;
}
}  // namespace twin

inline constexpr MatmulConfig CFG_NORM{}, CFG_MDL = twin::multi_data_load(), MM_CFG_BB{}, CFG_IBSHARE_NORM{};

// The factories take what they take on the device.
template <typename... Options>
constexpr MatmulConfig GetNormalConfig(Options...) {
    return {};
}
template <typename... Options>
constexpr MatmulConfig GetMDLConfig(Options...) {
    return twin::multi_data_load();
}
template <typename... Options>
constexpr MatmulConfig GetSpecialMDLConfig(Options...) {
    return twin::multi_data_load();
}
template <typename... Options>
constexpr MatmulConfig GetIBShareNormConfig(Options...) {
    return {};
}
template <typename... Options>
constexpr MatmulConfig GetBasicConfig(uint32_t m, uint32_t n, uint32_t k, Options...) {
    MatmulConfig config;
    config.basicM = m, config.basicN = n, config.basicK = k;
    return config;
}
template <typename... Options>
constexpr MatmulConfig GetSpecialBasicConfig(uint32_t m, uint32_t n, uint32_t k, uint32_t single_m,
                                             uint32_t single_n, uint32_t single_k, Options...) {
    MatmulConfig config = GetBasicConfig(m, n, k);
    config.singleCoreM = single_m, config.singleCoreN = single_n, config.singleCoreK = single_k;
    return config;
}

namespace twin {
constexpr void apply(MatmulConfig& config, const MatmulShapeParams& shape) {
    config.singleCoreM = shape.singleCoreM, config.singleCoreN = shape.singleCoreN;
    config.singleCoreK = shape.singleCoreK;
    config.basicM = shape.basicM, config.basicN = shape.basicN, config.basicK = shape.basicK;
}
constexpr void apply(MatmulConfig& config, const MatmulFuncParams& function) {
    config.iterateOrder = function.iterateOrder;
}
constexpr void apply(MatmulConfig&, const MatmulQuantParams&) {}
constexpr void apply(MatmulConfig& config, const MatmulBatchParams& batch) {
    config.isBiasBatch = batch.isBiasBatch;
}
}  // namespace twin

template <MatmulConfigMode mode, typename... Groups>
constexpr MatmulConfig GetMMConfig(const Groups&... groups) {
    constexpr bool mdl = mode == MatmulConfigMode::CONFIG_MDL || mode == MatmulConfigMode::CONFIG_SPECIALMDL;
    MatmulConfig config = mdl ? twin::multi_data_load() : MatmulConfig{};
    (twin::apply(config, groups), ...);
    return config;
}

/// Split known at compile time, as GetMatmulApiTiling gives it.
struct MatmulApiStaticTiling : TCubeTiling {
    MatmulConfig cfg{};
};

namespace twin {

/// Configuration and split behind the template argument of a Matmul object: either of the two may be one.
constexpr const MatmulConfig& config_of(const MatmulConfig& config) { return config; }
constexpr const MatmulConfig& config_of(const MatmulApiStaticTiling& tiling) { return tiling.cfg; }
constexpr TCubeTiling split_of(const MatmulConfig&) { return {}; }
constexpr TCubeTiling split_of(const MatmulApiStaticTiling& tiling) { return tiling; }

/// Part of C that a policy leaves out, by base block.
enum class Triangle : uint8_t { none, upper, lower };

// Modules that CANN's policies consist of. Policies here have none, so one that is there is the kernel's own.
#define TWIN_POLICY_MODULE(NAME)          \
    template <class Policy, class = void> \
    constexpr bool kHasOwn##NAME = false; \
    template <class Policy>               \
    constexpr bool kHasOwn##NAME<Policy, std::void_t<typename Policy::NAME>> = true;
TWIN_POLICY_MODULE(CopyCubeInA)
TWIN_POLICY_MODULE(CopyCubeInB)
TWIN_POLICY_MODULE(CopyCubeOut)
TWIN_POLICY_MODULE(CubeInBufferA)
TWIN_POLICY_MODULE(CubeInBufferB)
TWIN_POLICY_MODULE(CubeOutBuffer)
TWIN_POLICY_MODULE(Scheduler)
TWIN_POLICY_MODULE(BatchScheduler)
TWIN_POLICY_MODULE(BiasScheduler)
#undef TWIN_POLICY_MODULE

/// Whether a policy moves or orders data by itself, which the simulated product would not do.
template <class Policy>
constexpr bool kHasOwnModules =
    kHasOwnCopyCubeInA<Policy> || kHasOwnCopyCubeInB<Policy> || kHasOwnCopyCubeOut<Policy> ||
    kHasOwnCubeInBufferA<Policy> || kHasOwnCubeInBufferB<Policy> || kHasOwnCubeOutBuffer<Policy> ||
    kHasOwnScheduler<Policy> || kHasOwnBatchScheduler<Policy> || kHasOwnBiasScheduler<Policy>;

}  // namespace twin

namespace AscendC {

using ::CFG_IBSHARE_NORM;
using ::CFG_MDL;
using ::CFG_NORM;
using ::CubeFormat;
using ::LayoutMode;
using ::MatmulConfig;

/// Operand: where it is, how it lies there, its elements, whether SetTensor may say that it is transposed.
template <TPosition position, CubeFormat fmt, typename TYPE, bool transposed = false,
          LayoutMode mode = LayoutMode::NONE, bool shared = false>
struct MatmulType {
    static constexpr TPosition pos = position;
    static constexpr CubeFormat format = fmt;
    static constexpr bool isTrans = transposed;
    static constexpr LayoutMode layout = mode;
    static constexpr bool ibShare = shared;
    using T = TYPE;
};

// Policies: how the device schedules the blocks, or which of them it computes.
namespace Impl {
namespace Detail {
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE,
          typename BIAS_TYPE>
struct MatmulPolicy {
    static constexpr twin::Triangle kTriangle = twin::Triangle::none;
};
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE,
          typename BIAS_TYPE>
struct NBuffer33MatmulPolicy : MatmulPolicy<MM_CFG, IMPL, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE> {};
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE,
          typename BIAS_TYPE>
struct TrianUpperMatmulPolicy {
    static constexpr twin::Triangle kTriangle = twin::Triangle::upper;
};
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE,
          typename BIAS_TYPE>
struct TrianLowerMatmulPolicy {
    static constexpr twin::Triangle kTriangle = twin::Triangle::lower;
};
}  // namespace Detail
}  // namespace Impl

/// Type of the sums of a product.
template <typename SrcT>
struct GetMmDstType {
    using Type = std::conditional_t<std::is_same<SrcT, int8_t>::value, int32_t, float>;
};

/// Split of a product whose shape the configuration names, at compile time.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG, int32_t l1Size = 524288) {
    MatmulApiStaticTiling tiling{};
    tiling.cfg = mmCFG;
    tiling.usedCoreNum = 1;
    tiling.M = tiling.singleCoreM = static_cast<int32_t>(mmCFG.singleCoreM);
    tiling.N = tiling.singleCoreN = static_cast<int32_t>(mmCFG.singleCoreN);
    tiling.Ka = tiling.Kb = tiling.singleCoreK = static_cast<int32_t>(mmCFG.singleCoreK);
    tiling.baseM = static_cast<int32_t>(mmCFG.basicM), tiling.baseN = static_cast<int32_t>(mmCFG.basicN);
    tiling.baseK = static_cast<int32_t>(mmCFG.basicK);
    tiling.stepM = tiling.stepN = tiling.stepKa = tiling.stepKb = tiling.depthA1 = tiling.depthB1 = 1;
    tiling.dbL0A = tiling.dbL0B = 2, tiling.dbL0C = 1;
    tiling.shareL1Size = l1Size;
    return tiling;
}

/// Own copy functions. A kernel may have products with them beside others, so a product tells when it runs.
template <auto copy_out = nullptr, auto copy_a = nullptr, auto copy_b = nullptr>
struct MatmulCallBackFunc {
    static constexpr bool kCopiesItself = copy_out != nullptr || copy_a != nullptr || copy_b != nullptr;
};

}  // namespace AscendC
