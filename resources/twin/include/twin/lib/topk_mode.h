// How TopK looks for its values: named by kernels and by their tiling functions.
#pragma once

namespace AscendC {

enum class TopKMode { TOPK_NORMAL = 0, TOPK_NSMALL };

}  // namespace AscendC
