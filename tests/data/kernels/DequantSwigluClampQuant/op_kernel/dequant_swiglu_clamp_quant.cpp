#include "byte_row.h"
#include "row_buffer.h"
using namespace AscendC;

class KernelClampQuant {
public:
    __aicore__ inline void Init(const DequantSwigluClampQuantTilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        row.Init(pipe, set.width, set.tileLength);
        input.Init(pipe, 2 * set.tileLength);
        weights.Init(pipe, 2 * set.tileLength);
        scales.Init(pipe, set.tileLength);
        numbers.Init(pipe, run.first);
        pipe->InitBuffer(valueBuffer, 2 * set.tileLength * sizeof(float));
        pipe->InitBuffer(halfBuffer, 2 * set.tileLength * sizeof(float));
    }
    __aicore__ inline void SetScales(GM_ADDR weight, GM_ADDR activation, GM_ADDR scale, GM_ADDR groupIndex) {
        weights.Set(0, weight);
        activations = activation;
        scales.Set(0, scale);
        groups.Init(groupIndex, set.groups);
    }
    __aicore__ inline void SetTensors(TPipe* pipe, GM_ADDR x, GM_ADDR y, GM_ADDR scale) {
        input.Set(0, x);
        bytes.Init(pipe, y, set.tileLength);
        numbers.Set(0, scale);
    }
    __aicore__ inline void Run() {
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint32_t group = groups.Of(index);
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                Gate(index, group, done, CountFrom(done));
            }
            float largest = row.LargestMagnitude();
            float inverse = largest > 0.0f ? 127.0f / largest : 0.0f;
            numbers.Put(0, largest / 127.0f);
            numbers.Next();
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                uint32_t count = CountFrom(done);
                Muls(row.From(done), row.From(done), inverse, static_cast<int32_t>(count));
                bytes.Store(row.From(done), static_cast<uint64_t>(index) * set.width + done, count);
            }
        }
        numbers.Flush();
    }

private:
    __aicore__ inline uint32_t CountFrom(uint32_t done) const {
        return set.width - done < set.tileLength ? set.width - done : set.tileLength;
    }
    // Scaled elements `offset` ... of the row, into `target`.
    __aicore__ inline void Dequantise(const LocalTensor<float>& target, uint32_t index, uint32_t group,
                                      uint32_t offset, uint32_t count) {
        int32_t length = static_cast<int32_t>(count);
        input.Load(static_cast<uint64_t>(index) * 2 * set.width + offset, count);
        weights.Load(static_cast<uint64_t>(group) * 2 * set.width + offset, count);
        Cast(target, input.Tile(0), RoundMode::CAST_RINT, count);
        Mul(target, target, weights.Tile(0), length);
        Muls(target, target, ScalarOf<float, float>(activations, index), length);
        input.Release();
        weights.Release();
    }
    __aicore__ inline void Gate(uint32_t index, uint32_t group, uint32_t done, uint32_t count) {
        int32_t length = static_cast<int32_t>(count);
        LocalTensor<float> gate = halfBuffer.Get<float>();
        LocalTensor<float> linear = halfBuffer.Get<float>()[set.tileLength];
        if (set.interleaved != 0) {
            LocalTensor<float> pairs = valueBuffer.Get<float>();
            Dequantise(pairs, index, group, 2 * done, 2 * count);
            uint64_t kept = 0;
            GatherMask(gate, pairs, static_cast<uint8_t>(1), true, 2 * count, GatherMaskParams{1, 1, 8, 0},
                       kept);
            GatherMask(linear, pairs, static_cast<uint8_t>(2), true, 2 * count, GatherMaskParams{1, 1, 8, 0},
                       kept);
        } else {
            bool left = set.activateLeft != 0;
            Dequantise(gate, index, group, left ? done : set.width + done, count);
            Dequantise(linear, index, group, left ? set.width + done : done, count);
        }
        Mins(gate, gate, set.limit, length);
        Mins(linear, linear, set.limit, length);
        Maxs(linear, linear, -set.limit, length);
        Adds(linear, linear, set.addend, length);
        LocalTensor<float> result = row.From(done);
        Muls(result, gate, -set.alpha, length);
        Exp(result, result, length);
        Adds(result, result, 1.0f, length);
        Div(result, gate, result, length);
        Mul(result, result, linear, length);
        if (scales.Has(0)) {
            scales.Load(static_cast<uint64_t>(group) * set.width + done, count);
            Mul(result, result, scales.Tile(0), length);
            scales.Release();
        }
    }

    RowBuffer row;
    RowNumbers<1> numbers;
    RowGroups<int64_t> groups;
    ByteStorer bytes;
    TileLoader<int32_t, 1> input;
    TileLoader<float, 1> weights;
    TileLoader<float, 1, 1> scales;
    TBuf<TPosition::VECCALC> valueBuffer;
    TBuf<TPosition::VECCALC> halfBuffer;
    DequantSwigluClampQuantTilingData set;
    RowRun run;
    GM_ADDR activations;
};

extern "C" __global__ __aicore__ void dequant_swiglu_clamp_quant(GM_ADDR x, GM_ADDR weight_scale,
                                                                 GM_ADDR activation_scale,
                                                                 GM_ADDR quant_scale, GM_ADDR group_index,
                                                                 GM_ADDR y, GM_ADDR scale, GM_ADDR workspace,
                                                                 GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelClampQuant op;
    op.Init(tilingData, &pipe);
    op.SetScales(weight_scale, activation_scale, quant_scale, group_index);
    op.SetTensors(&pipe, x, y, scale);
    op.Run();
}
