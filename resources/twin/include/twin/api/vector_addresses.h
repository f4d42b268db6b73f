// Functions of exactly the documented parameters, for what takes their address.
//
// Ordinary calls pick the overloads that know their line by a hidden last argument, and a pointer type has no
// place for that. So every documented form has a second function without it, whose return type is a template
// parameter: a call cannot deduce it, taking an address can. Only addresses ever pick these, as in
// `Kernel<float, Div>` or `void (*step)(...) = Add<half>`. Findings name the line of the call before.
#pragma once

#include "twin/api/vector_binary.h"
#include "twin/api/vector_cast.h"
#include "twin/api/vector_compare.h"
#include "twin/api/vector_reduce_tensor.h"
#include "twin/api/vector_unary.h"

#define TWIN_LIST(...) __VA_ARGS__

/// A function that calls `NAME<EXPLICIT>` with the arguments; the other lists are in parentheses.
#define TWIN_ADDRESS(NAME, TEMPLATE, EXPLICIT, PARAMETERS, ...)         \
    template <TWIN_LIST TEMPLATE, typename AddressOnly,                 \
              std::enable_if_t<std::is_void_v<AddressOnly>, int> = 0>   \
    AddressOnly NAME PARAMETERS {                                       \
        NAME<TWIN_LIST EXPLICIT>(__VA_ARGS__, twin::after_last_call()); \
    }

namespace AscendC {

// Two sources: repeats with a count mask or a bit mask, and an element count.
#define TWIN_BINARY_ADDRESSES(NAME)                                                                  \
    TWIN_ADDRESS(NAME, (typename T, bool isSetMask = true), (T, isSetMask),                          \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
                  uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams& params),        \
                 dst, src0, src1, mask, repeatTime, params)                                          \
    TWIN_ADDRESS(NAME, (typename T, bool isSetMask = true), (T, isSetMask),                          \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
                  uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& params),      \
                 dst, src0, src1, mask, repeatTime, params)                                          \
    TWIN_ADDRESS(NAME, (typename T), (T),                                                            \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
                  const int32_t& count),                                                             \
                 dst, src0, src1, count)

TWIN_BINARY_ADDRESSES(Add)
TWIN_BINARY_ADDRESSES(Sub)
TWIN_BINARY_ADDRESSES(Mul)
TWIN_BINARY_ADDRESSES(Div)
TWIN_BINARY_ADDRESSES(Max)
TWIN_BINARY_ADDRESSES(Min)
TWIN_BINARY_ADDRESSES(And)
TWIN_BINARY_ADDRESSES(Or)
TWIN_BINARY_ADDRESSES(AddRelu)
TWIN_BINARY_ADDRESSES(SubRelu)
TWIN_BINARY_ADDRESSES(FusedMulAdd)
TWIN_BINARY_ADDRESSES(FusedMulAddRelu)

#undef TWIN_BINARY_ADDRESSES

// One source.
#define TWIN_UNARY_ADDRESSES(NAME)                                                                       \
    TWIN_ADDRESS(NAME, (typename T, bool isSetMask = true), (T, isSetMask),                              \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask,                   \
                  const uint8_t repeatTime, const UnaryRepeatParams& params),                            \
                 dst, src, mask, repeatTime, params)                                                     \
    TWIN_ADDRESS(NAME, (typename T, bool isSetMask = true), (T, isSetMask),                              \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[],                 \
                  const uint8_t repeatTime, const UnaryRepeatParams& params),                            \
                 dst, src, mask, repeatTime, params)                                                     \
    TWIN_ADDRESS(NAME, (typename T), (T),                                                                \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count), dst, src, \
                 count)

TWIN_UNARY_ADDRESSES(Abs)
TWIN_UNARY_ADDRESSES(Exp)
TWIN_UNARY_ADDRESSES(Ln)
TWIN_UNARY_ADDRESSES(Sqrt)
TWIN_UNARY_ADDRESSES(Rsqrt)
TWIN_UNARY_ADDRESSES(Reciprocal)
TWIN_UNARY_ADDRESSES(Relu)
TWIN_UNARY_ADDRESSES(Not)

#undef TWIN_UNARY_ADDRESSES

// One source and a scalar of its type.
#define TWIN_SCALAR_ADDRESSES(NAME)                                                                          \
    TWIN_ADDRESS(NAME, (typename T, bool isSetMask = true), (T, isSetMask),                                  \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask, \
                  const uint8_t repeatTime, const UnaryRepeatParams& params),                                \
                 dst, src, scalarValue, mask, repeatTime, params)                                            \
    TWIN_ADDRESS(NAME, (typename T, bool isSetMask = true), (T, isSetMask),                                  \
                 (const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,                \
                  uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& params),               \
                 dst, src, scalarValue, mask, repeatTime, params)                                            \
    TWIN_ADDRESS(                                                                                            \
        NAME, (typename T, bool isSetMask = true), (T, isSetMask),                                           \
        (const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count),  \
        dst, src, scalarValue, count)

TWIN_SCALAR_ADDRESSES(Adds)
TWIN_SCALAR_ADDRESSES(Muls)
TWIN_SCALAR_ADDRESSES(Maxs)
TWIN_SCALAR_ADDRESSES(Mins)
TWIN_SCALAR_ADDRESSES(LeakyRelu)
TWIN_SCALAR_ADDRESSES(ShiftLeft)

#undef TWIN_SCALAR_ADDRESSES

TWIN_ADDRESS(ShiftRight, (typename T, bool isSetMask = true), (T, isSetMask),
             (const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
              const uint8_t repeatTime, const UnaryRepeatParams& params, bool roundEn),
             dst, src, scalarValue, mask, repeatTime, params, roundEn)
TWIN_ADDRESS(ShiftRight, (typename T, bool isSetMask = true), (T, isSetMask),
             (const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],
              const uint8_t repeatTime, const UnaryRepeatParams& params, bool roundEn),
             dst, src, scalarValue, mask, repeatTime, params, roundEn)
TWIN_ADDRESS(ShiftRight, (typename T, bool isSetMask = true), (T, isSetMask),
             (const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,
              const int32_t& count),
             dst, src, scalarValue, count)

// Sources of another type.
TWIN_ADDRESS(MulAddDst, (typename T, typename U, bool isSetMask = true), (T, U, isSetMask),
             (const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
              uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams& params),
             dst, src0, src1, mask, repeatTime, params)
TWIN_ADDRESS(MulAddDst, (typename T, typename U, bool isSetMask = true), (T, U, isSetMask),
             (const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
              const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& params),
             dst, src0, src1, mask, repeatTime, params)
TWIN_ADDRESS(MulAddDst, (typename T, typename U), (T, U),
             (const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
              const int32_t& count),
             dst, src0, src1, count)
TWIN_ADDRESS(Axpy, (typename T, typename U, bool isSetMask = true), (T, U, isSetMask),
             (const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask,
              const uint8_t repeatTime, const UnaryRepeatParams& params),
             dst, src, scalarValue, mask, repeatTime, params)
TWIN_ADDRESS(Axpy, (typename T, typename U, bool isSetMask = true), (T, U, isSetMask),
             (const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask[],
              const uint8_t repeatTime, const UnaryRepeatParams& params),
             dst, src, scalarValue, mask, repeatTime, params)
TWIN_ADDRESS(Axpy, (typename T, typename U), (T, U),
             (const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
              const int32_t& count),
             dst, src, scalarValue, count)
TWIN_ADDRESS(Cast, (typename T, typename U, bool isSetMask = true), (T, U, isSetMask),
             (const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
              const uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& params),
             dst, src, roundMode, mask, repeatTime, params)
TWIN_ADDRESS(Cast, (typename T, typename U, bool isSetMask = true), (T, U, isSetMask),
             (const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
              const uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& params),
             dst, src, roundMode, mask, repeatTime, params)
TWIN_ADDRESS(Cast, (typename T, typename U), (T, U),
             (const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
              const uint32_t count),
             dst, src, roundMode, count)
TWIN_ADDRESS(Compare, (typename T, typename U, bool isSetMask = true), (T, U, isSetMask),
             (const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
              CMPMODE cmpMode, const uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& params),
             dst, src0, src1, cmpMode, mask, repeatTime, params)
TWIN_ADDRESS(Compare, (typename T, typename U, bool isSetMask = true), (T, U, isSetMask),
             (const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
              CMPMODE cmpMode, const uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams& params),
             dst, src0, src1, cmpMode, mask, repeatTime, params)
TWIN_ADDRESS(Compare, (typename T, typename U), (T, U),
             (const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
              CMPMODE cmpMode, uint32_t count),
             dst, src0, src1, cmpMode, count)
TWIN_ADDRESS(CompareScalar, (typename T, typename U, bool isSetMask = true), (T, U, isSetMask),
             (const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
              const uint64_t mask, uint8_t repeatTime, const UnaryRepeatParams& params),
             dst, src0, src1Scalar, cmpMode, mask, repeatTime, params)
TWIN_ADDRESS(CompareScalar, (typename T, typename U, bool isSetMask = true), (T, U, isSetMask),
             (const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
              const uint64_t mask[], uint8_t repeatTime, const UnaryRepeatParams& params),
             dst, src0, src1Scalar, cmpMode, mask, repeatTime, params)
TWIN_ADDRESS(CompareScalar, (typename T, typename U, bool isSetMask = true), (T, U, isSetMask),
             (const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
              uint32_t count),
             dst, src0, src1Scalar, cmpMode, count)

// No source, and whole-tensor reductions.
TWIN_ADDRESS(Duplicate, (typename T), (T),
             (const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count), dst, scalarValue, count)
TWIN_ADDRESS(Duplicate, (typename T, bool isSetMask = true), (T, isSetMask),
             (const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
              const uint16_t dstBlockStride, const uint8_t dstRepeatStride),
             dst, scalarValue, mask, repeatTime, dstBlockStride, dstRepeatStride)
TWIN_ADDRESS(Duplicate, (typename T, bool isSetMask = true), (T, isSetMask),
             (const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
              const uint16_t dstBlockStride, const uint8_t dstRepeatStride),
             dst, scalarValue, mask, repeatTime, dstBlockStride, dstRepeatStride)
TWIN_ADDRESS(ReduceSum, (typename T, bool isSetMask = true), (T, isSetMask),
             (const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
              const int32_t count),
             dst, src, sharedTmpBuffer, count)
TWIN_ADDRESS(ReduceMax, (typename T), (T),
             (const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
              const int32_t count, bool calIndex),
             dst, src, sharedTmpBuffer, count, calIndex)
TWIN_ADDRESS(ReduceMin, (typename T), (T),
             (const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
              const int32_t count, bool calIndex),
             dst, src, sharedTmpBuffer, count, calIndex)

}  // namespace AscendC
