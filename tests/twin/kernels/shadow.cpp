// Which bytes of UB count as written after one instruction of any form; test_shadow.py knows what they should
// be.
#include <cstring>

#include "case.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

namespace {

constexpr uint32_t kBytes = 4096;  // of every tensor

/// Parameters of a run: the mask, repeats and strides of one instruction.
struct Form {
    explicit Form(const Case& run)
        : by_bits(run.parameter(0) != 0),
          count(run.parameter<uint64_t>(1)),
          repeats(run.parameter<uint8_t>(6)),
          dst_block(run.parameter<uint16_t>(7)),
          dst_repeat(run.parameter<uint16_t>(8)),
          src_block(run.parameter<uint16_t>(9)),
          src_repeat(run.parameter<uint16_t>(10)) {
        for (int word = 0; word < 2; ++word) {
            const auto low = run.parameter<uint64_t>(2 + 2 * word),
                       high = run.parameter<uint64_t>(3 + 2 * word);
            bits[word] = high << 32 | low;
        }
    }
    twin::Mask mask() const { return by_bits ? twin::Mask(bits) : twin::Mask(count); }
    UnaryRepeatParams unary() const {
        UnaryRepeatParams params;
        params.dstBlkStride = dst_block, params.srcBlkStride = src_block;
        params.dstRepStride = static_cast<uint8_t>(dst_repeat);
        params.srcRepStride = static_cast<uint8_t>(src_repeat);
        return params;
    }
    BinaryRepeatParams binary() const {
        const auto dst = static_cast<uint8_t>(dst_repeat), src = static_cast<uint8_t>(src_repeat);
        const auto to = static_cast<uint8_t>(dst_block), from = static_cast<uint8_t>(src_block);
        return BinaryRepeatParams(to, from, 1, dst, src, 8);
    }

    bool by_bits;
    uint64_t count;
    uint64_t bits[2] = {0, 0};
    uint8_t repeats;
    uint16_t dst_block, dst_repeat, src_block, src_repeat;
};

/// A tensor whose elements are written where the input has a 1.
template <class T>
LocalTensor<T> partly_written(const Case& run, Scratch& ub, int input) {
    auto tensor = ub.make<T>(kBytes / sizeof(T));
    const uint8_t* flags = run.buffers[static_cast<size_t>(input)].first;
    for (uint32_t i = 0; i < kBytes / sizeof(T); ++i) {
        if (flags[i * sizeof(T)] != 0) tensor.SetValue(i, T(1));
    }
    PipeBarrier<PIPE_ALL>();
    return tensor;
}

/// Notes which bytes of a tensor count as written.
template <class T>
void note(const Case& run, int output, const LocalTensor<T>& tensor) {
    const twin::LocalMemory& memory = twin::core().memory(twin::MemoryKind::UB);
    const auto begin = static_cast<size_t>(tensor.view().data - memory.base());
    uint8_t* flags = run.buffers[static_cast<size_t>(output)].first;
    for (size_t i = 0; i < kBytes; ++i) flags[i] = memory.first_unwritten(begin + i, 1) < 0 ? 1 : 0;
}

/// Runs `call(dst, a, b, form)` on two partly written sources.
template <class D, class S, class Call>
void one_call(const Case& run, Call call) {
    Scratch ub;
    const Form form(run);
    auto a = partly_written<S>(run, ub, 0), b = partly_written<S>(run, ub, 1);
    auto dst = ub.make<D>(kBytes / sizeof(D));
    call(dst, a, b, form);
    note(run, 2, dst);
}

}  // namespace

#define SHADOW(NAME, D, S, ...)                                                     \
    void NAME(const Case& run) {                                                    \
        using Wide = D;                                                             \
        one_call<D, S>(run, [&run](auto& dst, auto& a, auto& b, const Form& form) { \
            static_cast<void>(a), static_cast<void>(b), static_cast<void>(form);    \
            static_cast<void>(run), static_cast<void>(sizeof(Wide));                \
            __VA_ARGS__;                                                            \
        });                                                                         \
    }                                                                               \
    CASE(#NAME, NAME)

SHADOW(adds_float, float, float, Adds(dst, a, 1.0f, form.mask(), form.repeats, form.unary()))
SHADOW(adds_half, half, half, Adds(dst, a, half(1), form.mask(), form.repeats, form.unary()))
SHADOW(adds_count, float, float, Adds(dst, a, 1.0f, int32_t(form.count)))
SHADOW(add_float, float, float, Add(dst, a, b, form.mask(), form.repeats, form.binary()))
SHADOW(add_half, half, half, Add(dst, a, b, form.mask(), form.repeats, form.binary()))
SHADOW(cast_wide, float, half, Cast(dst, a, RoundMode::CAST_NONE, form.mask(), form.repeats, form.unary()))
SHADOW(cast_narrow, half, float, Cast(dst, a, RoundMode::CAST_RINT, form.mask(), form.repeats, form.unary()))
SHADOW(cast_count, float, half, Cast(dst, a, RoundMode::CAST_NONE, uint32_t(form.count)))
SHADOW(copy, int32_t, int32_t,
       Copy(dst, a, form.mask(), form.repeats,
            {form.dst_block, form.src_block, form.dst_repeat, form.src_repeat}))
SHADOW(duplicate, half, half,
       Duplicate(dst, half(1), form.mask(), form.repeats, form.dst_block, uint8_t(form.dst_repeat)))
SHADOW(whole_sum, float, float,
       WholeReduceSum(dst, a, form.mask(), form.repeats, form.dst_repeat, form.src_block, form.src_repeat))
SHADOW(whole_max, half, half,
       WholeReduceMax(dst, a, form.mask(), form.repeats, form.dst_repeat, form.src_block, form.src_repeat))
SHADOW(block_max, float, float,
       BlockReduceMax(dst, a, form.repeats, form.mask(), form.dst_repeat, form.src_block, form.src_repeat))
SHADOW(pair_sum, half, half,
       PairReduceSum(dst, a, form.repeats, form.mask(), form.dst_repeat, form.src_block, form.src_repeat))
SHADOW(compare, uint8_t, float, Compare(dst, a, b, CMPMODE::LT, form.mask(), form.repeats, form.binary()))
SHADOW(select, float, float,
       Select(dst, b.template ReinterpretCast<uint8_t>(), a, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE,
              form.mask(), form.repeats, form.binary()))
SHADOW(brcb, half, half, Brcb(dst, a, form.repeats, BrcbRepeatParams(form.dst_block, form.dst_repeat)))
SHADOW(gather, float, float, auto places = b.template ReinterpretCast<uint32_t>();
       for (uint32_t i = 0; i < 256; ++i) places.SetValue(i, 4 * ((i * 37 + 5) % 1024));
       PipeBarrier<PIPE_ALL>(); Gather(dst, a, places, 0, form.mask(), form.repeats, form.dst_repeat))
SHADOW(gather_blocks, uint16_t, uint16_t, auto places = b.template ReinterpretCast<uint32_t>();
       for (uint32_t i = 0; i < 64; ++i) places.SetValue(i, 32 * ((i * 37 + 5) % 64));
       PipeBarrier<PIPE_ALL>(); GatherRepeatParams steps; steps.dstBlkStride = uint8_t(form.dst_block);
       steps.dstRepStride = uint8_t(form.dst_repeat); Gatherb(dst, a, places, form.repeats, steps))
SHADOW(gather_mask, float, float, uint64_t kept = 0;
       GatherMaskParams steps(uint8_t(form.src_block), form.repeats, form.src_repeat, 0);
       GatherMask(dst, a, uint8_t(3), false, 0, steps, kept))
SHADOW(copy_rows, half, half,
       DataCopy(dst, a, DataCopyParams(form.repeats, uint16_t(form.count), form.src_block, form.dst_block)))
SHADOW(copy_in, half, half,
       DataCopy(dst, run.gm<half>(3),
                DataCopyParams(form.repeats, uint16_t(form.count), form.src_block, form.dst_block)))
SHADOW(copy_in_padded, half, half, DataCopyExtParams rows; rows.blockCount = form.repeats;
       rows.blockLen = uint32_t(form.count) * 2; rows.srcStride = form.src_block;
       rows.dstStride = form.dst_block;
       DataCopyPad(dst, run.gm<half>(3), rows,
                   DataCopyPadExtParams<half>(true, uint8_t(form.dst_repeat), uint8_t(form.src_repeat),
                                              half(0))))
SHADOW(sort, float, float, Sort32(dst, a, b.template ReinterpretCast<uint32_t>(), form.repeats))
SHADOW(transpose, half, half, Transpose(dst, a))
SHADOW(
    rows_to_columns, float, float, LocalTensor<float> from[16]; LocalTensor<float> to[16];
    for (uint32_t row = 0; row < 16; ++row) {
        from[row] = a[row * 8];
        to[row] = dst[row * 8];
    } TransDataTo5HD(to, from,
                     TransDataTo5HDParams(false, false, form.repeats, form.dst_repeat, form.src_repeat)))
SHADOW(fill_index, int32_t, int32_t,
       CreateVecIndex(dst, 0, form.mask(), form.repeats, form.dst_block, uint8_t(form.dst_repeat)))
