// Instructions that compute and convert at once, logic along axes, layouts and the fractals of TransData.
#include "case.h"
#include "lib/matmul_intf.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

/// The two forms of an instruction with two sources: a count, and 8-lane repeats under a mask of 5.
template <typename D, typename S, typename Call>
void both_forms(const Case& run, Call call) {
    Scratch ub;
    SetDeqScale(half(run.parameter<float>(0)));
    auto a = ub.load<S>(run, 0), b = ub.load<S>(run, 1);
    auto counted = ub.make<D>(256), masked = ub.make<D>(256);
    Duplicate(masked.template ReinterpretCast<int16_t>(), int16_t(0), int32_t(256 * sizeof(D) / 2));
    PipeBarrier<PIPE_ALL>();
    call(counted, masked, a, b);
    ub.store(run, 2, counted);
    ub.store(run, 3, masked);
}
#define COMPOSITE(NAME, D, S)                                                               \
    void NAME##_##D##_##S(const Case& run) {                                                \
        both_forms<D, S>(run, [](auto& counted, auto& masked, auto& a, auto& b) {           \
            NAME(counted, a, b, 200);                                                       \
            NAME<D, S>(masked, a, b, uint64_t(5), 2, BinaryRepeatParams(1, 1, 1, 1, 1, 1)); \
        });                                                                                 \
    }                                                                                       \
    CASE(#NAME "_" #D "_" #S, NAME##_##D##_##S)
COMPOSITE(MulCast, int8_t, half)
COMPOSITE(MulCast, uint8_t, half)
COMPOSITE(AddReluCast, int8_t, half)
COMPOSITE(AddReluCast, int8_t, int16_t)
COMPOSITE(AddReluCast, half, float)
COMPOSITE(SubReluCast, int8_t, int16_t)
COMPOSITE(SubReluCast, half, float)
COMPOSITE(AddDeqRelu, half, int32_t)
#undef COMPOSITE

template <typename T>
void logic(const Case& run) {
    Scratch ub;
    auto a = ub.load<T>(run, 0);
    auto out = ub.make<T>(256);
    Duplicate(out.template ReinterpretCast<int32_t>(), 0, int32_t(64 * sizeof(T)));
    PipeBarrier<PIPE_ALL>();
    const uint32_t shape[] = {3, 5};
    ReduceAll<T, Pattern::Reduce::AR>(out, a, shape, true);
    ReduceAny<T, Pattern::Reduce::AR>(out[32], a, shape, true);
    ReduceAll<T, Pattern::Reduce::RA>(out[64], a, shape, true);
    ReduceAny<T, Pattern::Reduce::RA>(out[96], a, shape, true);
    ub.store(run, 1, out);
}
CASE("logic float", logic<float>)
CASE("logic uint8_t", logic<uint8_t>)

constexpr TransDataConfig kToFractals{DataFormat::NCDHW, DataFormat::NDC1HWC0};
constexpr TransDataConfig kToPlain{DataFormat::NDC1HWC0, DataFormat::NCDHW};
constexpr TransDataConfig kToWeights{DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D};
constexpr TransDataConfig kFromWeights{DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};

/// (2, 20, 3, 2, 3) in planes of 16 to fractals and weights and back.
void trans_data(const Case& run) {
    Scratch ub;
    auto x = ub.load<half>(run, 0);
    auto fractals = ub.make<half>(2 * 3 * 2 * 6 * 16), weights = ub.make<half>(3 * 2 * 6 * 16 * 16);
    auto back = ub.make<half>(2 * 20 * 3 * 16), again = ub.make<half>(2 * 20 * 3 * 16);
    auto plain = MakeLayout(MakeShape(2, 20, 3, 2, 3), MakeStride());
    auto split = MakeLayout(MakeShape(2, 3, 2, 2, 3, 16), MakeStride());
    auto rows = MakeLayout(MakeShape(3, 2, 2, 3, 1, 16, 16), MakeStride());
    TransDataParams<decltype(plain), decltype(split)> to{plain, split};
    TransDataParams<decltype(split), decltype(plain)> from{split, plain};
    TransDataParams<decltype(plain), decltype(rows)> to_rows{plain, rows};
    TransDataParams<decltype(rows), decltype(plain)> from_rows{rows, plain};
    TransData<kToFractals>(fractals, x, to);
    PipeBarrier<PIPE_V>();
    TransData<kToPlain>(back, fractals, from);
    TransData<kToWeights>(weights, x, to_rows);
    PipeBarrier<PIPE_V>();
    TransData<kFromWeights>(again, weights, from_rows);
    ub.store(run, 1, fractals);
    ub.store(run, 2, weights);
    ub.store(run, 3, back);
    ub.store(run, 4, again);
}
CASE("trans_data", trans_data)

void places(const Case& run) {
    constexpr auto layout = MakeLayout(MakeShape(3, 4, 5), MakeStride(20, 5, 1));
    static_assert(is_layout_v<std::decay_t<decltype(layout)>> && !is_layout_v<int>, "");
    static_assert(layout(MakeCoord(1, 2, 3)) == 33 && Std::get<1>(layout.GetShape()) == 4, "");
    static_assert(std::is_same<Shape<int, int>, Coord<int, int>>::value, "");
    const auto nested = MakeLayout(MakeShape(MakeShape(2, 4), MakeShape(3, 5)),
                                   MakeStride(MakeStride(3, 6), MakeStride(1, 24)));
    auto out = run.gm<int32_t>(0);
    out.SetValue(0, static_cast<int32_t>(Crd2Idx(MakeCoord(11, 12), nested)));
    out.SetValue(1, static_cast<int32_t>(Std::get<0>(nested.GetStride<1>()) == MakeStride(1, 24)));
    out.SetValue(2, AlignDown(47, 16));
    out.SetValue(3, static_cast<int32_t>(GetCtrlSpr<48, 48>()));
    out.SetValue(4, INVALID_TEVENTID);
    ResetCtrlSpr<48, 48>();
    REGISTER_NONE_TILING;
    SetCtrlSpr<48, 48>(run.parameter(0));
}
CASE("places", places)

void merged_counts(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0);
    auto out = ub.make<float>(64);
    const MrgSortSrcList<float> lists(a, a[8], a[8], a[8]);
    const uint16_t lengths[4] = {4, 4, 0, 0};
    MrgSort(out, lists, MrgSort4Info(lengths, true, 0b11, 1));
    PipeBarrier<PIPE_ALL>();
    uint16_t counts[4];
    GetMrgSortResult(counts[0], counts[1], counts[2], counts[3]);
    for (int i = 0; i < 4; ++i) run.gm<int32_t>(1).SetValue(i, counts[i]);
}
CASE("merged_counts", merged_counts)
