#include "stream_mixer.h"

extern "C" __global__ __aicore__ void hc_post(GM_ADDR x, GM_ADDR residual, GM_ADDR post, GM_ADDR comb,
                                              GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    StreamMixer<DTYPE_X> mixer;
    mixer.Init(&pipe, tilingData);
    mixer.SetStreams(x, residual, y);
    mixer.SetWeights(post, comb);
    RowRun run = RowsOfCore(tilingData);
    for (uint32_t token = run.first; token < run.end; ++token) {
        mixer.Mix(token, false);
    }
}
