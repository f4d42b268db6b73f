#include "core_sum.h"
#include "foreach_kernel.h"
#include "tile_reduce.h"
using namespace AscendC;

// x - x is 0 where x is finite and NaN elsewhere; NaN survives in a sum.
template <typename T>
class NonFiniteCheck {
public:
    __aicore__ inline void Init(const ForeachTilingData& tiling, GM_ADDR tensors, TPipe* pipe) {
        list = tensors;
        tile = tiling.tileLength;
        loader.Init(pipe, tile);
        reduce.Init(pipe, tile);
    }
    __aicore__ inline bool Found() const { return found; }
    __aicore__ inline void operator()(uint32_t tensor, uint32_t start, uint32_t length) {
        loader.Set(0, ListAddress(list, tensor));
        for (uint32_t done = 0; done < length; done += tile) {
            uint32_t count = length - done < tile ? length - done : tile;
            loader.Load(start + done, count);
            LocalTensor<float> x = loader.Tile(0);
            Sub(x, x, x, static_cast<int32_t>(count));
            float sum = reduce.Sum(x, static_cast<int32_t>(count));
            found = found || !(sum == 0.0f);
            loader.Release();
        }
    }

private:
    TileLoader<T, 1> loader;
    TileReduce reduce;
    GM_ADDR list;
    uint32_t tile;
    bool found = false;
};

extern "C" __global__ __aicore__ void non_finite_check_op(GM_ADDR tensor_list, GM_ADDR found_flag,
                                                          GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);  // SyncAll needs it where only vector cores run
    TPipe pipe;
    NonFiniteCheck<DTYPE_TENSOR_LIST> check;
    check.Init(tilingData, tensor_list, &pipe);
    CoreSum<float> flags;
    flags.Init(&pipe, workspace, found_flag);
    ForEachPart<DTYPE_TENSOR_LIST>(tilingData, check);
    float sum = check.Found() ? 1.0f : 0.0f;
    if (flags.Collect(sum)) {
        flags.Write(sum > 0.0f ? 1.0f : 0.0f);
    }
}
