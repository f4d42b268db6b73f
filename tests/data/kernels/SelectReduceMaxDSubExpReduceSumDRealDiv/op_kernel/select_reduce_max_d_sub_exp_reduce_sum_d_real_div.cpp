#include "row_buffer.h"
using namespace AscendC;

template <typename T>
class KernelSelectSoftmax {
public:
    __aicore__ inline void Init(const SelectReduceMaxDSubExpReduceSumDRealDivTilingData& tiling,
                                TPipe* pipe) {
        set = tiling;
        row.Init(pipe, set.width, set.tileLength);
        choices.Init(pipe, set.tileLength);
        result.Init(pipe, set.tileLength);
        pipe->InitBuffer(flagQueue, BUFFER_NUM, set.tileLength);
        pipe->InitBuffer(halfBuffer, set.tileLength * sizeof(half));
        pipe->InitBuffer(maskBuffer, set.tileLength / 8);
        // Compare works on whole repeats: what lies behind the last flag must be a number.
        Duplicate(halfBuffer.Get<half>(), static_cast<half>(0.0f), static_cast<int32_t>(set.tileLength));
    }
    __aicore__ inline void SetTensors(GM_ADDR sel, GM_ADDR input1, GM_ADDR input2, GM_ADDR output) {
        flagGm.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(sel));
        choices.Set(0, input1);
        choices.Set(1, input2);
        result.Set(0, output);
    }
    __aicore__ inline void Run() {
        RowRun run = RowsOfCore(set);
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint64_t start = static_cast<uint64_t>(index) * set.width;
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                ChooseTile(start, done, CountFrom(done));
            }
            row.Shift(-row.Largest());
            Exp(row.From(0), row.From(0), static_cast<int32_t>(set.width));
            float scale = 1.0f / row.Sum();
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                result.Begin();
                Muls(result.Tile(0), row.From(done), scale, static_cast<int32_t>(CountFrom(done)));
                result.Store(start + done, CountFrom(done));
            }
        }
    }

private:
    __aicore__ inline uint32_t CountFrom(uint32_t done) const {
        return set.width - done < set.tileLength ? set.width - done : set.tileLength;
    }
    __aicore__ inline void ChooseTile(uint64_t start, uint32_t done, uint32_t count) {
        constexpr uint32_t lanes = 128;
        LocalTensor<uint8_t> flags = flagQueue.AllocTensor<uint8_t>();
        DataCopyPad(flags, flagGm[start + done], DataCopyExtParams{1, count, 0, 0, 0},
                    DataCopyPadExtParams<uint8_t>{false, 0, 0, 0});
        flagQueue.EnQue(flags);
        choices.Load(start + done, count);
        flags = flagQueue.DeQue<uint8_t>();
        LocalTensor<half> wide = halfBuffer.Get<half>();
        LocalTensor<uint8_t> mask = maskBuffer.Get<uint8_t>();
        Cast(wide, flags, RoundMode::CAST_NONE, static_cast<int32_t>(count));
        CompareScalar(mask, wide, static_cast<half>(0.0f), CMPMODE::GT, (count + lanes - 1) / lanes * lanes);
        Select(row.From(done), mask, choices.Tile(0), choices.Tile(1), SELMODE::VSEL_TENSOR_TENSOR_MODE,
               count);
        choices.Release();
        flagQueue.FreeTensor(flags);
    }

    RowBuffer row;
    TileLoader<T, 2> choices;
    TileStorer<T, 1> result;
    TQue<TPosition::VECIN, BUFFER_NUM> flagQueue;
    TBuf<TPosition::VECCALC> halfBuffer;
    TBuf<TPosition::VECCALC> maskBuffer;
    GlobalTensor<uint8_t> flagGm;
    SelectReduceMaxDSubExpReduceSumDRealDivTilingData set;
};

extern "C" __global__ __aicore__ void select_reduce_max_d_sub_exp_reduce_sum_d_real_div(
    GM_ADDR sel, GM_ADDR input1, GM_ADDR input2, GM_ADDR output, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelSelectSoftmax<DTYPE_INPUT1> op;
    op.Init(tilingData, &pipe);
    op.SetTensors(sel, input1, input2, output);
    op.Run();
}
