#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 4096;

class ChannelAffine {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR scale, GM_ADDR shift, GM_ADDR y, const Data& data) {
        images = data.images;
        channels = data.channels;
        plane = data.plane;
        from.SetGlobalBuffer((__gm__ float*)x);
        factors.SetGlobalBuffer((__gm__ float*)scale, channels);
        shifts.SetGlobalBuffer((__gm__ float*)shift, channels);
        to.SetGlobalBuffer((__gm__ float*)y);
        pipe.InitBuffer(arriving, 1, TILE * sizeof(float));
        pipe.InitBuffer(leaving, 1, TILE * sizeof(float));
    }
    __aicore__ inline void Process() {
        for (uint32_t image = GetBlockIdx(); image < images; image += GetBlockNum()) {
            for (uint32_t channel = 0; channel < channels; ++channel) {
                const float factor = factors.GetValue(channel), shift = shifts.GetValue(channel);
                const uint64_t start = (static_cast<uint64_t>(image) * channels + channel) * plane;
                for (uint32_t at = 0; at < plane; at += TILE) {
                    Piece(start + at, plane - at < TILE ? plane - at : TILE, factor, shift);
                }
            }
        }
    }

private:
    __aicore__ inline void Piece(uint64_t place, uint32_t count, float factor, float shift) {
        const DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        LocalTensor<float> x = arriving.AllocTensor<float>();
        DataCopyPad(x, from[place], bytes, DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        arriving.EnQue(x);
        x = arriving.DeQue<float>();
        LocalTensor<float> y = leaving.AllocTensor<float>();
        Muls(y, x, factor, static_cast<int32_t>(count));
        Adds(y, y, shift, static_cast<int32_t>(count));
        leaving.EnQue(y);
        arriving.FreeTensor(x);
        y = leaving.DeQue<float>();
        DataCopyPad(to[place], y, bytes);
        leaving.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> arriving;
    TQue<TPosition::VECOUT, 1> leaving;
    GlobalTensor<float> from, factors, shifts, to;
    uint32_t images, channels, plane;
};

extern "C" __global__ __aicore__ void channel_affine(GM_ADDR x, GM_ADDR scale, GM_ADDR shift, GM_ADDR y,
                                                     GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    ChannelAffine op;
    op.Init(x, scale, shift, y, data);
    op.Process();
}
