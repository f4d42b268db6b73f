// Products of which every vector core asks for some parts and finishes what comes back, row by row.
//
// The cube core leaves the sums of a part, in 32 bits, in a tile of workspace that belongs to the vector core
// which asked. Finish (a policy) turns a row of sums into a row of the result.
#ifndef PART_PRODUCT_H
#define PART_PRODUCT_H
#include "await_pipe.h"
#include "tile_stream.h"
#include "lib/matmul_intf.h"

struct Part {
    uint32_t group;
    uint32_t row;
    uint32_t column;
    uint32_t rows;
    uint32_t columns;
};

// One product: out[m, n] = Finish(a[m, k] b[k, n]); `a` may be stored k-major.
struct MatrixProduct {
    uint32_t group;
    uint32_t m;
    uint32_t n;
    uint32_t k;
    GM_ADDR a;
    GM_ADDR b;
    uint64_t out;         // element of the result where it begins
    uint32_t pitchA = 0;  // elements from row to row, where they are not packed
    uint32_t pitchB = 0;
    uint32_t pitchOut = 0;
};

template <typename In>
struct SumType {
    using Type = float;
};
template <>
struct SumType<int8_t> {
    using Type = int32_t;
};

template <typename In, bool K_MAJOR = false>
struct PartTypes {
    using Sum = typename SumType<In>::Type;
    using Left = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, In, K_MAJOR>;
    using Right = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, In>;
    using Sums = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, Sum>;
    using Object = matmul::Matmul<Left, Right, Sums>;
};

// The sums as they are.
struct Unchanged {
    __aicore__ inline void SetFirstToken(uint64_t) {}
    __aicore__ inline void BeginPart(const Part&, const MatrixProduct&) {}
    __aicore__ inline void BeginRows(const Part&, const MatrixProduct&, uint32_t, uint32_t) {}
    __aicore__ inline void Row(const AscendC::LocalTensor<float>&, const Part&, uint32_t, uint32_t) {}
    __aicore__ inline void EndRows() {}
    __aicore__ inline void EndPart() {}
};

template <typename In, typename Out, bool K_MAJOR = false, typename Finish = Unchanged>
class PartProduct {
public:
    using Types = PartTypes<In, K_MAJOR>;
    using Sum = typename Types::Sum;

    // `tiles` is the workspace behind what the library needs.
    template <typename Tiling>
    __aicore__ inline void Init(AscendC::TPipe* pipe, typename Types::Object* object, const Tiling& tiling,
                                GM_ADDR tiles, GM_ADDR result, Finish* policy) {
        cores = tiling.cores;
        partM = tiling.partM;
        partN = tiling.partN;
        cube = object;
        finish = policy;
        uint64_t tile = static_cast<uint64_t>(partM) * partN;
        sums.SetGlobalBuffer(reinterpret_cast<__gm__ Sum*>(tiles) + AscendC::GetBlockIdx() * tile, tile);
        out.SetGlobalBuffer(reinterpret_cast<__gm__ Out*>(result));
        pipe->InitBuffer(sumQueue, BUFFER_NUM, TILE * sizeof(Sum));
        pipe->InitBuffer(outQueue, BUFFER_NUM, TILE * sizeof(Out));
        pipe->InitBuffer(rowBuffer, LONGEST * sizeof(float));
    }
    // Asks for the parts of `work` that are this core's. Parts are dealt out in turn, over all products.
    __aicore__ inline void Run(const MatrixProduct& work) {
        for (uint32_t column = 0; column < work.n; column += partN) {
            for (uint32_t row = 0; row < work.m; row += partM) {
                if (turn++ % cores == AscendC::GetBlockIdx()) {
                    uint32_t rows = work.m - row < partM ? work.m - row : partM;
                    uint32_t columns = work.n - column < partN ? work.n - column : partN;
                    RunPart(work, Part{work.group, row, column, rows, columns});
                }
            }
        }
    }

private:
    static constexpr uint32_t TILE = 4096;    // elements
    static constexpr uint32_t LONGEST = 256;  // columns of a part

    __aicore__ inline void RunPart(const MatrixProduct& work, const Part& part) {
        if (work.k > 0) {
            Multiply(work, part);
        }
        finish->BeginPart(part, work);
        uint32_t step = TILE / RoundUp16(part.columns);
        for (uint32_t done = 0; done < part.rows; done += step) {
            uint32_t rows = part.rows - done < step ? part.rows - done : step;
            FinishRows(work, part, done, rows);
        }
        finish->EndPart();
    }
    __aicore__ inline void Multiply(const MatrixProduct& work, const Part& part) {
        // The rows of the last part have left workspace before the cube core writes the next.
        AwaitPipe<AscendC::HardEvent::MTE2_S>();
        AscendC::GlobalTensor<In> left, right;
        uint32_t pitchA = work.pitchA != 0 ? work.pitchA : K_MAJOR ? work.m : work.k;
        uint32_t pitchB = work.pitchB != 0 ? work.pitchB : work.n;
        uint64_t first = K_MAJOR ? part.row : static_cast<uint64_t>(part.row) * pitchA;
        left.SetGlobalBuffer(reinterpret_cast<__gm__ In*>(work.a) + first);
        right.SetGlobalBuffer(reinterpret_cast<__gm__ In*>(work.b) + part.column);
        int32_t k = static_cast<int32_t>(work.k);
        cube->SetOrgShape(static_cast<int32_t>(K_MAJOR ? pitchA : work.m), static_cast<int32_t>(pitchB),
                          static_cast<int32_t>(K_MAJOR ? work.k : pitchA), k, static_cast<int32_t>(partN));
        cube->SetSingleShape(static_cast<int32_t>(part.rows), static_cast<int32_t>(part.columns), k);
        cube->SetTensorA(left, K_MAJOR);
        cube->SetTensorB(right);
        cube->IterateAll(sums);
    }
    __aicore__ inline void FinishRows(const MatrixProduct& work, const Part& part, uint32_t done,
                                      uint32_t rows) {
        AscendC::LocalTensor<Sum> taken;
        if (work.k > 0) {
            CopySums(done, rows, part.columns);
            taken = sumQueue.template DeQue<Sum>();
        }
        finish->BeginRows(part, work, part.row + done, rows);
        AscendC::LocalTensor<Out> ready = outQueue.template AllocTensor<Out>();
        AscendC::LocalTensor<float> wide = rowBuffer.Get<float>();
        constexpr uint32_t perBlock = 32 / sizeof(Out);
        uint32_t pitch = (part.columns + perBlock - 1) / perBlock * perBlock;
        int32_t count = static_cast<int32_t>(part.columns);
        for (uint32_t row = 0; row < rows; ++row) {
            if (work.k == 0) {
                AscendC::Duplicate(wide, 0.0f, count);
            } else if constexpr (AscendC::IsSameType<Sum, int32_t>::value) {
                AscendC::Cast(wide, taken[row * RoundUp8(part.columns)], AscendC::RoundMode::CAST_RINT,
                              count);
            } else {
                AscendC::Adds(wide, taken[row * RoundUp8(part.columns)], 0.0f, count);
            }
            finish->Row(wide, part, part.row + done + row, row);
            if constexpr (AscendC::IsSameType<Out, float>::value) {
                AscendC::Adds(ready[row * pitch], wide, 0.0f, count);
            } else {
                AscendC::Cast(ready[row * pitch], wide, AscendC::RoundMode::CAST_RINT, count);
            }
        }
        finish->EndRows();
        if (work.k > 0) {
            sumQueue.FreeTensor(taken);
        }
        outQueue.EnQue(ready);
        Store(work, part, done, rows);
    }
    __aicore__ inline void CopySums(uint32_t done, uint32_t rows, uint32_t columns) {
        AscendC::LocalTensor<Sum> local = sumQueue.template AllocTensor<Sum>();
        AscendC::DataCopyExtParams params{static_cast<uint16_t>(rows),
                                          static_cast<uint32_t>(columns * sizeof(Sum)),
                                          static_cast<uint32_t>((partN - columns) * sizeof(Sum)), 0, 0};
        AscendC::DataCopyPadExtParams<Sum> pad{false, 0, 0, static_cast<Sum>(0)};
        AscendC::DataCopyPad(local, sums[static_cast<uint64_t>(done) * partN], params, pad);
        sumQueue.EnQue(local);
    }
    __aicore__ inline void Store(const MatrixProduct& work, const Part& part, uint32_t done, uint32_t rows) {
        AscendC::LocalTensor<Out> ready = outQueue.template DeQue<Out>();
        const uint32_t pitch = work.pitchOut != 0 ? work.pitchOut : work.n;
        AscendC::DataCopyExtParams params{static_cast<uint16_t>(rows),
                                          static_cast<uint32_t>(part.columns * sizeof(Out)), 0,
                                          static_cast<uint32_t>((pitch - part.columns) * sizeof(Out)), 0};
        uint64_t place = work.out + static_cast<uint64_t>(part.row + done) * pitch + part.column;
        AscendC::DataCopyPad(out[place], ready, params);
        outQueue.FreeTensor(ready);
    }
    __aicore__ static inline uint32_t RoundUp8(uint32_t value) { return (value + 7) / 8 * 8; }
    __aicore__ static inline uint32_t RoundUp16(uint32_t value) { return (value + 15) / 16 * 16; }

    AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> sumQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outQueue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> rowBuffer;
    AscendC::GlobalTensor<Sum> sums;
    AscendC::GlobalTensor<Out> out;
    typename Types::Object* cube;
    Finish* finish;
    uint32_t cores;
    uint32_t partM;
    uint32_t partN;
    uint32_t turn = 0;
};
#endif
