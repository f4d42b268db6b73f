// Newer names and register forms: reductions by kind, comparison into the register, padding value, slices,
// layout changes, orders between cores.
#include "case.h"

#include <cassert>  // after the kernel API: its assert stays

using namespace AscendC;
using cases::Case;
using cases::Scratch;

void reduce_kinds(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1);
    const uint64_t half_mask[2] = {0x00000000ffffffffull, 0};
    ReduceRepeat<ReduceType::SUM>(c, a, 64, 2, 1, 1, 8);
    ReduceRepeat<ReduceType::MAX>(c[2], a, 64, 2, 1, 1, 8);
    ReduceRepeat<ReduceType::MIN>(c[6], a, half_mask, 2, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    ReduceDataBlock<ReduceType::SUM>(c[8], a, 64, 2, 1, 1, 8);
    ReduceDataBlock<ReduceType::MIN>(c[24], a, 64, 1, 1, 1, 8);
    ReducePairElem<ReduceType::SUM>(c[32], a, 64, 2, 1, 1, 8);
    ub.store(run, 1, c);
}
CASE("reduce_kinds", reduce_kinds)

/// Sums and extremes into any element, not only into one at a block.
void reduce_anywhere(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1), work = ub.make<float>(64);
    ReduceSum(c[1], a, work, 100);
    ReduceMax(c[2], a, work, 100, true);
    if (run.parameter(0) != 0) ReduceMin(c[5], a, work, 100, true);  // an index needs a pair
    ReduceMin(c[5], a, work, 100);
    ub.store(run, 1, c);
    run.gm<float>(1).SetValue(7, GetReduceRepeatSumSpr<float>());
}
CASE("reduce_anywhere", reduce_anywhere)

void register_compare(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), b = ub.load<float>(run, 1);
    auto bits = ub.load<uint8_t>(run, 2);
    auto c = ub.load<float>(run, 3);
    const BinaryRepeatParams packed{1, 1, 1, 8, 8, 8};
    Compare(a, b, CMPMODE::LT, 50, packed);
    GetCmpMask(bits);
    SetVectorMask<float>(64);
    Select<float, SELMODE::VSEL_CMPMASK_SPR>(c, a, b, 2, packed);
    SetCmpMask(b);  // its first element is the scalar
    Select(c[128], bits, a, 1, packed);
    auto where = ub.make<uint64_t>(4);
    where.SetValue(0, reinterpret_cast<uint64_t>(bits.GetPhyAddr()));
    where.SetValue(1, 0);
    SetCmpMask(where);
    Select<float, SELMODE::VSEL_TENSOR_TENSOR_MODE>(c[192], a, b, 1, packed);
    ResetMask();
    ub.store(run, 2, bits);
    ub.store(run, 3, c);
}
CASE("register_compare", register_compare)

void pad_value(const Case& run) {
    Scratch ub;
    auto a = ub.make<int16_t>(32), b = ub.make<int16_t>(32);
    const DataCopyExtParams copy{1, 20 * sizeof(int16_t), 0, 0, 0};
    SetPadValue<int16_t>(7);
    DataCopyPad(a, run.gm<int16_t>(0), copy, DataCopyPadExtParams<int16_t>{false, 0, 12, 0});
    DataCopyPad(b, run.gm<int16_t>(0), copy, DataCopyPadExtParams<int16_t>{true, 0, 12, -1});
    ub.store(run, 1, a);
    ub.store(run, 2, b);
}
CASE("pad_value", pad_value)

/// Two pieces of 24 elements in each of rows 0 and 2 of [3, 87], packed into [2, 48].
void slices(const Case& run) {
    Scratch ub;
    auto t = ub.make<float>(96);
    SliceInfo source[K_MAX_DIM] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
    SliceInfo target[K_MAX_DIM] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
    if (run.parameter(0) != 0) target[1].endIndex = 0;
    DataCopy(t, run.gm<float>(0), target, source, 2);
    PipeBarrier<PIPE_ALL>();
    DataCopy(run.gm<float>(1), t, target, target, 2);
}
CASE("slices", slices)

template <class T>
void image_layout(const Case& run) {
    Scratch ub;
    auto a = ub.load<T>(run, 0), c = ub.load<T>(run, 1);
    auto work = ub.make<uint8_t>(32 * 1024);
    const auto type =
        run.parameter(0) != 0 ? TransposeType::TRANSPOSE_NHWC2NCHW : TransposeType::TRANSPOSE_NCHW2NHWC;
    Transpose(c, a, work, TransposeParamsExt(2, 5, 4, static_cast<uint16_t>(run.parameter(1)), type));
    ub.store(run, 1, c);
}
CASE("image_layout_half", image_layout<half>)
CASE("image_layout_float", image_layout<float>)
CASE("image_layout_int8_t", image_layout<int8_t>)

/// Every block appends its number twice, in turn.
void block_after_block(const Case& run) {
    Scratch ub;
    auto work = ub.make<int32_t>(64);
    const auto turns = run.gm<int32_t>(0);
    InitDetermineComputeWorkspace(turns, work);
    for (int round = 0; round < 2; ++round) {
        WaitPreBlock(turns, work);
        auto* next = run.gm<int32_t>(1).GetPhyAddr(0);
        const int32_t at = ReadGmByPassDCache(next) + 1;
        WriteGmByPassDCache(next + at, static_cast<int32_t>(GetBlockIdx()));
        WriteGmByPassDCache(next, at);
        if (run.parameter(0) == 0) NotifyNextBlock(turns, work);
    }
}
CASE("block_after_block", block_after_block)

/// Blocks 0 and 1 write, blocks 2 to 4 wait for both and read.
void two_groups(const Case& run) {
    GroupBarrier<PipeMode::MTE3_MODE> barrier(run.address(0), 2, 3);
    const auto block = static_cast<uint32_t>(GetBlockIdx());
    auto out = run.gm<int32_t>(1);
    Scratch ub;
    auto t = ub.make<int32_t>(8);
    if (block < 2) {
        Duplicate(t, static_cast<int32_t>(block + 1), 8);
        PipeBarrier<PIPE_ALL>();
        DataCopy(out[block * 8], t, 8);
        barrier.Arrive(block + static_cast<uint32_t>(run.parameter(0)));
    } else {
        barrier.Wait(block - 2);
        DataCopy(t, out[(block % 2) * 8], 8);
        PipeBarrier<PIPE_ALL>();
        DataCopy(out[block * 8], t, 8);
    }
}
CASE("two_groups", two_groups)

/// The library's own names of standard types.
void standard_types(const Case& run) {
    static_assert(Std::is_same_v<Std::remove_pointer_t<float*>, float>);
    static_assert(Std::is_same_v<Conditional<false, half, float>::type, float>);
    auto [first, second] = Std::make_tuple(1.0f, Std::max(2.0f, 3.0f));
    run.gm<float>(0).SetValue(0, first + second);
}
CASE("standard_types", standard_types)

/// Compares, and Select with a mask of bytes, under their newer names.
void newer_names(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 2);
    auto mask = ub.load<uint8_t>(run, 1), bits = ub.make<uint8_t>(32);
    Select(c, a, -1.0f, mask, ub.make<uint8_t>(256), SelectWithBytesMaskShapeInfo{2, 32, 32});
    Compares(bits, a, 0.0f, CMPMODE::GT, 64);
    ub.store(run, 2, c);
    ub.store(run, 3, bits);
}
CASE("newer_names", newer_names)

/// Prints memory by address.
void dump_by_address(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0);
    asc_dump_gm(run.gm<float>(0).GetPhyAddr(0), 1, 2);
    asc_dump_ubuf(reinterpret_cast<float*>(a.GetPhyAddr(1)), 2, 2);
}
CASE("dump_by_address", dump_by_address)

/// Rows of 40 elements, stored 48 apart, with mean and 1 / deviation; then the same from mean and variance.
void row_norms(const Case& run) {
    Scratch ub;
    static constexpr LayerNormConfig plain{false, false, false, false};
    auto x = ub.load<float>(run, 0), gamma = ub.load<float>(run, 1), beta = ub.load<float>(run, 2);
    auto y = ub.load<float>(run, 3), z = ub.load<float>(run, 4), rows = ub.load<float>(run, 5);
    const LayerNormPara para{8, 40, 48};
    LayerNorm<float, float>(y, rows, rows[8], x, gamma, beta, 1e-5f, para, LayerNormSeparateTiling{});
    LayerNorm<float, float, false, plain>(y, rows, rows[16], x, gamma, beta, 1e-5f, para,
                                          LayerNormSeparateTiling{});
    Normalize<float, float>(z, rows[24], rows, rows[16], x, gamma, beta, ub.make<uint8_t>(256), 1e-5f,
                            NormalizePara{8, 40, 48});
    ub.store(run, 3, y);
    ub.store(run, 4, z);
    ub.store(run, 5, rows);
}
CASE("row_norms", row_norms)

/// Block 0 waits for the flags of all others, looking at one after the other.
void polling(const Case& run) {
    auto flags = run.gm<int32_t>(0);
    const int64_t block = GetBlockIdx();
    flags.SetValue(block * 16, 1);
    for (int other = 0; block == 0 && other < GetBlockNum();) {
        other = flags.GetValue(other * 16) == 1 ? other + 1 : 0;
    }
    if (block == 0) run.gm<int32_t>(1).SetValue(0, 5);
}
CASE("polling", polling)

/// A gradient of SoftMax over a long row: the sum is that of a tree.
void long_gradient(const Case& run) {
    Scratch ub;
    auto grad = ub.load<float>(run, 0), y = ub.load<float>(run, 1), c = ub.make<float>(8);
    SoftMaxTiling tiling;
    tiling.srcM = 1, tiling.srcK = run.count<float>(0);
    SoftmaxGradFront(c, grad, y, tiling);
    ub.store(run, 2, c);
}
CASE("long_gradient", long_gradient)

/// Scales and offsets per column, their shape noted on the tensor.
void antiquant_columns(const Case& run) {
    Scratch ub;
    auto x = ub.load<int8_t>(run, 0);
    auto offset = ub.load<half>(run, 1), scale = ub.load<half>(run, 2), c = ub.load<half>(run, 3);
    const uint32_t shape[] = {1, run.count<half>(1)};
    offset.SetShapeInfo(ShapeInfo(2, shape, DataFormat::ND));
    x.SetSize(run.count<int8_t>(0));
    AscendAntiQuant<int8_t, half, false>(c, x, offset, scale, ub.make<uint8_t>(256),
                                         run.count<int8_t>(0) / shape[1]);
    ub.store(run, 3, c);
}
CASE("antiquant_columns", antiquant_columns)

/// Eight sorted lists of 32 become two of 128 in one call.
void merge_groups(const Case& run) {
    Scratch ub;
    auto values = ub.load<float>(run, 0), sorted = ub.make<float>(512), merged = ub.make<float>(512);
    auto places = ub.load<uint32_t>(run, 1);
    Sort32<float>(sorted, values, places, 8);
    MrgSort4Info params;
    for (uint16_t& length : params.elementLengths) length = 32;
    params.repeatTimes = 2;
    const MrgSortSrcList<float> lists(sorted, sorted[64], sorted[128], sorted[192]);
    MrgSort<float>(merged, lists, params);
    ub.store(run, 2, merged);
}
CASE("merge_groups", merge_groups)

/// Counter mode of Copy: 18 blocks a repeat, one of every eight of the source; then two repeats of 12
/// elements.
void counted_copy(const Case& run) {
    Scratch ub;
    auto a = ub.load<int32_t>(run, 0), c = ub.load<int32_t>(run, 1), d = ub.load<int32_t>(run, 2);
    SetMaskCount();
    SetVectorMask<int32_t, MaskMode::COUNTER>(144);
    Copy<int32_t, false>(c, a, MASK_PLACEHOLDER, 1, {1, 8, 8, 8});
    Copy<int32_t>(d, a, 12, 2, {1, 1, 2, 8});
    SetMaskNorm();
    ResetMask();
    ub.store(run, 1, c);
    ub.store(run, 2, d);
}
CASE("counted_copy", counted_copy)

void failed_assertion(const Case& run) { assert(run.parameter(0) > 1 && "too small"); }
CASE("failed_assertion", failed_assertion)

/// The forms a mask comes in; with isSetMask == false anything may stand there, a literal 0 as well.
void masks(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1);
    const uint64_t evens[2] = {0x5555555555555555ull, 0};
    enum { kHalf = 32 };
    const int32_t few = 8;
    SetVectorMask<float>(0, 0xff);
    WholeReduceSum<float, false>(c, a, (int32_t)0, 1, 1, 1, 8);
    WholeReduceSum<float, false>(c[1], a, nullptr, 1, 1, 1, 8);
    WholeReduceSum(c[2], a, few, 1, 1, 1, 8);
    WholeReduceSum(c[3], a, kHalf, 1, 1, 1, 8);
    WholeReduceSum(c[4], a, evens, 1, 1, 1, 8);
    ub.store(run, 1, c);
}
CASE("masks", masks)

/// Instructions of the device compiler on raw addresses: ((a + 1) * b) / b, its maximum with exp(a), as half
/// and back.
void raw_chain(const Case& run) {
    Scratch ub;
    auto a_tensor = ub.make<float>(64), b_tensor = ub.make<float>(64), c_tensor = ub.make<float>(64);
    auto narrow_tensor = ub.make<half>(64), spread_tensor = ub.make<half>(128);
    auto* a = reinterpret_cast<float*>(a_tensor.GetPhyAddr());
    auto* b = reinterpret_cast<float*>(b_tensor.GetPhyAddr());
    auto* c = reinterpret_cast<float*>(c_tensor.GetPhyAddr());
    auto* narrow = reinterpret_cast<half*>(narrow_tensor.GetPhyAddr());
    auto* spread = reinterpret_cast<uint16_t*>(spread_tensor.GetPhyAddr());
    copy_gm_to_ubuf(a, run.gm<float>(0).GetPhyAddr(0), 0, 1, 8, 0, 0);
    copy_gm_to_ubuf_align_b32(b, run.gm<float>(1).GetPhyAddr(0), 0, 1, 256, 0, 0, 0, 0);
    set_flag(PIPE_MTE2, PIPE_V, 3);
    wait_flag(PIPE_MTE2, PIPE_V, 3);
    vector_dup(c, 0, 1, 1, 1, 8, 0);
    vadds(c, a, 1.0f, 1, 1, 1, 8, 8);
    vmul(c, c, b, 1, 1, 1, 1, 8, 8, 8);
    vdiv(c, c, b, 1, 1, 1, 1, 8, 8, 8);
    vexp(a, a, 1, 1, 1, 8, 8);
    vmax(c, c, a, 1, 1, 1, 1, 8, 8, 8);
    vconv_f322f16(narrow, c, 1, 1, 1, 4, 8);
    vconv_f162f32(c, narrow, 1, 1, 1, 8, 4);
    vbrcb(spread, reinterpret_cast<uint16_t*>(narrow), 1, 8, 1);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    copy_ubuf_to_gm(run.gm<float>(2).GetPhyAddr(0), c, 0, 1, 8, 0, 0);
    copy_ubuf_to_gm_align_b16(run.gm<half>(3).GetPhyAddr(0), spread, 0, 1, 200, 0, 0, 0, 0);
}
CASE("raw_chain", raw_chain)

/// A tensor made by hand: an offset of a memory, in either order, and the address another tensor gave.
void made_by_hand(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0);
    LocalTensor<float> other, same;
    TBuffAddr address;
    address.logicPos = static_cast<uint8_t>(TPosition::VECIN);
    address.bufferAddr = a.GetPhyAddr();
    same.SetAddr(address);
    other.InitBuffer(96 * 1024, 64);
    other.address_.logicPos = static_cast<uint8_t>(TPosition::VECIN);
    Adds(other, same[8], 1.0f, 32);
    Adds(other[32], same, 2.0f, 32);
    ub.store(run, 1, other);
    if (run.parameter(0) != 0) Adds(other, same[twin::kUbBytes / 4], 1.0f, 32);  // beyond the end
}
CASE("made_by_hand", made_by_hand)

/// Many calls, after the kernel took an address of their memory where the parameter says so.
void with_an_address(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0);
    const uint64_t address = run.parameter(0) != 0 ? a.GetPhyAddr() : 0;
    for (int i = 0; i < 2000; ++i) Adds(a, a, 1.0f, 64);
    ub.store(run, 1, a);
    if (address == 1) Adds(a, a, 1.0f, 64);
}
CASE("with_an_address", with_an_address)

/// Rows of flash attention whose state is one value each.
void flash_packed(const Case& run) {
    Scratch ub;
    auto x = ub.load<float>(run, 0), state = ub.load<float>(run, 1);
    static constexpr SoftmaxConfig kPacked{true, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC};
    const SoftMaxShapeInfo shape{8, 16, 8, 16};
    const auto tiling = SoftMaxFlashV2TilingFunc(shape, 4, 4, 4096, true, false, false, true);
    auto sum = ub.make<float>(8), top = ub.make<float>(8), correction = ub.make<float>(8);
    auto of_rows = ub.make<float>(8), dst = ub.make<float>(128), scratch = ub.make<float>(24);
    SoftmaxFlashV2<float, true, false, false, false, kPacked>(dst, of_rows, scratch, scratch[8], x,
                                                              scratch[16], state, state[8],
                                                              ub.make<uint8_t>(4096), tiling, shape);
    ub.store(run, 6, of_rows);
    SoftmaxFlashV2<float, true, true, false, false, kPacked>(x, sum, top, x, correction, state, state[8],
                                                             ub.make<uint8_t>(4096), tiling, shape);
    ub.store(run, 2, x);
    ub.store(run, 3, sum);
    ub.store(run, 4, top);
    ub.store(run, 5, correction);
}
CASE("flash_packed", flash_packed)

void needs_cards(const Case& run) {
    Hccl<HCCL_SERVER_TYPE_AICPU> group;
    GM_ADDR context = GetHcclContext<HCCL_GROUP_ID_0>();
    group.InitV2(context, &run);
    group.Finalize();
}
CASE("needs_cards", needs_cards)

void preload(const Case& run) { ICachePreLoad(static_cast<int64_t>(run.parameter(0))); }
CASE("preload", preload)

/// A copy out of `a` after the scalar unit has read `b`: both came by the same pipe, `a` first or last.
void scalar_between(const Case& run) {
    Scratch ub;
    auto a = ub.make<float>(64), b = ub.make<float>(64);
    const bool first = run.parameter(0) != 0;
    if (first) DataCopy(a, run.gm<float>(0), 64);
    DataCopy(b, run.gm<float>(1), 64);
    if (!first) DataCopy(a, run.gm<float>(0), 64);
    if (b.GetValue(0) > 1e30f) return;
    DataCopy(run.gm<float>(2), a, 64);
}
CASE("scalar_between", scalar_between)

/// The same with a flag of the scalar unit, which carries what it has waited for and no more: 0 and 1 as
/// above; 2: `a` is of the vector unit, which the copy of `b` has waited for.
void scalar_flag_between(const Case& run) {
    Scratch ub;
    auto a = ub.make<float>(64), b = ub.make<float>(64);
    const int how = run.parameter(0);
    if (how == 1) DataCopy(a, run.gm<float>(0), 64);
    if (how == 2) {
        Duplicate(a, 3.0f, 64);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    }
    DataCopy(b, run.gm<float>(1), 64);
    if (how == 0) DataCopy(a, run.gm<float>(0), 64);
    if (b.GetValue(0) > 1e30f) return;
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    DataCopy(run.gm<float>(2), a, 64);
}
CASE("scalar_flag_between", scalar_flag_between)

/// The pairs of the first `parameter` lanes are added; the places of the others in the target are written,
/// too.
void masked_pairs(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1);
    PairReduceSum(c, a, 1, static_cast<int32_t>(run.parameter(0)), 1, 1, 8);
    ub.store(run, 1, c);
}
CASE("masked_pairs", masked_pairs)

/// A place in UB by its number, and a tensor made at the same place.
void numbered_place(const Case& run) {
    Scratch ub;
    constexpr uint32_t kPlace = 100 * 1024;
    LocalTensor<float> same;
    same.InitBuffer(kPlace, 64);
    same.address_.logicPos = static_cast<uint8_t>(TPosition::VECIN);
    vector_dup(reinterpret_cast<float*>(get_imm(kPlace)), 3, 1, 1, 1, 8, 0);
    ub.store(run, 0, same);
}
CASE("numbered_place", numbered_place)
