#include "row_buffer.h"
using namespace AscendC;

// A row of work is one token: its angles serve all heads of query and key.
template <typename T>
class KernelRotate {
public:
    __aicore__ inline void Init(const ApplyRotaryPosEmbPartialTilingData& tiling, TPipe* pipe) {
        set = tiling;
        pitch = TileLoader<T, 1>::Padded(set.width);
        angles.Init(pipe, pitch);
        heads.Init(pipe, set.tileHeads * pitch);
        rotated.Init(pipe, set.tileHeads * pitch);
        pipe->InitBuffer(turnBuffer, pitch * sizeof(uint32_t));
        pipe->InitBuffer(signBuffer, pitch * sizeof(float));
        pipe->InitBuffer(turnedBuffer, pitch * sizeof(float));
        PrepareTurn();
    }
    __aicore__ inline void SetAngles(GM_ADDR cosine, GM_ADDR sine) {
        angles.Set(0, cosine);
        angles.Set(1, sine);
    }
    __aicore__ inline void Run(GM_ADDR query, GM_ADDR key, GM_ADDR newQuery, GM_ADDR newKey) {
        RowRun run = RowsOfCore(set);
        for (uint32_t token = run.first; token < run.end; ++token) {
            angles.Load(static_cast<uint64_t>(token) * set.width, set.width);
            LocalTensor<float> sine = angles.Tile(1);
            Mul(sine, sine, signBuffer.Get<float>(), static_cast<int32_t>(set.width));
            Rotate(query, newQuery, token, set.queryHeads);
            Rotate(key, newKey, token, set.keyHeads);
            angles.Release();
        }
    }

private:
    // Byte offset of the partner of every column, and the sign it comes with.
    __aicore__ inline void PrepareTurn() {
        LocalTensor<uint32_t> turn = turnBuffer.Get<uint32_t>();
        LocalTensor<float> sign = signBuffer.Get<float>();
        uint32_t middle = set.width / 2;
        for (uint32_t column = 0; column < set.width; ++column) {
            bool first = set.interleaved != 0 ? column % 2 == 0 : column < middle;
            uint32_t distance = set.interleaved != 0 ? 1 : middle;
            turn.SetValue(column, (first ? column + distance : column - distance) * sizeof(float));
            sign.SetValue(column, first ? -1.0f : 1.0f);
        }
    }
    __aicore__ inline void Rotate(GM_ADDR from, GM_ADDR to, uint32_t token, uint32_t count) {
        heads.Set(0, from);
        rotated.Set(0, to);
        for (uint32_t head = 0; head < count; head += set.tileHeads) {
            uint32_t some = count - head < set.tileHeads ? count - head : set.tileHeads;
            uint64_t place = (static_cast<uint64_t>(token) * count + head) * set.headWidth + set.begin;
            heads.CopyRows(place, some, set.width, set.headWidth);
            heads.Take(static_cast<int32_t>(some * pitch));
            rotated.Begin();
            if (pitch != set.width) {
                Duplicate(rotated.Tile(0), 0.0f, static_cast<int32_t>(some * pitch));
            }
            for (uint32_t i = 0; i < some; ++i) {
                RotateHead(rotated.Tile(0)[i * pitch], heads.Tile(0)[i * pitch]);
            }
            rotated.StoreRows(place, some, set.width, set.headWidth);
            heads.Release();
        }
    }
    __aicore__ inline void RotateHead(const LocalTensor<float>& y, const LocalTensor<float>& x) {
        int32_t count = static_cast<int32_t>(set.width);
        LocalTensor<float> turned = turnedBuffer.Get<float>();
        Gather(turned, x, turnBuffer.Get<uint32_t>(), 0, set.width);
        Mul(turned, turned, angles.Tile(1), count);
        Mul(y, x, angles.Tile(0), count);
        Add(y, y, turned, count);
    }

    TileLoader<T, 2> angles;
    TileLoader<T, 1> heads;
    TileStorer<T, 1> rotated;
    TBuf<TPosition::VECCALC> turnBuffer;
    TBuf<TPosition::VECCALC> signBuffer;
    TBuf<TPosition::VECCALC> turnedBuffer;
    ApplyRotaryPosEmbPartialTilingData set;
    uint32_t pitch;
};

extern "C" __global__ __aicore__ void apply_rotary_pos_emb_partial(GM_ADDR query, GM_ADDR key, GM_ADDR cos,
                                                                   GM_ADDR sin, GM_ADDR query_out,
                                                                   GM_ADDR key_out, GM_ADDR workspace,
                                                                   GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    KernelRotate<DTYPE_QUERY> op;
    op.Init(tilingData, &pipe);
    op.SetAngles(cos, sin);
    op.Run(query, key, query_out, key_out);
}
