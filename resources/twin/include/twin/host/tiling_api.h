// The tiling helpers of the high-level library: structures for both sides, functions for the host.
#pragma once

#include "twin/host/tiling_data.h"

#ifdef TWIN_KERNEL_SIDE

#include "kernel_tiling/kernel_tiling.h"

// On the kernel side the structures of the library are global; tiling headers name them inside optiling.
namespace optiling {
using ::BatchNormTiling;
using ::ConfusionTransposeTiling;
using ::DeepNormTiling;
using ::GroupNormTiling;
using ::LayerNormGradBetaTiling;
using ::LayerNormGradTiling;
using ::LayerNormSeparateTiling;
using ::LayerNormTiling;
using ::LogSoftMaxTiling;
using ::PadTiling;
using ::RmsNormTiling;
using ::SoftMaxTiling;
using ::TCubeTiling;
using ::TopkTiling;
using ::UnPadTiling;
}  // namespace optiling

#else

#include "twin/host/hccl_tiling.h"
#include "twin/host/library_sizes.h"
#include "twin/host/library_tiling.h"
#include "twin/host/matmul_tiling.h"
#include "twin/host/multi_core_tiling.h"
#include "twin/host/training_tiling.h"

namespace AscendC {
constexpr int32_t BLOCK_CUBE = 16;  // edge of a fractal, as on the kernel side
}  // namespace AscendC

#endif  // TWIN_KERNEL_SIDE
