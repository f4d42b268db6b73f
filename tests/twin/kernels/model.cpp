// Kernels whose modelled time is tested. All loop over one small window of global memory: only sizes matter.
#include "case.h"

using namespace AscendC;
using cases::Case;

/// Parameters: elements of all cores, elements of a tile.
template <int buffers>
void add(const Case& run) {
    const auto tile = run.parameter<uint32_t>(1);
    const auto per_core = run.parameter<int64_t>(0) / GetBlockNum();
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in0, in1;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in0, buffers, tile * sizeof(half));
    pipe.InitBuffer(in1, buffers, tile * sizeof(half));
    pipe.InitBuffer(out, buffers, tile * sizeof(half));
    auto x = run.gm<half>(0), y = run.gm<half>(0), z = run.gm<half>(1);
    for (int64_t done = 0; done + tile <= per_core; done += tile) {
        auto a = in0.AllocTensor<half>(), b = in1.AllocTensor<half>();
        DataCopy(a, x, tile);
        DataCopy(b, y, tile);
        in0.EnQue(a);
        in1.EnQue(b);
        a = in0.DeQue<half>();
        b = in1.DeQue<half>();
        auto c = out.AllocTensor<half>();
        Add(c, a, b, static_cast<int32_t>(tile));
        out.EnQue(c);
        in0.FreeTensor(a);
        in1.FreeTensor(b);
        c = out.DeQue<half>();
        DataCopy(z, c, tile);
        out.FreeTensor(c);
    }
}
CASE("add/single", add<1>) CASE("add/double", add<2>)

/// Element by element through the scalar unit. Parameter: elements.
void scalar(const Case& run) {
    auto x = run.gm<half>(0), z = run.gm<half>(1);
    for (uint32_t i = 0; i < run.parameter<uint32_t>(0); ++i) {
        z.SetValue(i, half(static_cast<float>(x.GetValue(i)) + 1.0f));
    }
}
CASE("scalar", scalar)

/// Vector work only. Parameters: repetitions, elements of a call.
void compute(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 65536);
    auto t = buffer.Get<float>();
    Duplicate(t, 1.0f, 16384);
    for (int i = 0; i < run.parameter(0); ++i) Muls(t, t, 1.0f, run.parameter(1));
}
CASE("compute", compute)

/// The same bytes in rows of `parameter(1)` bytes.
void rows(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 131072);
    auto t = buffer.Get<uint8_t>();
    const auto bytes = run.parameter<uint32_t>(1);
    const auto count = static_cast<uint16_t>(run.parameter<uint32_t>(0) / bytes);
    DataCopyPad(t, run.gm<uint8_t>(0), DataCopyExtParams{count, bytes, 0, 0, 0},
                DataCopyPadExtParams<uint8_t>{false, 0, 0, 0});
}
CASE("rows", rows)
