// The four products before multi-head latent attention, with normalisation and rotation between them. One
// Matmul object serves all of them.
#include "kernel_operator.h"
#include "part_product.h"
#include "row_buffer.h"

using namespace AscendC;
using T = bfloat16_t;
using Wide = PartProduct<T, float>;
using Narrow = PartProduct<T, T>;

// y = factor * x / sqrt(mean(x^2) + epsilon) * gamma, row by row.
class RowNorm {
public:
    __aicore__ inline void Init(TPipe* pipe, uint32_t rowWidth, float epsilonValue, float factorValue,
                                GM_ADDR x, GM_ADDR gammas, GM_ADDR y) {
        width = rowWidth;
        epsilon = epsilonValue;
        factor = factorValue;
        row.Init(pipe, width, TILE);
        source.Init(pipe, TILE);
        source.Set(0, x);
        gamma.Init(pipe, TILE);
        gamma.Set(0, gammas);
        target.Init(pipe, TILE);
        target.Set(0, y);
    }
    __aicore__ inline void Run(uint64_t from, uint64_t to) {
        for (uint32_t done = 0; done < width; done += TILE) {
            const uint32_t count = CountFrom(done);
            source.Load(from + done, count);
            Adds(row.From(done), source.Tile(0), 0.0f, static_cast<int32_t>(count));
            source.Release();
        }
        row.Normalise(epsilon);
        for (uint32_t done = 0; done < width; done += TILE) {
            const uint32_t count = CountFrom(done);
            const int32_t length = static_cast<int32_t>(count);
            gamma.Load(done, count);
            target.Begin();
            Mul(target.Tile(0), row.From(done), gamma.Tile(0), length);
            Muls(target.Tile(0), target.Tile(0), factor, length);
            gamma.Release();
            target.Store(to + done, count);
        }
    }

private:
    static constexpr uint32_t TILE = 1024;

    __aicore__ inline uint32_t CountFrom(uint32_t done) const {
        return width - done < TILE ? width - done : TILE;
    }

    RowBuffer row;
    TileLoader<float, 1> source;
    TileLoader<T, 1, 1> gamma;
    TileStorer<T, 1> target;
    uint32_t width;
    float epsilon;
    float factor;
};

// y = x * cos + [-x2, x1] * sin for rows of two halves x1, x2, which are moved one by one: the second may
// begin anywhere.
template <typename In>
class RowRotation {
public:
    __aicore__ inline void Init(TPipe* pipe, uint32_t width, GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y) {
        half = width / 2;
        const uint32_t tile = (half + 63) / 64 * 64;
        source.Init(pipe, tile);
        source.Set(0, x);
        source.Set(1, x + half * sizeof(In));
        factors.Init(pipe, tile);
        factors.Set(0, cos);
        factors.Set(1, cos + half * sizeof(T));
        factors.Set(2, sin);
        factors.Set(3, sin + half * sizeof(T));
        target.Init(pipe, tile);
        target.Set(0, y);
        target.Set(1, y + half * sizeof(T));
        pipe->InitBuffer(productBuffer, tile * sizeof(float));
    }
    __aicore__ inline void Run(uint64_t token, uint64_t from, uint64_t to) {
        const int32_t count = static_cast<int32_t>(half);
        source.Load(from, half);
        factors.Load(token * 2 * half, half);
        target.Begin();
        LocalTensor<float> product = productBuffer.Get<float>();
        Mul(target.Tile(0), source.Tile(0), factors.Tile(0), count);
        Mul(product, source.Tile(1), factors.Tile(2), count);
        Sub(target.Tile(0), target.Tile(0), product, count);
        Mul(target.Tile(1), source.Tile(1), factors.Tile(1), count);
        Mul(product, source.Tile(0), factors.Tile(3), count);
        Add(target.Tile(1), target.Tile(1), product, count);
        source.Release();
        factors.Release();
        target.Store(to, half);
    }

private:
    TileLoader<In, 2> source;
    TileLoader<T, 4> factors;
    TileStorer<T, 2> target;
    TBuf<TPosition::VECCALC> productBuffer;
    uint32_t half;
};

// What the stages hand to each other, in workspace and results.
struct Stages {
    GM_ADDR tiles;
    GM_ADDR latents;    // [T, Hcq] float32
    GM_ADDR down;       // [T, Hckv + Dr] float32
    GM_ADDR projected;  // [T, N * (D + Dr)]
    GM_ADDR queryNorm;
};

__aicore__ inline void NormaliseLatents(TPipe* pipe, const PrologTilingData& data, const Stages& stages,
                                        GM_ADDR gamma) {
    RowNorm norm;
    norm.Init(pipe, data.latent, data.queryEpsilon, data.queryScale, stages.latents, gamma, stages.queryNorm);
    for (uint64_t token = GetBlockIdx(); token < data.tokens; token += data.cores) {
        norm.Run(token * data.latent, token * data.latent);
    }
}

__aicore__ inline void FillCaches(TPipe* pipe, const PrologTilingData& data, const Stages& stages,
                                  GM_ADDR gamma, GM_ADDR cos, GM_ADDR sin, GM_ADDR cacheIndex,
                                  GM_ADDR kvCache, GM_ADDR krCache) {
    GlobalTensor<int64_t> slots;
    slots.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(cacheIndex));
    RowNorm norm;
    norm.Init(pipe, data.stored, data.keyEpsilon, data.keyScale, stages.down, gamma, kvCache);
    RowRotation<float> rotation;
    rotation.Init(pipe, data.rope, stages.down + data.stored * sizeof(float), cos, sin, krCache);
    const uint64_t pitch = data.stored + data.rope;
    for (uint64_t token = GetBlockIdx(); token < data.tokens; token += data.cores) {
        const int64_t slot = slots.GetValue(token);
        if (slot >= 0) {
            norm.Run(token * pitch, static_cast<uint64_t>(slot) * data.stored);
            rotation.Run(token, token * pitch, static_cast<uint64_t>(slot) * data.rope);
        }
    }
}

__aicore__ inline void RotateQueries(TPipe* pipe, const PrologTilingData& data, const Stages& stages,
                                     GM_ADDR cos, GM_ADDR sin, GM_ADDR queryRope) {
    RowRotation<T> rotation;
    rotation.Init(pipe, data.rope, stages.projected + data.headSize * sizeof(T), cos, sin, queryRope);
    const uint64_t pitch = data.headSize + data.rope;
    for (uint64_t row = GetBlockIdx(); row < static_cast<uint64_t>(data.tokens) * data.heads;
         row += data.cores) {
        rotation.Run(row / data.heads, row * pitch, row * data.rope);
    }
}

extern "C" __global__ __aicore__ void mla_prolog_v3_x(
    GM_ADDR token_x, GM_ADDR weight_dq, GM_ADDR weight_uq_qr, GM_ADDR weight_uk, GM_ADDR weight_dkv_kr,
    GM_ADDR rmsnorm_gamma_cq, GM_ADDR rmsnorm_gamma_ckv, GM_ADDR rope_sin, GM_ADDR rope_cos, GM_ADDR kv_cache,
    GM_ADDR kr_cache, GM_ADDR cache_index, GM_ADDR query, GM_ADDR query_rope, GM_ADDR kv_cache_out,
    GM_ADDR kr_cache_out, GM_ADDR query_norm, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    Wide::Types::Object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    const uint32_t down = data.stored + data.rope;
    const uint32_t head = data.headSize + data.rope;
    Stages stages;
    stages.tiles = GetUserWorkspace(workspace);
    stages.latents =
        stages.tiles + static_cast<uint64_t>(data.cores) * data.partM * data.partN * sizeof(float);
    stages.down = stages.latents + static_cast<uint64_t>(data.tokens) * data.latent * sizeof(float);
    stages.projected = stages.down + static_cast<uint64_t>(data.tokens) * down * sizeof(float);
    stages.queryNorm = query_norm;
    Unchanged finish;
    {
        Wide parts;
        parts.Init(&pipe, &mm, data, stages.tiles, stages.latents, &finish);
        parts.Run(MatrixProduct{0, data.tokens, data.latent, data.hidden, token_x, weight_dq, 0});
        const uint64_t behind = static_cast<uint64_t>(data.tokens) * data.latent;
        parts.Run(MatrixProduct{1, data.tokens, down, data.hidden, token_x, weight_dkv_kr, behind});
    }
    SyncAll();
    pipe.Reset();
    NormaliseLatents(&pipe, data, stages, rmsnorm_gamma_cq);
    pipe.Reset();
    FillCaches(&pipe, data, stages, rmsnorm_gamma_ckv, rope_cos, rope_sin, cache_index, kv_cache_out,
               kr_cache_out);
    SyncAll();
    pipe.Reset();
    {
        Narrow parts;
        parts.Init(&pipe, &mm, data, stages.tiles, stages.projected, &finish);
        parts.Run(MatrixProduct{0, data.tokens, data.heads * head, data.latent, query_norm, weight_uq_qr, 0});
    }
    SyncAll();
    pipe.Reset();
    RotateQueries(&pipe, data, stages, rope_cos, rope_sin, query_rope);
    pipe.Reset();
    Narrow parts;
    parts.Init(&pipe, &mm, data, stages.tiles, query, &finish);
    for (uint32_t index = 0; index < data.heads; ++index) {
        const uint64_t matrix = static_cast<uint64_t>(index) * data.headSize * data.stored;
        parts.Run(MatrixProduct{index, data.tokens, data.stored, data.headSize,
                                stages.projected + index * head * sizeof(T), weight_uk + matrix * sizeof(T),
                                static_cast<uint64_t>(index) * data.stored, data.heads * head, data.stored,
                                data.heads * data.stored});
    }
    mm.End();
}
