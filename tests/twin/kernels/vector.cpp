// One call per case: element-wise, scalar, compare, select, cast and fill instructions in their three forms.
#include "case.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

#define BINARY_CASES(NAME)                                                                      \
    template <class T>                                                                          \
    void count_##NAME(const Case& run) {                                                        \
        Scratch ub;                                                                             \
        auto a = ub.load<T>(run, 0), b = ub.load<T>(run, 1), c = ub.load<T>(run, 2);            \
        NAME(c, a, b, static_cast<int32_t>(run.count<T>(0)));                                   \
        ub.store(run, 2, c);                                                                    \
    }                                                                                           \
    template <class T>                                                                          \
    void masked_##NAME(const Case& run) {                                                       \
        Scratch ub;                                                                             \
        auto a = ub.load<T>(run, 0), b = ub.load<T>(run, 1), c = ub.load<T>(run, 2);            \
        BinaryRepeatParams p{                                                                   \
            run.parameter<uint8_t>(2), run.parameter<uint8_t>(3), run.parameter<uint8_t>(4),    \
            run.parameter<uint8_t>(5), run.parameter<uint8_t>(6), run.parameter<uint8_t>(7)};   \
        NAME(c, a, b, run.parameter<uint64_t>(0), run.parameter<uint8_t>(1), p);                \
        ub.store(run, 2, c);                                                                    \
    }                                                                                           \
    template <class T>                                                                          \
    void bits_##NAME(const Case& run) {                                                         \
        Scratch ub;                                                                             \
        auto a = ub.load<T>(run, 0), b = ub.load<T>(run, 1), c = ub.load<T>(run, 2);            \
        uint64_t mask[2] = {0xaaaaaaaaaaaaaaaaull, sizeof(T) == 2 ? 0x5555555555555555ull : 0}; \
        NAME(c, a, b, mask, run.parameter<uint8_t>(0), BinaryRepeatParams{1, 1, 1, 8, 8, 8});   \
        ub.store(run, 2, c);                                                                    \
    }

#define UNARY_CASES(NAME)                                                           \
    template <class T>                                                              \
    void count_##NAME(const Case& run) {                                            \
        Scratch ub;                                                                 \
        auto a = ub.load<T>(run, 0), c = ub.load<T>(run, 1);                        \
        NAME(c, a, static_cast<int32_t>(run.count<T>(0)));                          \
        ub.store(run, 1, c);                                                        \
    }                                                                               \
    template <class T>                                                              \
    void masked_##NAME(const Case& run) {                                           \
        Scratch ub;                                                                 \
        auto a = ub.load<T>(run, 0), c = ub.load<T>(run, 1);                        \
        UnaryRepeatParams p{run.parameter<uint16_t>(2), run.parameter<uint16_t>(3), \
                            run.parameter<uint8_t>(4), run.parameter<uint8_t>(5)};  \
        NAME(c, a, run.parameter<uint64_t>(0), run.parameter<uint8_t>(1), p);       \
        ub.store(run, 1, c);                                                        \
    }

#define SCALAR_CASES(NAME)                                                                          \
    template <class T>                                                                              \
    void count_##NAME(const Case& run) {                                                            \
        Scratch ub;                                                                                 \
        auto a = ub.load<T>(run, 0), c = ub.load<T>(run, 1);                                        \
        NAME(c, a, static_cast<T>(run.parameter<float>(0)), static_cast<int32_t>(run.count<T>(0))); \
        ub.store(run, 1, c);                                                                        \
    }

BINARY_CASES(Add)
BINARY_CASES(Sub)
BINARY_CASES(Mul)
BINARY_CASES(Div)
BINARY_CASES(Max)
BINARY_CASES(Min)
BINARY_CASES(And)
BINARY_CASES(Or)
BINARY_CASES(AddRelu)
BINARY_CASES(SubRelu)
BINARY_CASES(MulAddDst)
BINARY_CASES(FusedMulAdd)
UNARY_CASES(Abs)
UNARY_CASES(Exp)
UNARY_CASES(Ln)
UNARY_CASES(Sqrt)
UNARY_CASES(Rsqrt)
UNARY_CASES(Reciprocal)
UNARY_CASES(Relu)
UNARY_CASES(Not)
SCALAR_CASES(Adds)
SCALAR_CASES(Muls)
SCALAR_CASES(Maxs)
SCALAR_CASES(Mins)
SCALAR_CASES(LeakyRelu)
SCALAR_CASES(ShiftLeft)
SCALAR_CASES(ShiftRight)
SCALAR_CASES(Axpy)
#define REGISTER_BINARY(NAME, T)                   \
    CASE("count/" #NAME "/" #T, count_##NAME<T>)   \
    CASE("masked/" #NAME "/" #T, masked_##NAME<T>) \
    CASE("bits/" #NAME "/" #T, bits_##NAME<T>)
#define REGISTER_UNARY(NAME, T)                  \
    CASE("count/" #NAME "/" #T, count_##NAME<T>) \
    CASE("masked/" #NAME "/" #T, masked_##NAME<T>)
#define REGISTER_SCALAR(NAME, T) CASE("count/" #NAME "/" #T, count_##NAME<T>)
#define ARITHMETIC(KIND, NAME)                                                              \
    REGISTER_##KIND(NAME, half) REGISTER_##KIND(NAME, float) REGISTER_##KIND(NAME, int16_t) \
        REGISTER_##KIND(NAME, int32_t)
#define FLOATING(KIND, NAME) REGISTER_##KIND(NAME, half) REGISTER_##KIND(NAME, float)

ARITHMETIC(BINARY, Add)
ARITHMETIC(BINARY, Sub)
ARITHMETIC(BINARY, Mul)
ARITHMETIC(BINARY, Max)
ARITHMETIC(BINARY, Min)
FLOATING(BINARY, Div)
FLOATING(BINARY, MulAddDst)
FLOATING(BINARY, FusedMulAdd)
REGISTER_BINARY(And, int16_t)
REGISTER_BINARY(And, uint16_t)
REGISTER_BINARY(Or, int16_t)
FLOATING(BINARY, AddRelu)
FLOATING(BINARY, SubRelu)
FLOATING(UNARY, Abs)
FLOATING(UNARY, Exp)
FLOATING(UNARY, Ln)
FLOATING(UNARY, Sqrt)
FLOATING(UNARY, Rsqrt)
FLOATING(UNARY, Reciprocal)
FLOATING(UNARY, Relu)
REGISTER_UNARY(Relu, int32_t)
REGISTER_UNARY(Not, int16_t)
ARITHMETIC(SCALAR, Adds)
ARITHMETIC(SCALAR, Muls)
ARITHMETIC(SCALAR, Maxs)
ARITHMETIC(SCALAR, Mins)
FLOATING(SCALAR, LeakyRelu)
FLOATING(SCALAR, Axpy)
REGISTER_SCALAR(ShiftLeft, int32_t)
REGISTER_SCALAR(ShiftLeft, int16_t)
REGISTER_SCALAR(ShiftRight, int32_t)
REGISTER_SCALAR(ShiftRight, int16_t)

template <class D, class S>
void cast(const Case& run) {
    Scratch ub;
    auto a = ub.load<S>(run, 0);
    auto c = ub.load<D>(run, 1);
    Cast(c, a, run.parameter<RoundMode>(0), run.count<S>(0));
    ub.store(run, 1, c);
}
#define REGISTER_CAST(S, D) CASE("cast/" #S "/" #D, cast<D, S>)
REGISTER_CAST(float, half)
REGISTER_CAST(float, bfloat16_t)
REGISTER_CAST(float, int32_t)
REGISTER_CAST(float, int16_t)
REGISTER_CAST(float, int64_t)
REGISTER_CAST(float, float)
REGISTER_CAST(half, float)
REGISTER_CAST(half, int32_t)
REGISTER_CAST(half, int16_t)
REGISTER_CAST(half, int8_t)
REGISTER_CAST(half, uint8_t)
REGISTER_CAST(bfloat16_t, float)
REGISTER_CAST(bfloat16_t, int32_t)
REGISTER_CAST(uint8_t, half)
REGISTER_CAST(int8_t, half)
REGISTER_CAST(int16_t, half)
REGISTER_CAST(int16_t, float)
REGISTER_CAST(int32_t, float)
REGISTER_CAST(int32_t, half)
REGISTER_CAST(int32_t, int64_t)
REGISTER_CAST(int32_t, int16_t)
REGISTER_CAST(int64_t, int32_t)
REGISTER_CAST(int64_t, float)

template <class T>
void duplicate(const Case& run) {
    Scratch ub;
    auto c = ub.load<T>(run, 0);
    Duplicate(c, static_cast<T>(run.parameter<float>(0)), static_cast<int32_t>(run.count<T>(0)));
    ub.store(run, 0, c);
}
CASE("duplicate/half", duplicate<half>)
CASE("duplicate/float", duplicate<float>)
CASE("duplicate/int32_t", duplicate<int32_t>)
CASE("duplicate/bfloat16_t", duplicate<bfloat16_t>)

template <class T>
void index_vector(const Case& run) {
    Scratch ub;
    auto c = ub.load<T>(run, 0);
    CreateVecIndex(c, static_cast<T>(run.parameter<float>(0)), run.count<T>(0));
    ub.store(run, 0, c);
}
CASE("index/float", index_vector<float>)
CASE("index/int32_t", index_vector<int32_t>)

template <class T>
void progression(const Case& run) {
    Scratch ub;
    auto c = ub.load<T>(run, 0);
    ArithProgression(c, static_cast<T>(run.parameter<float>(0)), static_cast<T>(run.parameter<float>(1)),
                     static_cast<int32_t>(run.count<T>(0)));
    ub.store(run, 0, c);
}
CASE("progression/float", progression<float>)
CASE("progression/int32_t", progression<int32_t>)

template <class T>
void brcb(const Case& run) {
    Scratch ub;
    auto a = ub.load<T>(run, 0);
    auto c = ub.load<T>(run, 1);
    Brcb(c, a, static_cast<uint8_t>(run.count<T>(0) / 8), BrcbRepeatParams{1, 8});
    ub.store(run, 1, c);
}
CASE("brcb/half", brcb<half>)
CASE("brcb/float", brcb<float>)

template <class T>
void compare(const Case& run) {
    Scratch ub;
    auto a = ub.load<T>(run, 0), b = ub.load<T>(run, 1);
    auto c = ub.load<uint8_t>(run, 2);
    Compare(c, a, b, run.parameter<CMPMODE>(0), run.count<T>(0));
    ub.store(run, 2, c);
}
template <class T>
void compare_scalar(const Case& run) {
    Scratch ub;
    auto a = ub.load<T>(run, 0);
    auto c = ub.load<uint8_t>(run, 1);
    CompareScalar(c, a, static_cast<T>(run.parameter<float>(1)), run.parameter<CMPMODE>(0), run.count<T>(0));
    ub.store(run, 1, c);
}
CASE("compare/half", compare<half>)
CASE("compare/float", compare<float>)
CASE("compare/int32_t", compare<int32_t>)
CASE("compare_scalar/half", compare_scalar<half>)
CASE("compare_scalar/float", compare_scalar<float>)

template <class T>
void select_tensor(const Case& run) {
    Scratch ub;
    auto mask = ub.load<uint8_t>(run, 0);
    auto a = ub.load<T>(run, 1), b = ub.load<T>(run, 2), c = ub.load<T>(run, 3);
    Select(c, mask, a, b, run.parameter<SELMODE>(0), run.count<T>(1));
    ub.store(run, 3, c);
}
template <class T>
void select_value(const Case& run) {
    Scratch ub;
    auto mask = ub.load<uint8_t>(run, 0);
    auto a = ub.load<T>(run, 1), c = ub.load<T>(run, 2);
    Select(c, mask, a, static_cast<T>(run.parameter<float>(0)), SELMODE::VSEL_TENSOR_SCALAR_MODE,
           run.count<T>(1));
    ub.store(run, 2, c);
}
CASE("select/half", select_tensor<half>)
CASE("select/float", select_tensor<float>)
CASE("select_scalar/half", select_value<half>)
CASE("select_scalar/float", select_value<float>)

/// Counter mode: the mask register holds the number of elements, repeats are ignored.
void counter_mode(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0), b = ub.load<float>(run, 1), c = ub.load<float>(run, 2);
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(run.parameter<int32_t>(0));
    Add<float, false>(c, a, b, MASK_PLACEHOLDER, 1, BinaryRepeatParams{1, 1, 1, 8, 8, 8});
    SetMaskNorm();
    ResetMask();
    ub.store(run, 2, c);
}
CASE("counter_mode", counter_mode)
