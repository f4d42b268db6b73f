#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class KernelAdd {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t perCore, uint32_t tile)
    {
        const uint32_t start = GetBlockIdx() * perCore;
        this->length = start >= total ? 0 : (total - start < perCore ? total - start : perCore);
        this->tile = tile;
        xGm.SetGlobalBuffer((__gm__ T *)x + start, this->length);
        yGm.SetGlobalBuffer((__gm__ T *)y + start, this->length);
        zGm.SetGlobalBuffer((__gm__ T *)z + start, this->length);
        pipe.InitBuffer(inX, 2, tile * sizeof(T));
        pipe.InitBuffer(inY, 2, tile * sizeof(T));
        pipe.InitBuffer(outZ, 2, tile * sizeof(T));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t offset = 0; offset < length; offset += tile) {
            const uint32_t count = length - offset < tile ? length - offset : tile;
            CopyIn(offset, count);
            Compute(count);
            CopyOut(offset, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t offset, uint32_t count)
    {
        LocalTensor<T> x = inX.AllocTensor<T>();
        LocalTensor<T> y = inY.AllocTensor<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, static_cast<T>(0)};
        DataCopyPad(x, xGm[offset], copy, pad);
        DataCopyPad(y, yGm[offset], copy, pad);
        inX.EnQue(x);
        inY.EnQue(y);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<T> x = inX.DeQue<T>();
        LocalTensor<T> y = inY.DeQue<T>();
        LocalTensor<T> z = outZ.AllocTensor<T>();
        Add(z, x, y, count);
        outZ.EnQue<T>(z);
        inX.FreeTensor(x);
        inY.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count)
    {
        LocalTensor<T> z = outZ.DeQue<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPad(zGm[offset], z, copy);
        outZ.FreeTensor(z);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> inX, inY;
    TQue<TPosition::VECOUT, 2> outZ;
    GlobalTensor<T> xGm, yGm, zGm;
    uint32_t length = 0;
    uint32_t tile = 0;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    KernelAdd<DTYPE_X> op;
    op.Init(x, y, z, data.total, data.perCore, data.tile);
    op.Process();
}
