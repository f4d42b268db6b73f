// Smaller interfaces: operators on tensors, flag objects, tensor lists, accumulators, raw intrinsics.
#include "case.h"

#include "kernel_operator_list_tensor_intf.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

void expressions(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), b = ub.load<float>(run, 1), c = ub.load<float>(run, 2);
    auto bits = ub.make<uint8_t>(64);
    c.SetSize(run.count<float>(2));
    a.SetSize(run.count<float>(0));
    c = a * b;
    c = c + a;
    c = c - b;
    ub.store(run, 2, c);
    a.SetSize(64);
    bits = a < b;
    ub.store(run, 3, bits);
}
CASE("expressions", expressions)

/// Copies whose parameters are written where they are needed.
void parameters_in_braces(const Case& run) {
    Scratch ub;
    auto t = ub.make<float>(64), tail = ub.make<float>(64);
    const uint16_t blocks = 2;
    const uint32_t bytes = 20;
    DataCopy(t, run.gm<float>(0), {1, blocks, 0, 0});
    DataCopyPad(tail, run.gm<float>(0)[16], {1, bytes, 0, 0, 0}, {true, 0, 3, 1.5f});
    PipeBarrier<PIPE_ALL>();
    DataCopy(run.gm<float>(1), t, {1, blocks, 0, 0});
    DataCopy(run.gm<float>(1)[16], tail, {1, 1, 0, 0});
}
CASE("parameters_in_braces", parameters_in_braces)

/// To numbers of four bits and back.
void nibbles(const Case& run) {
    Scratch ub;
    const uint32_t count = run.count<half>(0);
    auto a = ub.load<half>(run, 0), c = ub.make<half>(count);
    auto packed = ub.make<int8_t>(count);
    Cast(packed.ReinterpretCast<int4b_t>(), a, RoundMode::CAST_RINT, count);
    Cast(c, packed.ReinterpretCast<int4b_t>(), RoundMode::CAST_NONE, count);
    ub.store(run, 1, packed);
    ub.store(run, 2, c);
}
CASE("nibbles", nibbles)

/// Results of the scalar unit, one after the other.
void scalars(const Case& run) {
    auto z = run.gm<float>(1);
    const float value = run.gm<float>(0).GetValue(0);
    z.SetValue(0, static_cast<float>(Cast<float, int32_t, RoundMode::CAST_CEIL>(value)));
    z.SetValue(1, static_cast<float>(ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(value)));
    z.SetValue(2, static_cast<float>(Cast<float, half, RoundMode::CAST_FLOOR>(value)));
    z.SetValue(3, Cast(Cast(value)));
    z.SetValue(4, static_cast<float>(GetBitCount<1>(0xFFFF)));
    z.SetValue(5, static_cast<float>(GetBitCount<0>(0xFFFF)));
    z.SetValue(6, static_cast<float>(CountLeadingZero(0x8000)));
    z.SetValue(7, static_cast<float>(CountBitsCntSameAsSignBit(-1) + CountBitsCntSameAsSignBit(0xFF)));
    z.SetValue(8, static_cast<float>(GetSFFValue<0>(0xFFFF) - GetSFFValue<1>(0)));
    uint32_t shape[2] = {Ceil(run.count<float>(0) + int64_t(1), 8), 8};
    z.SetValue(9, static_cast<float>(shape[0]));
    z.SetValue(10, static_cast<float>(GetScalarBitcodeValue(half(1.0f))));
}
CASE("scalars", scalars)

void flag_objects(const Case& run) {
    Scratch ub;
    auto t = ub.make<float>(64);
    TQueSync<PIPE_MTE2, PIPE_V> loaded;
    TQueSync<PIPE_V, PIPE_MTE3> computed;
    DataCopy(t, run.gm<float>(0), 64);
    loaded.SetFlag(0);
    loaded.WaitFlag(0);
    Muls(t, t, 3.0f, 64);
    computed.SetFlag(0);
    computed.WaitFlag(0);
    DataCopy(run.gm<float>(1), t, 64);
}
CASE("flag_objects", flag_objects)

void accumulators(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 1), work = ub.make<float>(256);
    auto z = run.gm<float>(1);
    ReduceMax(c, a, work, 60, 3, 8, true);
    z.SetValue(0, c.GetValue(0));
    z.SetValue(1, static_cast<float>(c.ReinterpretCast<uint32_t>().GetValue(1)));
    WholeReduceMin(c, a, 64, 1, 1, 1, 8);
    float value = 0, index = 0;
    GetReduceMaxMinCount<float>(value, index);
    z.SetValue(2, value);
    AscendCUtils::SetMask<float>(50);
    vcadd(static_cast<float*>(nullptr), reinterpret_cast<float*>(a.GetPhyAddr()), 2, 1, 1, 8, true);
    const uint64_t bits = GetAccVal();
    float sum;
    std::memcpy(&sum, &bits, sizeof sum);
    z.SetValue(3, sum);
    ResetMask();
}
CASE("accumulators", accumulators)

/// Registers hold the extreme of all repeats, and its position among all of them.
void registers(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.make<float>(64);
    auto z = run.gm<float>(1);
    auto* raw = reinterpret_cast<float*>(a.GetPhyAddr());
    const auto store = [&](int at, auto bits) {
        const auto low = static_cast<uint32_t>(bits);
        float value;
        std::memcpy(&value, &low, sizeof value);
        z.SetValue(at, value);
        z.SetValue(at + 1, static_cast<float>(bits >> 32));
    };
    float value = 0, index = 0;
    uint32_t position;
    WholeReduceMax(c, a, 64, 3, 1, 1, 8);
    GetReduceRepeatMaxMinSpr<float>(value, index);
    std::memcpy(&position, &index, sizeof position);
    z.SetValue(0, value);
    z.SetValue(1, static_cast<float>(position));
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(0, 150);
    WholeReduceMin<float, false>(c, a, MASK_PLACEHOLDER, 1, 1, 1, 8);
    SetMaskNorm();
    ResetMask();
    GetReduceMaxMinCount<float>(value, index);
    std::memcpy(&position, &index, sizeof position);
    z.SetValue(2, value);
    z.SetValue(3, static_cast<float>(position));
    vcmax(nullptr, raw, 2, 1, 1, 8, Order_t::ONLY_VALUE);
    store(4, get_max_min_cnt());
    vcmin(reinterpret_cast<float*>(c.GetPhyAddr()), raw, 3, 1, 1, 8, Order_t::VALUE_INDEX);
    store(6, get_max_min_cnt());
    z.SetValue(8, c.GetValue(2));
    vcadd(nullptr, raw, 3, 1, 1, 8, 1);
    store(9, get_acc_val());
}
CASE("registers", registers)

void byte_mask(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), c = ub.load<float>(run, 2);
    auto mask = ub.load<uint8_t>(run, 1);
    SelectWithBytesMask(c, a, -1.0f, mask, ub.make<uint8_t>(256), SelectWithBytesMaskShapeInfo{4, 16, 32});
    ub.store(run, 2, c);
}
CASE("byte_mask", byte_mask)

void rest_of_ub(const Case& run) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 196608 - 2048);
    LocalTensor<float> rest;
    run.gm<float>(0).SetValue(0, PopStackBuffer<float, TPosition::LCM>(rest) ? 1.0f : 0.0f);
    run.gm<float>(0).SetValue(1, static_cast<float>(rest.GetSize()));
}
CASE("rest_of_ub", rest_of_ub)

/// Two tensors of a list, the second of shape [2, 3]; adds their first elements.
void tensor_list(const Case& run) {
    uint64_t words[8] = {6 * 8, 1, 4, 2 | (uint64_t(1) << 32), 2, 3, 0, 0};
    words[6] = reinterpret_cast<uint64_t>(run.address(0));
    words[7] = reinterpret_cast<uint64_t>(run.address(1));
    ListTensorDesc list(words);
    uint64_t shape[2];
    TensorDesc<float> desc;
    desc.SetShapeAddr(shape);
    list.GetDesc(desc, 1);
    auto z = run.gm<float>(2);
    z.SetValue(0, desc.GetDataObj().GetValue(0) + run.gm<float>(0).GetValue(0));
    z.SetValue(1, static_cast<float>(list.GetSize()));
    z.SetValue(2, static_cast<float>(desc.GetDim() * 100 + desc.GetShape(0) * 10 + desc.GetShape(1)));
}
CASE("tensor_list", tensor_list)

void pools(const Case& run) {
    TPipe pipe;
    TBufPool<TPosition::VECCALC> pool;
    pipe.InitBufPool(pool, 4096);
    for (int round = 0; round < 2; ++round) {
        TQue<QuePosition::VECIN, 1> in;
        TQue<QuePosition::VECOUT, 1> out;
        pool.InitBuffer(in, 1, 1024);
        pool.InitBuffer(out, 1, 1024);
        auto a = in.AllocTensor<float>();
        DataCopy(a, run.gm<float>(0), 256);
        in.EnQue(a);
        a = in.DeQue<float>();
        auto c = out.AllocTensor<float>();
        Adds(c, a, 1.0f, 256);
        out.EnQue(c);
        in.FreeTensor(a);
        c = out.DeQue<float>();
        DataCopy(run.gm<float>(1), c, 256);
        out.FreeTensor(c);
        pool.Reset();
    }
}
CASE("pools", pools)

/// A finished result lies where a function of the library has its temporary; it is used afterwards.
template <bool is_many_steps>
void in_the_temporary(const Case& run) {
    Scratch ub;
    auto x = ub.make<float>(256), y = ub.make<float>(256), z = ub.make<float>(256);
    Duplicate(x, -1.0f, 256);
    Abs(y, x, 256);
    if (is_many_steps) {
        Tanh(z, x, y.ReinterpretCast<uint8_t>(), 256);
    } else {
        Floor(z, x, y.ReinterpretCast<uint8_t>(), 256);
    }
    Adds(z, y, 1.0f, 256);  // of what was there
    PipeBarrier<PIPE_ALL>();
    DataCopy(run.gm<float>(0), z, 256);
}
CASE("in_the_temporary/of_many_steps", in_the_temporary<true>)
CASE("in_the_temporary/of_few", in_the_temporary<false>)

/// Half of the cores meet in a barrier of their own; neighbours hand a token over with IBSet and IBWait.
void partial_barriers(const Case& run) {
    Scratch ub;
    auto scratch = ub.make<int32_t>(64);
    auto flags = run.gm<int32_t>(1);
    auto z = run.gm<int32_t>(2);
    const auto me = static_cast<int32_t>(GetBlockIdx());
    if (me < 2) SyncAll(flags, scratch, 2);
    if (me > 0) IBWait(flags, scratch, me - 1, 0);
    constexpr int32_t line = 16;  // numbers of a cache line, of which each core has its own
    z.SetValue(me * line, me == 0 ? 1 : z.GetValue((me - 1) * line) * 2);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(z[me * line]);
    IBSet(flags, scratch, me, 0);
}
CASE("partial_barriers", partial_barriers)

/// A buffer without memory may be asked for; with `use` it is also touched.
template <bool use>
void no_memory(const Case& run) {
    TBuf<> buffer;
    auto nothing = buffer.Get<float>();
    auto slice = buffer.GetWithOffset<float>(8, 32);
    run.gm<float>(0).SetValue(0, static_cast<float>(nothing.GetSize() + buffer.GetBufLen()));
    if (use) Duplicate(slice, 1.0f, 8);
}
CASE("no_memory", no_memory<false>)
CASE("no_memory/use", no_memory<true>)

/// A second TPipe takes over all of UB after Destroy.
void next_pipe(const Case& run) {
    TPipe first, second;
    TQue<QuePosition::VECIN, 1> in;
    first.InitBuffer(in, 1, 190 * 1024);
    first.Destroy();
    TBuf<> buffer;
    second.InitBuffer(buffer, 190 * 1024);
    auto t = buffer.Get<float>();
    Duplicate(t, 2.0f, 64);
    run.gm<float>(0).SetValue(0, t.GetValue(63));
}
CASE("next_pipe", next_pipe)

/// Functions behind the documented ones, called with addresses.
void behind_the_documented(const Case& run) {
    Scratch ub;
    auto a = ub.make<float>(64), z = ub.make<float>(64), small = ub.make<float>(8);
    const DataCopyExtParams in{1, 63 * sizeof(float), 0, 0, 0}, out{1, 9 * sizeof(float), 0, 0, 0};
    DataCopyPadGm2UBImpl((__ubuf__ float*)a.GetPhyAddr(), (__gm__ float*)run.gm<float>(0).GetPhyAddr(), in,
                         DataCopyPadExtParams<int32_t>{true, 0, 1, 0});
    PipeBarrier<PIPE_ALL>();
    SetMaskNorm();
    SetVectorMask<float>(64);
    DuplicateIntrinsicsImpl((__ubuf__ float*)z.GetPhyAddr(), float(GetSubBlockIdxImpl()) + 3.0f, 1, 1, 8);
    BlockReduceMaxIntrinsicsImpl((__ubuf__ float*)small.GetPhyAddr(), (__ubuf__ float*)a.GetPhyAddr(), 1, 1,
                                 1, 8);
    DataCopy(z, small, 8);
    ResetMask();
    PipeBarrier<PIPE_ALL>();
    DataCopyPadUB2GMImpl((__gm__ float*)run.gm<float>(2).GetPhyAddr(), (__ubuf__ float*)z.GetPhyAddr(), out);
    uint32_t words[2];
    copy_data_align64((uint8_t*)words, (uint8_t*)run.gm<uint32_t>(1).GetPhyAddr(), sizeof(words));
    OOMCheckAddrRange(run.gm<float>(0).GetPhyAddr(), 64);
    run.gm<uint32_t>(3).SetValue(0, words[0] + words[1]);
}
CASE("behind_the_documented", behind_the_documented)

/// A tensor set to the address of a buffer; the bits of a comparison in words of 16.
void address_of_a_buffer(const Case& run) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> first, second;
    pipe.InitBuffer(first, 256);
    pipe.InitBuffer(second, 256);
    auto a = second.Get<float>();
    LocalTensor<float> same;
    same.SetAddr(second.GetBufferAddr(a.GetBufferHandle()));
    same.SetSize(64);
    Duplicate(same, 2.0f, 64);
    auto bits = first.Get<uint16_t>();
    CompareScalar(bits, a, 1.0f, CMPMODE::GT, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(run.gm<float>(0), a, 64);
    run.gm<int32_t>(1).SetValue(0, bits.GetValue(3));
}
CASE("address_of_a_buffer", address_of_a_buffer)

/// What the twin has no values for, in a branch that runs.
void beyond_the_twin(const Case& run) {
    if (run.parameter(0) != 0) {
        LocalTensor<int4b_t> a;
        Mmad(LocalTensor<int32_t>(), a, a, MmadParams{});
    }
}
CASE("beyond_the_twin", beyond_the_twin)
