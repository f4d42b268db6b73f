// One number of every core, added up by the first core always in the same order.
#ifndef CORE_SUM_H
#define CORE_SUM_H
#include "tile_stream.h"

// Needs 32 bytes of workspace for every core and KERNEL_TYPE_MIX_AIV_1_0.
template <typename T>
class CoreSum {
public:
    __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR workspace, GM_ADDR result) {
        int32_t cores = static_cast<int32_t>(AscendC::GetBlockNum());
        pipe->InitBuffer(partialQueue, 1, LANES * sizeof(float));
        pipe->InitBuffer(allQueue, 1, cores * LANES * sizeof(float));
        pipe->InitBuffer(resultQueue, 1, LANES * sizeof(float));
        partialGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(AscendC::GetUserWorkspace(workspace)),
                                  cores * LANES);
        resultGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(result));
    }
    // Call on every core. On the first one `sum` then holds the sum over all cores; true there.
    __aicore__ inline bool Collect(float& sum) {
        AscendC::LocalTensor<float> partial = partialQueue.AllocTensor<float>();
        AscendC::Duplicate(partial, sum, LANES);
        partialQueue.EnQue(partial);
        partial = partialQueue.DeQue<float>();
        AscendC::DataCopy(partialGm[AscendC::GetBlockIdx() * LANES], partial, LANES);
        partialQueue.FreeTensor(partial);
        AscendC::SyncAll();  // no core may read the numbers before the last one is written
        if (AscendC::GetBlockIdx() != 0) {
            return false;
        }
        int32_t cores = static_cast<int32_t>(AscendC::GetBlockNum());
        AscendC::LocalTensor<float> all = allQueue.AllocTensor<float>();
        AscendC::DataCopy(all, partialGm, cores * LANES);
        allQueue.EnQue(all);
        all = allQueue.DeQue<float>();
        sum = 0.0f;
        for (int32_t core = 0; core < cores; ++core) {
            sum += all.GetValue(core * LANES);
        }
        allQueue.FreeTensor(all);
        return true;
    }
    // Writes the result, rounded to T.
    __aicore__ inline void Write(float value) {
        AscendC::LocalTensor<float> wide = resultQueue.AllocTensor<float>();
        AscendC::Duplicate(wide, value, LANES);
        if constexpr (!AscendC::IsSameType<T, float>::value) {
            AscendC::Cast(wide.template ReinterpretCast<T>(), wide, AscendC::RoundMode::CAST_RINT, LANES);
        }
        resultQueue.EnQue(wide);
        AscendC::LocalTensor<float> ready = resultQueue.DeQue<float>();
        AscendC::DataCopyPad(resultGm, ready.template ReinterpretCast<T>(),
                             AscendC::DataCopyExtParams{1, sizeof(T), 0, 0, 0});
        resultQueue.FreeTensor(ready);
    }

private:
    static constexpr int32_t LANES = 8;  // of one block of 32 bytes

    AscendC::TQue<AscendC::TPosition::VECOUT, 1> partialQueue;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> allQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> resultQueue;
    AscendC::GlobalTensor<float> partialGm;
    AscendC::GlobalTensor<T> resultGm;
};
#endif
