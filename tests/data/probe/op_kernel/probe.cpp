// Writes what arrived: x scaled by the tiling data when every field came through, else zeros.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR mask, GM_ADDR sizes, GM_ADDR y, GM_ADDR workspace,
                                            GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    bool right = data.small == 7 && data.inner.flag == 1 && data.inner.wide == (1ULL << 40) && data.rows[0] == -1 &&
                 data.rows[2] == (1 << 30) && mask == nullptr && sizes != nullptr && TILING_KEY_IS(12345678901);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 64);
    pipe.InitBuffer(out, 1, 64);
    GlobalTensor<DTYPE_X> source;
    GlobalTensor<DTYPE_Y> target;
    source.SetGlobalBuffer((__gm__ DTYPE_X*)x, data.count);
    target.SetGlobalBuffer((__gm__ DTYPE_Y*)y, data.count);
    LocalTensor<DTYPE_X> local = in.AllocTensor<DTYPE_X>();
    DataCopyExtParams params{1, static_cast<uint32_t>(data.count * sizeof(DTYPE_X)), 0, 0, 0};
    DataCopyPadExtParams<DTYPE_X> pad{false, 0, 0, 0};
    DataCopyPad(local, source, params, pad);
    in.EnQue(local);
    local = in.DeQue<DTYPE_X>();
    LocalTensor<DTYPE_Y> result = out.AllocTensor<DTYPE_Y>();
    Muls(result, local, right ? data.scale : 0.0f, data.count);
    out.EnQue(result);
    in.FreeTensor(local);
    result = out.DeQue<DTYPE_Y>();
    DataCopyPad(target, result, params);
    out.FreeTensor(result);
}
