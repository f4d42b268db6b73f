#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 4096;

template <bool shifted>
__aicore__ inline void Scale(GM_ADDR x, GM_ADDR shift, GM_ADDR y, uint32_t begin, uint32_t length, float scale) {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> inX, inShift;
    TQue<TPosition::VECOUT, 2> out;
    pipe.InitBuffer(inX, 2, TILE * sizeof(float));
    if constexpr (shifted) {
        pipe.InitBuffer(inShift, 2, TILE * sizeof(float));
    }
    pipe.InitBuffer(out, 2, TILE * sizeof(float));
    GlobalTensor<float> xGm, shiftGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x + begin, length);
    shiftGm.SetGlobalBuffer((__gm__ float*)shift + begin, length);  // null without shift: never read then
    yGm.SetGlobalBuffer((__gm__ float*)y + begin, length);
    const DataCopyPadExtParams<float> none{false, 0, 0, 0.0f};
    for (uint32_t offset = 0; offset < length; offset += TILE) {
        const uint32_t count = length - offset < TILE ? length - offset : TILE;
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        LocalTensor<float> tile = inX.AllocTensor<float>();
        DataCopyPad(tile, xGm[offset], copy, none);
        inX.EnQue(tile);
        tile = inX.DeQue<float>();
        LocalTensor<float> result = out.AllocTensor<float>();
        Muls(result, tile, scale, count);
        inX.FreeTensor(tile);
        if constexpr (shifted) {
            LocalTensor<float> added = inShift.AllocTensor<float>();
            DataCopyPad(added, shiftGm[offset], copy, none);
            inShift.EnQue(added);
            added = inShift.DeQue<float>();
            Add(result, result, added, count);
            inShift.FreeTensor(added);
        }
        out.EnQue(result);
        result = out.DeQue<float>();
        DataCopyPad(yGm[offset], result, copy);
        out.FreeTensor(result);
    }
}

extern "C" __global__ __aicore__ void picked_scale(GM_ADDR x, GM_ADDR times, GM_ADDR shift, GM_ADDR y,
                                                   GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    const uint32_t begin = GetBlockIdx() * data.perCore;
    const uint32_t length = begin >= data.total ? 0 : data.total - begin < data.perCore ? data.total - begin : data.perCore;
    if (TILING_KEY_IS(0)) {
        Scale<false>(x, shift, y, begin, length, data.scale);
    } else if (TILING_KEY_IS(1)) {
        Scale<true>(x, shift, y, begin, length, data.scale);
    }
}
