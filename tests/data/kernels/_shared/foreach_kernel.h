// Kernels on tensor lists: each core works through the parts of the tensors that lie in its run of blocks.
#ifndef FOREACH_KERNEL_H
#define FOREACH_KERNEL_H
#include "float_map.h"
#include "kernel_operator_list_tensor_intf.h"

// Address of tensor `index` of a list.
__aicore__ inline GM_ADDR ListAddress(GM_ADDR list, uint32_t index) {
    AscendC::ListTensorDesc descriptor(reinterpret_cast<__gm__ void*>(list));
    return descriptor.GetDataPtr<uint8_t>(index);
}

// Calls work(tensor, start, length) for every run of elements that is this core's.
template <typename T, typename Work>
__aicore__ inline void ForEachPart(const ForeachTilingData& tiling, Work& work) {
    constexpr uint32_t perBlock = 32 / sizeof(T);
    uint32_t first = AscendC::GetBlockIdx() * tiling.coreBlocks;
    uint32_t end = first + tiling.coreBlocks;
    uint32_t passed = 0;
    for (uint32_t index = 0; index < tiling.tensorCount && passed < end; ++index) {
        uint32_t length = tiling.lengths[index];
        uint32_t blocks = (length + perBlock - 1) / perBlock;
        uint32_t from = first > passed ? first - passed : 0;
        uint32_t to = end - passed < blocks ? end - passed : blocks;
        if (from < to) {
            uint32_t start = from * perBlock;
            uint32_t stop = to * perBlock < length ? to * perBlock : length;
            work(index, start, stop - start);
        }
        passed += blocks;
    }
}

template <typename T, int32_t LISTS, typename Math>
class ForeachMap {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, const ForeachTilingData& tiling, const Math& math) {
        map.Init(pipe, tiling.tileLength, math);
    }
    __aicore__ inline void SetInput(int32_t index, GM_ADDR list) { inputs[index] = list; }
    __aicore__ inline void SetOutput(GM_ADDR list) { output = list; }
    __aicore__ inline void operator()(uint32_t tensor, uint32_t start, uint32_t length) {
        for (int32_t i = 0; i < LISTS; ++i) {
            map.SetInput(i, ListAddress(inputs[i], tensor));
        }
        map.SetOutput(0, ListAddress(output, tensor));
        map.Run(start, length);
    }

private:
    FloatMap<T, LISTS, 1, Math> map;
    GM_ADDR inputs[LISTS];
    GM_ADDR output;
};

// y[i] = math(x[i]) for a list of tensors.
template <typename T, typename Math>
__aicore__ inline void RunForeachUnary(GM_ADDR x, GM_ADDR y, const ForeachTilingData& tiling,
                                       const Math& math) {
    AscendC::TPipe pipe;
    ForeachMap<T, 1, Math> map;
    map.Init(&pipe, tiling, math);
    map.SetInput(0, x);
    map.SetOutput(y);
    ForEachPart<T>(tiling, map);
}

// y[i] = math(x1[i], x2[i]) for two lists of tensors.
template <typename T, typename Math>
__aicore__ inline void RunForeachBinary(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const ForeachTilingData& tiling,
                                        const Math& math) {
    AscendC::TPipe pipe;
    ForeachMap<T, 2, Math> map;
    map.Init(&pipe, tiling, math);
    map.SetInput(0, x1);
    map.SetInput(1, x2);
    map.SetOutput(y);
    ForEachPart<T>(tiling, map);
}
#endif
