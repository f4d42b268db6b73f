// Choice of experts for every token, and of the copy of each that serves it. The groups of a row lie in UB at
// a pitch of whole blocks; lanes behind a group hold minus infinity, so that they are never chosen.
#include "kernel_operator.h"
#include "await_pipe.h"
#include "row_buffer.h"

using namespace AscendC;

template <typename T>
class Gating {
public:
    __aicore__ inline void Init(TPipe* pipe, const GatingTilingData& tiling, GM_ADDR x, GM_ADDR bias) {
        set = tiling;
        pitch = (set.members + PITCH_UNIT - 1) / PITCH_UNIT * PITCH_UNIT;
        width = set.groups * pitch;
        hasBias = bias != nullptr;
        logits.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
        pipe->InitBuffer(inQueue, 1, width * sizeof(T));
        pipe->InitBuffer(biasBuffer, width * sizeof(float));
        pipe->InitBuffer(padBuffer, width * sizeof(float));
        pipe->InitBuffer(shareBuffer, width * sizeof(float));
        pipe->InitBuffer(choiceBuffer, width * sizeof(float));
        pipe->InitBuffer(workBuffer, width * sizeof(float) + 256);
        pipe->InitBuffer(resultBuffer, 256);
        FillPads();
        FillBias(bias);
    }
    __aicore__ inline void SetMap(GM_ADDR expertMap, GM_ADDR replicas) {
        map.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(expertMap));
        copies.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(replicas));
    }
    __aicore__ inline void SetOutputs(TPipe* pipe, GM_ADDR y, GM_ADDR expertIdx) {
        weightOut.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
        expertOut.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(expertIdx));
        const uint32_t padded = (set.wanted + PITCH_UNIT - 1) / PITCH_UNIT * PITCH_UNIT;
        pipe->InitBuffer(weightQueue, 1, padded * sizeof(T));
        pipe->InitBuffer(expertQueue, 1, padded * sizeof(int32_t));
        pipe->InitBuffer(chosenBuffer, padded * sizeof(float));
    }
    __aicore__ inline void Run() {
        const RowRun run = RowsOfCore(set);
        for (uint32_t token = run.first; token < run.end; ++token) {
            LoadRow(logits[static_cast<uint64_t>(token) * set.groups * set.members],
                    shareBuffer.Get<float>());
            Shares();
            Choices();
            if (set.groups > 1) {
                DropGroups();
            }
            Choose(token);
        }
    }

private:
    static constexpr uint32_t PITCH_UNIT = 16;
    static constexpr uint32_t MOST_GROUPS = 64;
    static constexpr float MINUS_INFINITY = -__builtin_inff();

    struct Found {
        float value;
        uint32_t lane;
    };

    __aicore__ inline void FillPads() {
        LocalTensor<float> pads = padBuffer.Get<float>();
        for (uint32_t lane = 0; lane < width; ++lane) {
            pads.SetValue(lane, lane % pitch < set.members ? 0.0f : MINUS_INFINITY);
        }
    }
    __aicore__ inline void FillBias(GM_ADDR bias) {
        if (hasBias) {
            GlobalTensor<T> source;
            source.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(bias));
            LoadRow(source, biasBuffer.Get<float>());
        }
    }
    // One row, its groups at their pitch; what lies between them is zero.
    __aicore__ inline void LoadRow(const GlobalTensor<T>& source, const LocalTensor<float>& target) {
        constexpr uint32_t perBlock = 32 / sizeof(T);
        const uint32_t used = (set.members + perBlock - 1) / perBlock * perBlock;
        LocalTensor<T> local = inQueue.template AllocTensor<T>();
        Duplicate(local, static_cast<T>(0.0f), static_cast<int32_t>(width));
        AwaitPipe<HardEvent::V_MTE2>();
        DataCopyExtParams params{static_cast<uint16_t>(set.groups),
                                 static_cast<uint32_t>(set.members * sizeof(T)), 0, (pitch - used) / perBlock,
                                 0};
        DataCopyPadExtParams<T> pad{true, 0, static_cast<uint8_t>(used - set.members), static_cast<T>(0.0f)};
        DataCopyPad(local, source, params, pad);
        inQueue.EnQue(local);
        local = inQueue.template DeQue<T>();
        if constexpr (IsSameType<T, float>::value) {
            Adds(target, local, 0.0f, static_cast<int32_t>(width));
        } else {
            Cast(target, local, RoundMode::CAST_NONE, width);
        }
        inQueue.FreeTensor(local);
    }
    // Softmax or sigmoid of the row, in place.
    __aicore__ inline void Shares() {
        LocalTensor<float> p = shareBuffer.Get<float>();
        LocalTensor<float> choice = choiceBuffer.Get<float>();
        const int32_t count = static_cast<int32_t>(width);
        if (set.sigmoid != 0) {
            Muls(choice, p, -1.0f, count);
            Exp(choice, choice, count);
            Adds(choice, choice, 1.0f, count);
            Duplicate(p, 1.0f, count);
            Div(p, p, choice, count);
            return;
        }
        Add(p, p, padBuffer.Get<float>(), count);
        Adds(p, p, -Largest(p, width).value, count);
        Exp(p, p, count);
        LocalTensor<float> result = resultBuffer.Get<float>();
        ReduceSum(result, p, workBuffer.Get<float>(), count);
        Muls(p, p, 1.0f / result.GetValue(0), count);
    }
    __aicore__ inline void Choices() {
        LocalTensor<float> choice = choiceBuffer.Get<float>();
        Add(choice, shareBuffer.Get<float>(), padBuffer.Get<float>(), static_cast<int32_t>(width));
        if (hasBias) {
            Add(choice, choice, biasBuffer.Get<float>(), static_cast<int32_t>(width));
        }
    }
    __aicore__ inline Found Largest(const LocalTensor<float>& values, uint32_t count) {
        LocalTensor<float> result = resultBuffer.Get<float>();
        ReduceMax(result, values, workBuffer.Get<float>(), static_cast<int32_t>(count), true);
        return Found{result.GetValue(0), result.ReinterpretCast<uint32_t>().GetValue(1)};
    }
    // Only the best groups stay in the race.
    __aicore__ inline void DropGroups() {
        LocalTensor<float> choice = choiceBuffer.Get<float>();
        float scores[MOST_GROUPS];
        for (uint32_t group = 0; group < set.groups; ++group) {
            LocalTensor<float> members = choice[group * pitch];
            const Found first = Largest(members, pitch);
            scores[group] = first.value;
            if (set.twoLargest != 0) {
                members.SetValue(first.lane, MINUS_INFINITY);
                scores[group] += Largest(members, pitch).value;
                members.SetValue(first.lane, first.value);
            }
        }
        for (uint32_t group = 0; group < set.groups; ++group) {
            uint32_t better = 0;
            for (uint32_t other = 0; other < set.groups; ++other) {
                const bool wins =
                    scores[other] > scores[group] || (scores[other] == scores[group] && other < group);
                better += wins ? 1 : 0;
            }
            if (better >= set.keptGroups) {
                Duplicate(choice[group * pitch], MINUS_INFINITY, static_cast<int32_t>(pitch));
            }
        }
    }
    __aicore__ inline void Choose(uint32_t token) {
        LocalTensor<float> choice = choiceBuffer.Get<float>();
        LocalTensor<float> share = shareBuffer.Get<float>();
        LocalTensor<float> chosen = chosenBuffer.Get<float>();
        LocalTensor<int32_t> experts = expertQueue.AllocTensor<int32_t>();
        float sum = 0.0f;
        for (uint32_t rank = 0; rank < set.wanted; ++rank) {
            const uint32_t lane = Largest(choice, width).lane;
            choice.SetValue(lane, MINUS_INFINITY);
            const float value = share.GetValue(lane);
            sum += value;
            chosen.SetValue(rank, value);
            const uint32_t expert = lane / pitch * set.members + lane % pitch;
            const uint32_t copy = token % static_cast<uint32_t>(copies.GetValue(expert));
            experts.SetValue(rank, map.GetValue(static_cast<uint64_t>(expert) * set.copies + copy));
        }
        Muls(chosen, chosen, set.renormalise != 0 ? set.factor / (sum + set.epsilon) : set.factor,
             static_cast<int32_t>(set.wanted));
        Store(token, chosen, experts);
    }
    __aicore__ inline void Store(uint32_t token, const LocalTensor<float>& chosen,
                                 LocalTensor<int32_t>& experts) {
        LocalTensor<T> weights = weightQueue.template AllocTensor<T>();
        if constexpr (IsSameType<T, float>::value) {
            Adds(weights, chosen, 0.0f, static_cast<int32_t>(set.wanted));
        } else {
            Cast(weights, chosen, RoundMode::CAST_RINT, set.wanted);
        }
        weightQueue.EnQue(weights);
        expertQueue.EnQue(experts);
        weights = weightQueue.template DeQue<T>();
        experts = expertQueue.DeQue<int32_t>();
        const uint64_t place = static_cast<uint64_t>(token) * set.wanted;
        DataCopyPad(weightOut[place], weights,
                    DataCopyExtParams{1, static_cast<uint32_t>(set.wanted * sizeof(T)), 0, 0, 0});
        DataCopyPad(expertOut[place], experts,
                    DataCopyExtParams{1, static_cast<uint32_t>(set.wanted * sizeof(int32_t)), 0, 0, 0});
        weightQueue.FreeTensor(weights);
        expertQueue.FreeTensor(experts);
    }

    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> weightQueue;
    TQue<TPosition::VECOUT, 1> expertQueue;
    TBuf<TPosition::VECCALC> biasBuffer;
    TBuf<TPosition::VECCALC> padBuffer;
    TBuf<TPosition::VECCALC> shareBuffer;
    TBuf<TPosition::VECCALC> choiceBuffer;
    TBuf<TPosition::VECCALC> chosenBuffer;
    TBuf<TPosition::VECCALC> workBuffer;
    TBuf<TPosition::VECCALC> resultBuffer;
    GlobalTensor<T> logits;
    GlobalTensor<T> weightOut;
    GlobalTensor<int32_t> expertOut;
    GlobalTensor<int32_t> map;
    GlobalTensor<int32_t> copies;
    GatingTilingData set;
    uint32_t pitch;
    uint32_t width;
    bool hasBias;
};

extern "C" __global__ __aicore__ void moe_gating_top_k_remap(GM_ADDR x, GM_ADDR bias, GM_ADDR expert_map,
                                                             GM_ADDR replica_num, GM_ADDR y,
                                                             GM_ADDR expert_idx, GM_ADDR workspace,
                                                             GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    if (data.rows == 0) {
        return;
    }
    TPipe pipe;
    Gating<DTYPE_X> op;
    op.Init(&pipe, data, x, bias);
    op.SetMap(expert_map, replica_num);
    op.SetOutputs(&pipe, y, expert_idx);
    op.Run();
}
