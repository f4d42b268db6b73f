#include "kernel_operator.h"
using namespace AscendC;

class ChannelAffine {
public:
    template <typename Data>
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR scale, GM_ADDR shift, GM_ADDR y, const Data& data) {
        const uint32_t core = GetBlockIdx();
        first = core * data.share + (core < data.more ? core : data.more);
        last = first + data.share + (core < data.more ? 1 : 0);
        channels = data.channels;
        plane = data.plane;
        tile = data.tile;
        batch = data.batch;
        from.SetGlobalBuffer((__gm__ float*)x);
        factors.SetGlobalBuffer((__gm__ float*)scale, channels);
        shifts.SetGlobalBuffer((__gm__ float*)shift, channels);
        to.SetGlobalBuffer((__gm__ float*)y);
        pipe.InitBuffer(arriving, 2, batch * tile * sizeof(float));
        pipe.InitBuffer(leaving, 2, batch * tile * sizeof(float));
        pitch = (channels + 7) / 8 * 8;
        pipe.InitBuffer(table, 2 * pitch * sizeof(float));
    }
    __aicore__ inline void Process() {
        if (first >= last || plane == 0) {
            return;
        }
        numbers = table.Get<float>();
        const DataCopyExtParams all{1, static_cast<uint32_t>(channels * sizeof(float)), 0, 0, 0};
        const DataCopyPadExtParams<float> none{false, 0, 0, 0.0f};
        DataCopyPad(numbers, factors, all, none);
        DataCopyPad(numbers[pitch], shifts, all, none);
        const event_t there = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_S));
        SetFlag<HardEvent::MTE2_S>(there);
        WaitFlag<HardEvent::MTE2_S>(there);
        for (uint32_t at = 0; at < plane; at += tile) {
            const uint32_t count = plane - at < tile ? plane - at : tile;
            for (uint32_t index = first; index < last; index += batch) {
                Tile(index, last - index < batch ? last - index : batch, at, count);
            }
        }
    }

private:
    // The same piece of several planes by one copy: small planes alone would be too short to move.
    __aicore__ inline void Tile(uint32_t index, uint32_t planes, uint32_t at, uint32_t count) {
        const uint64_t place = static_cast<uint64_t>(index) * plane + at;
        const uint32_t gap = (plane - count) * sizeof(float), row = (count + 7) / 8 * 8;
        const uint16_t blocks = static_cast<uint16_t>(planes);
        const uint32_t bytes = count * sizeof(float);
        LocalTensor<float> x = arriving.AllocTensor<float>();
        DataCopyPad(x, from[place], DataCopyExtParams{blocks, bytes, gap, 0, 0},
                    DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        arriving.EnQue(x);
        x = arriving.DeQue<float>();
        LocalTensor<float> y = leaving.AllocTensor<float>();
        for (uint32_t i = 0; i < planes; ++i) {
            const uint32_t channel = (index + i) % channels;
            Muls(y[i * row], x[i * row], numbers.GetValue(channel), static_cast<int32_t>(count));
            Adds(y[i * row], y[i * row], numbers.GetValue(pitch + channel), static_cast<int32_t>(count));
        }
        leaving.EnQue(y);
        arriving.FreeTensor(x);
        y = leaving.DeQue<float>();
        DataCopyPad(to[place], y, DataCopyExtParams{blocks, bytes, 0, gap, 0});
        leaving.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> arriving;
    TQue<TPosition::VECOUT, 2> leaving;
    TBuf<TPosition::VECCALC> table;
    LocalTensor<float> numbers;
    GlobalTensor<float> from, factors, shifts, to;
    uint32_t first, last, channels, plane, tile, batch, pitch;
};

extern "C" __global__ __aicore__ void channel_affine(GM_ADDR x, GM_ADDR scale, GM_ADDR shift, GM_ADDR y,
                                                     GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    ChannelAffine op;
    op.Init(x, scale, shift, y, data);
    op.Process();
}
