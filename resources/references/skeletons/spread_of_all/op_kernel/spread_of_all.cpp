#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t BLOCK = 8;  // floats in 32 bytes

extern "C" __global__ __aicore__ void spread_of_all(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);  // SyncAll needs it where only vector cores run
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TBuf<TPosition::VECCALC> workBuffer, resultBuffer;
    pipe.InitBuffer(in, 2, data.tile * sizeof(float));
    pipe.InitBuffer(workBuffer, data.tile * sizeof(float));
    pipe.InitBuffer(resultBuffer, 2 * 32);
    LocalTensor<float> work = workBuffer.Get<float>();
    LocalTensor<float> result = resultBuffer.Get<float>();
    GlobalTensor<float> xGm, yGm, parts;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y, 1);
    parts.SetGlobalBuffer((__gm__ float*)GetUserWorkspace(workspace), 48 * BLOCK);

    float least = 0.0f, most = 0.0f;
    if (GetBlockIdx() < data.cores) {
        const uint32_t begin = data.begins[GetBlockIdx()], end = data.begins[GetBlockIdx() + 1];
        for (uint32_t offset = begin; offset < end; offset += data.tile) {
            const uint32_t count = end - offset < data.tile ? end - offset : data.tile;
            LocalTensor<float> tile = in.AllocTensor<float>();
            DataCopyPad(tile, xGm[offset], DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
                        DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
            in.EnQue(tile);
            tile = in.DeQue<float>();
            ReduceMax(result, tile, work, count, false);
            ReduceMin(result[BLOCK], tile, work, count, false);
            event_t read = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
            SetFlag<HardEvent::V_S>(read);
            WaitFlag<HardEvent::V_S>(read);
            const float high = result.GetValue(0), low = result.GetValue(BLOCK);
            most = offset == begin || high > most ? high : most;
            least = offset == begin || low < least ? low : least;
            in.FreeTensor(tile);
            event_t again = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));
            SetFlag<HardEvent::S_V>(again);
            WaitFlag<HardEvent::S_V>(again);
        }
        result.SetValue(0, most);
        result.SetValue(1, least);
        event_t write = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
        SetFlag<HardEvent::S_MTE3>(write);
        WaitFlag<HardEvent::S_MTE3>(write);
        DataCopyPad(parts[GetBlockIdx() * BLOCK], result, DataCopyExtParams{1, 2 * sizeof(float), 0, 0, 0});
    }
    SyncAll();  // every core comes here, also one without work
    if (GetBlockIdx() != 0) {
        return;
    }
    if (data.cores > 0) {
        LocalTensor<float> all = in.AllocTensor<float>();
        DataCopyPad(all, parts, DataCopyExtParams{static_cast<uint16_t>(data.cores), 2 * sizeof(float), 24, 0, 0},
                    DataCopyPadExtParams<float>{false, 0, 0, 0.0f});  // gap in global memory: bytes
        in.EnQue(all);
        all = in.DeQue<float>();
        event_t read = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_S));
        SetFlag<HardEvent::MTE2_S>(read);
        WaitFlag<HardEvent::MTE2_S>(read);
        for (uint32_t i = 0; i < data.cores; ++i) {
            most = all.GetValue(i * BLOCK) > most ? all.GetValue(i * BLOCK) : most;
            least = all.GetValue(i * BLOCK + 1) < least ? all.GetValue(i * BLOCK + 1) : least;
        }
        in.FreeTensor(all);
    }
    event_t before = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE3_S));
    SetFlag<HardEvent::MTE3_S>(before);
    WaitFlag<HardEvent::MTE3_S>(before);
    result.SetValue(0, most - least);
    event_t write = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
    SetFlag<HardEvent::S_MTE3>(write);
    WaitFlag<HardEvent::S_MTE3>(write);
    DataCopyPad(yGm, result, DataCopyExtParams{1, sizeof(float), 0, 0, 0});
}
