#include "stream_mixer.h"

extern "C" __global__ __aicore__ void hc_post_x(GM_ADDR x, GM_ADDR residual, GM_ADDR post, GM_ADDR comb,
                                                GM_ADDR y, GM_ADDR inv_rms, GM_ADDR workspace,
                                                GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    StreamMixer<DTYPE_X> mixer;
    mixer.Init(&pipe, tilingData);
    mixer.SetStreams(x, residual, y);
    mixer.SetWeights(post, comb);
    RowRun run = RowsOfCore(tilingData);
    RowNumbers<1> numbers;
    numbers.Init(&pipe, run.first);
    numbers.Set(0, inv_rms);
    float elements = static_cast<float>(static_cast<int32_t>(tilingData.streams * tilingData.width));
    for (uint32_t token = run.first; token < run.end; ++token) {
        float squares = mixer.Mix(token, true);
        numbers.Put(0, 1.0f / sqrt(squares / elements + tilingData.epsilon));
        numbers.Next();
    }
    numbers.Flush();
}
