// Element-wise kernels over whole tensors: every core works on one run of elements.
#ifndef FLAT_KERNEL_H
#define FLAT_KERNEL_H
#include "float_map.h"

// The run of elements of this core.
struct CoreRun {
    uint32_t start;
    uint32_t length;
};

template <typename Tiling>
__aicore__ inline CoreRun RunOfCore(const Tiling& tiling) {
    uint32_t start = AscendC::GetBlockIdx() * tiling.coreLength;
    uint32_t left = tiling.totalLength > start ? tiling.totalLength - start : 0;
    return CoreRun{start, left < tiling.coreLength ? left : tiling.coreLength};
}

template <int32_t COUNT>
struct Addresses {
    GM_ADDR of[COUNT];
};

// y = math(x[0], x[1], ...), element by element. An input whose address is null takes no part.
template <typename T, int32_t INPUTS, typename Tiling, typename Math>
__aicore__ inline void RunFlat(const Addresses<INPUTS>& x, GM_ADDR y, const Tiling& tiling,
                               const Math& math) {
    AscendC::TPipe pipe;
    FloatMap<T, INPUTS, 1, Math> map;
    map.Init(&pipe, tiling.tileLength, math);
    for (int32_t i = 0; i < INPUTS; ++i) {
        map.SetInput(i, x.of[i]);
    }
    map.SetOutput(0, y);
    CoreRun run = RunOfCore(tiling);
    map.Run(run.start, run.length);
}
#endif
