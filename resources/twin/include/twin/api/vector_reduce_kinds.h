// Reductions of repeats, 32-byte blocks and pairs under one name each, the operation as a template argument.
#pragma once

#include "twin/api/vector_reduce.h"

namespace AscendC {

enum class ReduceType : uint8_t { SUM = 0, MAX, MIN };

template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src, twin::Mask mask,
                  const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                  const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                  const twin::Site& site = twin::Site::here()) {
    static_assert(std::is_same<T, U>::value, "ReduceRepeat: source and destination have one type");
    TWIN_CALL(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order, site);
    const auto step = static_cast<uint32_t>(dstRepStride);
    const auto frame =
        twin::make_frame<isSetMask>(mask, twin::checked_repeats(repeatTime, "ReduceRepeat", site),
                                    twin::lanes_of(sizeof(T)), "ReduceRepeat", site);
    const twin::Operand<T> from{src, {uint32_t(srcBlkStride), uint32_t(srcRepStride)}};
    if constexpr (reduceType == ReduceType::SUM) {
        twin::whole_sum("ReduceRepeat", site, frame, dst, step, from);
    } else {
        twin::whole_extreme<reduceType == ReduceType::MAX>("ReduceRepeat", site, frame, dst, step, from,
                                                           order);
    }
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<U>& src, twin::Mask mask,
                     const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                     const int32_t srcRepStride, const twin::Site& site = twin::Site::here()) {
    static_assert(std::is_same<T, U>::value, "ReduceDataBlock: source and destination have one type");
    TWIN_CALL(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, site);
    const auto step = static_cast<uint32_t>(dstRepStride);
    const auto frame =
        twin::make_frame<isSetMask>(mask, twin::checked_repeats(repeatTime, "ReduceDataBlock", site),
                                    twin::lanes_of(sizeof(T)), "ReduceDataBlock", site);
    const twin::Operand<T> from{src, {uint32_t(srcBlkStride), uint32_t(srcRepStride)}};
    if constexpr (reduceType == ReduceType::SUM) {
        twin::block_reduce("ReduceDataBlock", site, frame, dst, step, from, twin::BlockSum{});
    } else {
        constexpr bool kMaximum = reduceType == ReduceType::MAX;
        twin::block_reduce("ReduceDataBlock", site, frame, dst, step, from, twin::BlockExtreme<kMaximum>{});
    }
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
void ReducePairElem(const LocalTensor<T>& dst, const LocalTensor<U>& src, twin::Mask mask,
                    const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                    const int32_t srcRepStride, const twin::Site& site = twin::Site::here()) {
    static_assert(std::is_same<T, U>::value, "ReducePairElem: source and destination have one type");
    static_assert(reduceType == ReduceType::SUM, "ReducePairElem: ReduceType::SUM only");
    PairReduceSum<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride, site);
}

}  // namespace AscendC
