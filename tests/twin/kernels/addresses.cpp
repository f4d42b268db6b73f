// Vector functions through pointers: each form gives what the ordinary call gives.
#include "case.h"

using namespace AscendC;
using cases::Case;
using cases::Scratch;

template <class T>
using Tensor = const LocalTensor<T>&;

// The documented parameters of each kind of function.
template <class T>
using Unary = void(Tensor<T>, Tensor<T>, const int32_t&);
template <class T>
using UnaryMask = void(Tensor<T>, Tensor<T>, uint64_t, uint8_t, const UnaryRepeatParams&);
template <class T>
using UnaryBits = void(Tensor<T>, Tensor<T>, uint64_t*, uint8_t, const UnaryRepeatParams&);
template <class T>
using Scalar = void(Tensor<T>, Tensor<T>, const T&, const int32_t&);
template <class T>
using ScalarMask = void(Tensor<T>, Tensor<T>, const T&, uint64_t, uint8_t, const UnaryRepeatParams&);
template <class T>
using Binary = void(Tensor<T>, Tensor<T>, Tensor<T>, const int32_t&);
template <class T>
using BinaryMask = void(Tensor<T>, Tensor<T>, Tensor<T>, uint64_t, uint8_t, const BinaryRepeatParams&);
template <class T>
using BinaryBits = void(Tensor<T>, Tensor<T>, Tensor<T>, uint64_t*, uint8_t, const BinaryRepeatParams&);
template <class T>
using Library = void(Tensor<T>, Tensor<T>, const uint32_t);
template <class T>
using LibraryWhole = void(Tensor<T>, Tensor<T>);
template <class T>
using LibraryTemporary = void(Tensor<T>, Tensor<T>, Tensor<uint8_t>, const uint32_t);
template <class T>
using LibraryPair = void(Tensor<T>, Tensor<T>, Tensor<T>, Tensor<uint8_t>, const uint32_t);

/// As kernels take a function: a template argument that is its address.
template <class T, Unary<T>* step>
struct Step {
    void operator()(Tensor<T> dst, Tensor<T> src, int32_t count) const { step(dst, src, count); }
};

/// Inputs 0 and 1, and the outputs: 2 by calls, 3 by pointers; `slices` of `kPart` elements each.
constexpr int32_t kPart = 128;
template <class T>
struct Work {
    explicit Work(const Case& run_) : run(run_), a(ub.load<T>(run, 0)), b(ub.load<T>(run, 1)) {
        for (auto* each : {&called, &pointed}) {
            *each = ub.make<T>(run.count<T>(2));
            Duplicate(*each, T(0), static_cast<int32_t>(run.count<T>(2)));
        }
        temporary = ub.make<uint8_t>(256);
        a.SetSize(kPart);
    }
    ~Work() {
        ub.store(run, 2, called);
        ub.store(run, 3, pointed);
    }

    Scratch ub;
    const Case& run;
    LocalTensor<T> a, b, called, pointed;
    LocalTensor<uint8_t> temporary;
    uint64_t bits[2] = {0x0f0f0f0f0f0f0f0f, 0};
    UnaryRepeatParams one{1, 1, 8, 8};
    BinaryRepeatParams two{1, 1, 1, 8, 8, 8};
};

#define ADDRESS_UNARY(NAME)                                     \
    template <class T>                                          \
    void NAME##_address(const Case& run) {                      \
        Work<T> w(run);                                         \
        NAME(w.called, w.a, kPart);                             \
        NAME(w.called[kPart], w.a, 40, 2, w.one);               \
        NAME(w.called[2 * kPart], w.a, w.bits, 2, w.one);       \
        Step<T, NAME>()(w.pointed, w.a, kPart);                 \
        UnaryMask<T>* masked = &NAME<T>;                        \
        masked(w.pointed[kPart], w.a, 40, 2, w.one);            \
        UnaryBits<T>* with_bits = NAME<T, true>;                \
        with_bits(w.pointed[2 * kPart], w.a, w.bits, 2, w.one); \
    }
#define ADDRESS_SCALAR(NAME)                               \
    template <class T>                                     \
    void NAME##_address(const Case& run) {                 \
        Work<T> w(run);                                    \
        NAME(w.called, w.a, T(3), kPart);                  \
        NAME(w.called[kPart], w.a, T(3), 40, 2, w.one);    \
        Scalar<T>* counted = NAME;                         \
        counted(w.pointed, w.a, T(3), kPart);              \
        ScalarMask<T>* masked = NAME<T, true>;             \
        masked(w.pointed[kPart], w.a, T(3), 40, 2, w.one); \
    }
#define ADDRESS_BINARY(NAME)                                         \
    template <class T>                                               \
    void NAME##_address(const Case& run) {                           \
        Work<T> w(run);                                              \
        NAME(w.called, w.a, w.b, kPart);                             \
        NAME(w.called[kPart], w.a, w.b, 40, 2, w.two);               \
        NAME(w.called[2 * kPart], w.a, w.b, w.bits, 2, w.two);       \
        Binary<T>* counted = NAME<T>;                                \
        counted(w.pointed, w.a, w.b, kPart);                         \
        BinaryMask<T>* masked = NAME;                                \
        masked(w.pointed[kPart], w.a, w.b, 40, 2, w.two);            \
        BinaryBits<T>* with_bits = NAME<T>;                          \
        with_bits(w.pointed[2 * kPart], w.a, w.b, w.bits, 2, w.two); \
    }
#define ADDRESS_LIBRARY(NAME)                                      \
    template <class T>                                             \
    void NAME##_address(const Case& run) {                         \
        Work<T> w(run);                                            \
        NAME(w.called, w.a, uint32_t(kPart - 8));                  \
        NAME(w.called[kPart], w.a);                                \
        NAME(w.called[2 * kPart], w.a, w.temporary, uint32_t(64)); \
        Library<T>* counted = NAME<T, false>;                      \
        counted(w.pointed, w.a, uint32_t(kPart - 8));              \
        LibraryWhole<T>* whole = NAME;                             \
        whole(w.pointed[kPart], w.a);                              \
        LibraryTemporary<T>* temporary = NAME<T>;                  \
        temporary(w.pointed[2 * kPart], w.a, w.temporary, 64);     \
    }
#define ADDRESS_LIBRARY_PAIR(NAME)                              \
    template <class T>                                          \
    void NAME##_address(const Case& run) {                      \
        Work<T> w(run);                                         \
        NAME(w.called, w.a, w.b, w.temporary, uint32_t(kPart)); \
        LibraryPair<T>* pair = NAME<T>;                         \
        pair(w.pointed, w.a, w.b, w.temporary, kPart);          \
    }

#define ADDRESS_CASE(KIND, NAME, TYPE) ADDRESS_##KIND(NAME) CASE(#NAME, NAME##_address<TYPE>)

ADDRESS_CASE(UNARY, Abs, half)
ADDRESS_CASE(UNARY, Exp, float)
ADDRESS_CASE(UNARY, Ln, float)
ADDRESS_CASE(UNARY, Sqrt, float)
ADDRESS_CASE(UNARY, Rsqrt, float)
ADDRESS_CASE(UNARY, Reciprocal, half)
ADDRESS_CASE(UNARY, Relu, int32_t)
ADDRESS_CASE(UNARY, Not, int16_t)
ADDRESS_CASE(SCALAR, Adds, int32_t)
ADDRESS_CASE(SCALAR, Muls, float)
ADDRESS_CASE(SCALAR, Maxs, half)
ADDRESS_CASE(SCALAR, Mins, float)
ADDRESS_CASE(SCALAR, LeakyRelu, float)
ADDRESS_CASE(SCALAR, ShiftLeft, int32_t)
ADDRESS_CASE(BINARY, Add, half)
ADDRESS_CASE(BINARY, Sub, int32_t)
ADDRESS_CASE(BINARY, Mul, float)
ADDRESS_CASE(BINARY, Div, float)
ADDRESS_CASE(BINARY, Max, float)
ADDRESS_CASE(BINARY, Min, int16_t)
ADDRESS_CASE(BINARY, And, uint16_t)
ADDRESS_CASE(BINARY, Or, int16_t)
ADDRESS_CASE(BINARY, AddRelu, float)
ADDRESS_CASE(BINARY, SubRelu, half)
ADDRESS_CASE(BINARY, FusedMulAdd, float)
ADDRESS_CASE(BINARY, FusedMulAddRelu, float)
ADDRESS_CASE(LIBRARY, Tanh, float)
ADDRESS_CASE(LIBRARY, Sin, float)
ADDRESS_CASE(LIBRARY, Cos, half)
ADDRESS_CASE(LIBRARY, Tan, float)
ADDRESS_CASE(LIBRARY, Sinh, float)
ADDRESS_CASE(LIBRARY, Cosh, float)
ADDRESS_CASE(LIBRARY, Asin, float)
ADDRESS_CASE(LIBRARY, Acos, float)
ADDRESS_CASE(LIBRARY, Atan, float)
ADDRESS_CASE(LIBRARY, Asinh, float)
ADDRESS_CASE(LIBRARY, Acosh, float)
ADDRESS_CASE(LIBRARY, Atanh, float)
ADDRESS_CASE(LIBRARY, Erf, float)
ADDRESS_CASE(LIBRARY, Erfc, half)
ADDRESS_CASE(LIBRARY, Floor, float)
ADDRESS_CASE(LIBRARY, Ceil, float)
ADDRESS_CASE(LIBRARY, Round, float)
ADDRESS_CASE(LIBRARY, Rint, float)
ADDRESS_CASE(LIBRARY, Trunc, float)
ADDRESS_CASE(LIBRARY, Frac, float)
ADDRESS_CASE(LIBRARY, Sign, float)
ADDRESS_CASE(LIBRARY, Log, float)
ADDRESS_CASE(LIBRARY, Log2, float)
ADDRESS_CASE(LIBRARY, Log10, half)
ADDRESS_CASE(LIBRARY, Lgamma, float)
ADDRESS_CASE(LIBRARY, Digamma, float)
ADDRESS_CASE(LIBRARY, Sigmoid, float)
ADDRESS_CASE(LIBRARY, Silu, float)
ADDRESS_CASE(LIBRARY_PAIR, Fmod, float)
ADDRESS_CASE(LIBRARY_PAIR, Hypot, float)
ADDRESS_CASE(LIBRARY_PAIR, Xor, int16_t)
ADDRESS_CASE(LIBRARY_PAIR, Power, float)
ADDRESS_CASE(LIBRARY_PAIR, GeGLU, float)
ADDRESS_CASE(LIBRARY_PAIR, ReGlu, float)

// Functions of forms of their own.
using GeluForm = void(Tensor<float>, Tensor<float>, Tensor<uint8_t>, const uint32_t);
using ClampForm = void(Tensor<float>, Tensor<float>, Tensor<uint8_t>, const float, const uint32_t);
using AxpyForm = void(Tensor<float>, Tensor<half>, const half&, const int32_t&);
using AccumulateForm = void(Tensor<float>, Tensor<half>, Tensor<half>, const int32_t&);
using CastForm = void(Tensor<float>, Tensor<half>, const RoundMode&, const uint32_t);
using CompareForm = void(Tensor<uint8_t>, Tensor<float>, const float, CMPMODE, uint32_t);
using FillForm = void(Tensor<float>, const float&, const int32_t&);
using SumForm = void(Tensor<float>, Tensor<float>, Tensor<float>, const int32_t);
using MostForm = void(Tensor<float>, Tensor<float>, Tensor<float>, const int32_t, bool);

void others(const Case& run) {
    Work<float> w(run);
    auto halves = w.ub.make<half>(kPart);
    auto ones = w.ub.make<uint8_t>(256);
    auto work = w.ub.make<float>(kPart);
    Cast(halves, w.a, RoundMode::CAST_NONE, uint32_t(kPart));
    LocalTensor<float>* results[] = {&w.called, &w.pointed};
    for (int way = 0; way < 2; ++way) {
        GeluForm* gelu = Gelu<float, false, false>;
        ClampForm* clamp = ClampMax;
        AxpyForm* axpy = Axpy<float, half>;
        AccumulateForm* accumulate = MulAddDst;
        CastForm* cast = Cast;
        CompareForm* compare = CompareScalar;
        FillForm* fill = Duplicate<float>;
        SumForm* sum = ReduceSum<float>;
        MostForm* most = ReduceMax;
        const LocalTensor<float>& z = *results[way];
        if (way == 1) {
            gelu(z, w.a, w.temporary, kPart);
            clamp(z[kPart], w.a, w.temporary, 0.75f, kPart);
            cast(z[2 * kPart], halves, RoundMode::CAST_NONE, kPart);
            axpy(z[2 * kPart], halves, half(2.0f), kPart);
            accumulate(z[2 * kPart], halves, halves, 64);
            compare(ones, w.a, 0.8f, CMPMODE::LT, kPart);
            fill(work, 1.0f, kPart);
        } else {
            Gelu(z, w.a, w.temporary, uint32_t(kPart));
            ClampMax(z[kPart], w.a, w.temporary, 0.75f, uint32_t(kPart));
            Cast(z[2 * kPart], halves, RoundMode::CAST_NONE, uint32_t(kPart));
            Axpy(z[2 * kPart], halves, half(2.0f), kPart);
            MulAddDst(z[2 * kPart], halves, halves, 64);
            CompareScalar(ones, w.a, 0.8f, CMPMODE::LT, kPart);
            Duplicate(work, 1.0f, kPart);
        }
        Select(work, ones, w.a, work, SELMODE::VSEL_TENSOR_TENSOR_MODE, kPart);
        if (way == 1) {
            sum(z[3 * kPart], work, work[64], 64);
            most(z[3 * kPart + 8], work, work[64], 64, true);
        } else {
            ReduceSum(z[3 * kPart], work, work[64], 64);
            ReduceMax(z[3 * kPart + 8], work, work[64], 64, true);
        }
    }
}
CASE("others", others)

/// A finding of a call through a pointer: the call reads beyond its tensor.
void misused(const Case& run) {
    Scratch ub;
    auto a = ub.load<float>(run, 0);
    Binary<float>* step = Add;
    Adds(a, a, 1.0f, 64);  // before the pointer
    step(a, a[4], a, 32);
}
CASE("misused", misused)
