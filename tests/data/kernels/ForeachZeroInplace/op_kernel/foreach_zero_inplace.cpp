#include "foreach_kernel.h"

// Writes one tile of zeros, prepared once, over every part.
template <typename T>
class ZeroWriter {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR tensors, uint32_t tileLength) {
        list = tensors;
        tile = tileLength;
        pipe->InitBuffer(queue, 1, tile * sizeof(T));
        AscendC::LocalTensor<T> fresh = queue.template AllocTensor<T>();
        AscendC::Duplicate(fresh, static_cast<T>(0), static_cast<int32_t>(tile));
        queue.EnQue(fresh);
        zeros = queue.template DeQue<T>();
    }
    __aicore__ inline void operator()(uint32_t tensor, uint32_t start, uint32_t length) {
        AscendC::GlobalTensor<T> target;
        target.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(ListAddress(list, tensor)) + start, length);
        for (uint32_t done = 0; done < length; done += tile) {
            uint32_t count = length - done < tile ? length - done : tile;
            AscendC::DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            AscendC::DataCopyPad(target[done], zeros, params);
        }
    }
    __aicore__ inline void Finish() { queue.FreeTensor(zeros); }

private:
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue;
    AscendC::LocalTensor<T> zeros;
    GM_ADDR list;
    uint32_t tile;
};

extern "C" __global__ __aicore__ void foreach_zero_inplace(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                           GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    ZeroWriter<DTYPE_X> writer;
    writer.Init(&pipe, y, tilingData.tileLength);
    ForEachPart<DTYPE_X>(tilingData, writer);
    writer.Finish();
}
