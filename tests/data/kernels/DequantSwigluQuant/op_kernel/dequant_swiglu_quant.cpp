#include "byte_row.h"
#include "row_buffer.h"
using namespace AscendC;

// Two halves of a row, A and B, are tensors 0 and 1 of the loaders.
template <typename X, typename Bias, typename Scale, typename Number>
class KernelGatedQuant {
public:
    __aicore__ inline void Init(const DequantSwigluQuantTilingData& tiling, TPipe* pipe) {
        set = tiling;
        run = RowsOfCore(set);
        row.Init(pipe, set.width, set.tileLength);
        input.Init(pipe, set.tileLength);
        weights.Init(pipe, set.tileLength);
        added.Init(pipe, set.tileLength);
        scales.Init(pipe, set.tileLength);
        offsets.Init(pipe, set.tileLength);
        numbers.Init(pipe, run.first);
        pipe->InitBuffer(halfBuffer, 2 * set.tileLength * sizeof(float));
    }
    __aicore__ inline void SetScales(GM_ADDR weight, GM_ADDR activation, GM_ADDR scale, GM_ADDR offset,
                                     GM_ADDR groupIndex) {
        SetHalves<float>(weights, WHOLE ? weight : nullptr);
        activations = WHOLE ? activation : nullptr;
        scales.Set(0, scale);
        offsets.Set(0, set.dynamic == 0 ? offset : nullptr);
        groups.Init(groupIndex, set.groups);
    }
    __aicore__ inline void SetTensors(TPipe* pipe, GM_ADDR x, GM_ADDR bias, GM_ADDR y, GM_ADDR scale) {
        SetHalves<X>(input, x);
        SetHalves<Bias>(added, WHOLE ? bias : nullptr);
        bytes.Init(pipe, y, set.tileLength);
        numbers.Set(0, scale);
    }
    __aicore__ inline void Run() {
        for (uint32_t index = run.first; index < run.end; ++index) {
            uint32_t group = groups.Of(index);
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                Gate(index, group, done, CountFrom(done));
            }
            float inverse = 1.0f;
            if (set.dynamic != 0) {
                float largest = row.LargestMagnitude();
                inverse = largest > 0.0f ? 127.0f / largest : 0.0f;
                numbers.Put(0, largest / 127.0f);
                numbers.Next();
            }
            for (uint32_t done = 0; done < set.width; done += set.tileLength) {
                uint32_t count = CountFrom(done);
                Muls(row.From(done), row.From(done), inverse, static_cast<int32_t>(count));
                bytes.Store(row.From(done), static_cast<uint64_t>(index) * set.width + done, count);
            }
        }
        numbers.Flush();
    }

private:
    static constexpr bool WHOLE = IsSameType<X, int32_t>::value;  // an accumulator that is to be scaled
    static constexpr bool WHOLE_BIAS = IsSameType<Bias, int32_t>::value;

    template <typename T, typename Loader>
    __aicore__ inline void SetHalves(Loader& loader, GM_ADDR address) {
        loader.Set(0, address);
        loader.Set(1, address == nullptr ? nullptr : address + static_cast<uint64_t>(set.width) * sizeof(T));
    }
    __aicore__ inline uint32_t CountFrom(uint32_t done) const {
        return set.width - done < set.tileLength ? set.width - done : set.tileLength;
    }
    __aicore__ inline LocalTensor<float> Half(int32_t side) {
        return halfBuffer.Get<float>()[side * set.tileLength];
    }

    // Scales and shifts one half of the row into Half(side).
    __aicore__ inline void Dequantise(int32_t side, float activation, int32_t count) {
        if constexpr (WHOLE) {
            if constexpr (WHOLE_BIAS) {
                if (added.Has(side)) {
                    Add(input.Tile(side), input.Tile(side), added.Tile(side), count);
                }
            }
            Cast(Half(side), input.Tile(side), RoundMode::CAST_RINT, count);
            Mul(Half(side), Half(side), weights.Tile(side), count);
            Muls(Half(side), Half(side), activation, count);
            if constexpr (!WHOLE_BIAS) {
                if (added.Has(side)) {
                    Add(Half(side), Half(side), added.Tile(side), count);
                }
            }
        } else {
            Muls(Half(side), input.Tile(side), 1.0f, count);
        }
    }
    __aicore__ inline void Gate(uint32_t index, uint32_t group, uint32_t done, uint32_t count) {
        int32_t length = static_cast<int32_t>(count);
        input.Load(static_cast<uint64_t>(index) * 2 * set.width + done, count);
        weights.Load(static_cast<uint64_t>(group) * 2 * set.width + done, count);
        added.Load(done, count);
        float activation = activations == nullptr ? 1.0f : ScalarOf<float, float>(activations, index);
        Dequantise(0, activation, length);
        Dequantise(1, activation, length);
        input.Release();
        weights.Release();
        added.Release();
        LocalTensor<float> gate = Half(set.activateLeft != 0 ? 0 : 1);
        LocalTensor<float> linear = Half(set.activateLeft != 0 ? 1 : 0);
        LocalTensor<float> result = row.From(done);
        Muls(result, gate, -1.0f, length);
        Exp(result, result, length);
        Adds(result, result, 1.0f, length);
        Div(result, gate, result, length);
        Mul(result, result, linear, length);
        ApplyScales(result, group, done, count);
    }
    __aicore__ inline void ApplyScales(const LocalTensor<float>& result, uint32_t group, uint32_t done,
                                       uint32_t count) {
        int32_t length = static_cast<int32_t>(count);
        uint64_t place = static_cast<uint64_t>(group) * set.width + done;
        scales.Load(place, count);
        offsets.Load(place, count);
        if (set.dynamic == 0) {
            Div(result, result, scales.Tile(0), length);
            Add(result, result, offsets.Tile(0), length);
        } else if (scales.Has(0)) {
            Mul(result, result, scales.Tile(0), length);
        }
        scales.Release();
        offsets.Release();
    }

    RowBuffer row;
    RowNumbers<1> numbers;
    RowGroups<Number> groups;
    ByteStorer bytes;
    TileLoader<X, 2> input;
    TileLoader<float, 2, 1> weights;
    TileLoader<Bias, 2, 1> added;
    TileLoader<Scale, 1, 1> scales;
    TileLoader<float, 1, 1> offsets;
    TBuf<TPosition::VECCALC> halfBuffer;
    DequantSwigluQuantTilingData set;
    RowRun run;
    GM_ADDR activations;
};

extern "C" __global__ __aicore__ void dequant_swiglu_quant(GM_ADDR x, GM_ADDR weight_scale,
                                                           GM_ADDR activation_scale, GM_ADDR bias,
                                                           GM_ADDR quant_scale, GM_ADDR quant_offset,
                                                           GM_ADDR group_index, GM_ADDR y, GM_ADDR scale,
                                                           GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelGatedQuant<DTYPE_X, DTYPE_BIAS, DTYPE_QUANT_SCALE, DTYPE_GROUP_INDEX> op;
    op.Init(tilingData, &pipe);
    op.SetScales(weight_scale, activation_scale, quant_scale, quant_offset, group_index);
    op.SetTensors(&pipe, x, bias, y, scale);
    op.Run();
}
