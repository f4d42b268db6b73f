#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t GROUP = 32, LISTS = 4, ROW = GROUP * LISTS;
constexpr uint32_t BATCH = 64;  // results kept before they are copied out
constexpr float LOWEST = -3.4e38f;

extern "C" __global__ __aicore__ void middle_of_row(GM_ADDR x, GM_ADDR middle, GM_ADDR place, GM_ADDR workspace,
                                                    GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    const uint32_t begin = GetBlockIdx() * data.rowsPerCore;
    const uint32_t left = begin >= data.rows ? 0 : data.rows - begin;
    const uint32_t rows = left < data.rowsPerCore ? left : data.rowsPerCore;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> outMiddle, outPlace;
    TBuf<TPosition::VECCALC> indexBuffer, sortedBuffer, mergedBuffer, valueBuffer;
    pipe.InitBuffer(in, 1, ROW * sizeof(float));
    pipe.InitBuffer(outMiddle, 1, BATCH * sizeof(float));
    pipe.InitBuffer(outPlace, 1, BATCH * sizeof(int32_t));
    pipe.InitBuffer(indexBuffer, ROW * sizeof(int32_t));
    pipe.InitBuffer(sortedBuffer, ROW * 8);
    pipe.InitBuffer(mergedBuffer, ROW * 8);
    pipe.InitBuffer(valueBuffer, 2 * ROW * sizeof(float));
    LocalTensor<int32_t> index = indexBuffer.Get<int32_t>();
    LocalTensor<float> sorted = sortedBuffer.Get<float>(), merged = mergedBuffer.Get<float>();
    LocalTensor<float> values = valueBuffer.Get<float>();
    LocalTensor<uint32_t> places = values[ROW].ReinterpretCast<uint32_t>();
    CreateVecIndex(index, 0, ROW);
    GlobalTensor<float> xGm, middleGm;
    GlobalTensor<int32_t> placeGm;
    xGm.SetGlobalBuffer((__gm__ float*)x + uint64_t(begin) * data.length, uint64_t(rows) * data.length);
    middleGm.SetGlobalBuffer((__gm__ float*)middle + begin, rows);
    placeGm.SetGlobalBuffer((__gm__ int32_t*)place + begin, rows);
    for (uint32_t first = 0; first < rows; first += BATCH) {
        const uint32_t count = rows - first < BATCH ? rows - first : BATCH;
        LocalTensor<float> middles = outMiddle.AllocTensor<float>();
        LocalTensor<int32_t> found = outPlace.AllocTensor<int32_t>();
        for (uint32_t i = 0; i < count; ++i) {
            LocalTensor<float> row = in.AllocTensor<float>();
            Duplicate(row, LOWEST, ROW);
            event_t filled = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE2));
            SetFlag<HardEvent::V_MTE2>(filled);
            WaitFlag<HardEvent::V_MTE2>(filled);
            const uint8_t fill = static_cast<uint8_t>((8 - data.length % 8) % 8);  // up to the block's end
            DataCopyPad(row, xGm[uint64_t(first + i) * data.length],
                        DataCopyExtParams{1, static_cast<uint32_t>(data.length * sizeof(float)), 0, 0, 0},
                        DataCopyPadExtParams<float>{true, 0, fill, LOWEST});
            in.EnQue(row);
            row = in.DeQue<float>();
            Sort32(sorted, row, index.ReinterpretCast<uint32_t>(), LISTS);
            in.FreeTensor(row);
            const uint32_t step = GetSortOffset<float>(GROUP);
            const uint16_t lengths[4] = {GROUP, GROUP, GROUP, GROUP};
            uint32_t taken[4];
            MrgSort<float>(merged, MrgSortSrcList<float>(sorted, sorted[step], sorted[2 * step], sorted[3 * step]),
                           lengths, taken, 0b1111, 1);
            Extract(values, places, merged, LISTS);
            event_t read = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
            SetFlag<HardEvent::V_S>(read);
            WaitFlag<HardEvent::V_S>(read);
            middles.SetValue(i, values.GetValue(data.length / 2));
            found.SetValue(i, static_cast<int32_t>(places.GetValue(data.length / 2)));
            event_t again = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));
            SetFlag<HardEvent::S_V>(again);
            WaitFlag<HardEvent::S_V>(again);
        }
        event_t write = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
        SetFlag<HardEvent::S_MTE3>(write);
        WaitFlag<HardEvent::S_MTE3>(write);
        outMiddle.EnQue(middles);
        outPlace.EnQue(found);
        middles = outMiddle.DeQue<float>();
        found = outPlace.DeQue<int32_t>();
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        DataCopyPad(middleGm[first], middles, copy);
        DataCopyPad(placeGm[first], found, copy);
        outMiddle.FreeTensor(middles);
        outPlace.FreeTensor(found);
    }
}
