// C = sum over slices of k of A[:, slice] B[slice, :]: partial sums in float32, added in the order of the
// slices.
#include "kernel_operator.h"
#include "part_product.h"

using namespace AscendC;
using Parts = PartProduct<half, float>;

// c = sum over slices of partial[slice]; every core takes one run of elements.
class SliceSum {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR partialSums, GM_ADDR c, uint32_t sliceCount,
                                uint64_t elements) {
        slices = sliceCount;
        size = elements;
        partial.Init(pipe, TILE);
        partial.Set(0, partialSums);
        result.Init(pipe, TILE);
        result.Set(0, c);
    }
    __aicore__ inline void Run(uint32_t cores) {
        const uint64_t share = (size + cores - 1) / cores;
        const uint64_t first = GetBlockIdx() * ((share + 15) / 16 * 16);
        const uint64_t end = first + (share + 15) / 16 * 16;
        for (uint64_t done = first; done < end && done < size; done += TILE) {
            uint64_t left = (end < size ? end : size) - done;
            Tile(done, static_cast<uint32_t>(left < TILE ? left : TILE));
        }
    }

private:
    static constexpr uint32_t TILE = 2048;

    __aicore__ inline void Tile(uint64_t offset, uint32_t count) {
        result.Begin();
        Duplicate(result.Tile(0), 0.0f, static_cast<int32_t>(count));
        for (uint32_t slice = 0; slice < slices; ++slice) {
            partial.Load(slice * size + offset, count);
            Add(result.Tile(0), result.Tile(0), partial.Tile(0), static_cast<int32_t>(count));
            partial.Release();
        }
        result.Store(offset, count);
    }

    TileLoader<float, 1> partial;
    TileStorer<half, 1> result;
    uint32_t slices;
    uint64_t size;
};

extern "C" __global__ __aicore__ void splitk_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace,
                                                    GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA(data, tiling);
    if (data.cores == 0) {
        return;
    }
    TPipe pipe;
    Parts::Types::Object mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &data.cube);
    GM_ADDR tiles = GetUserWorkspace(workspace);
    GM_ADDR partial = tiles + static_cast<uint64_t>(data.cores) * data.partM * data.partN * sizeof(float);
    const uint64_t size = static_cast<uint64_t>(data.m) * data.n;
    const uint32_t share = (data.k + data.groups - 1) / data.groups;
    Unchanged finish;
    Parts parts;
    parts.Init(&pipe, &mm, data, tiles, partial, &finish);
    for (uint32_t slice = 0; slice < data.groups; ++slice) {
        const uint32_t first = slice * share < data.k ? slice * share : data.k;
        const uint32_t depth = data.k - first < share ? data.k - first : share;
        parts.Run(MatrixProduct{slice, data.m, data.n, depth, a + first * sizeof(half),
                                b + static_cast<uint64_t>(first) * data.n * sizeof(half), slice * size,
                                data.k});
    }
    SyncAll();
    SliceSum sum;
    sum.Init(&pipe, partial, c, data.groups, size);
    sum.Run(data.cores);
    mm.End();
}
