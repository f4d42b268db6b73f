// Names below the documented interface that operator libraries use all the same: address registers of the
// transpose unit and implementation functions that take raw addresses.
#pragma once

#include "twin/api/data_copy.h"
#include "twin/api/legacy.h"
#include "twin/api/scalar.h"
#include "twin/api/vector_binary.h"
#include "twin/api/vector_fill.h"
#include "twin/api/vector_transpose.h"

/// Leading zeros of 64 bits.
inline int64_t clz(uint64_t value) { return AscendC::CountLeadingZero(value); }

/// Registers that hold eight row addresses each.
enum ub_addr8_t { VA0 = 0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

namespace twin {

inline void set_row_addresses(uint32_t target, const UbAddresses<8>& addresses) {
    TWIN_CALL(target, addresses);
    core().vector.row_addresses[target % 8] = addresses.at;
}

/// Sixteen rows at the addresses in `source` and the register behind it become columns at those in `target`.
template <class T>
void transpose_registers(uint32_t target, uint32_t source, uint8_t repeats, uint16_t target_stride,
                         uint16_t source_stride, const Site& site) {
    TWIN_CALL(target, source, repeats, target_stride, source_stride, site);
    Rows targets, sources;
    const auto& registers = core().vector.row_addresses;
    for (uint32_t row = 0; row < kTransposedRows; ++row) {
        targets.set(row, ub_place(registers[(target + row / 8) % 8][row % 8]));
        sources.set(row, ub_place(registers[(source + row / 8) % 8][row % 8]));
    }
    AscendC::TransDataTo5HDParams params;
    params.repeatTimes = repeats;
    params.dstRepStride = target_stride;
    params.srcRepStride = source_stride;
    transpose_rows<T>(targets, sources, params, site);
}

/// `count` elements of on-chip memory at a raw address.
template <class T>
AscendC::LocalTensor<T> tensor_at(T* address, uint32_t count) {
    View view;
    view.data = bytes_at(address);
    view.limit = kUbBytes;
    return AscendC::LocalTensor<T>(view, count, AscendC::TPosition::VECCALC);
}

template <class T>
AscendC::GlobalTensor<T> global_at(__gm__ T* address) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(address);
    return tensor;
}

}  // namespace twin

inline void set_va_reg_sb(ub_addr8_t target, uint64_t* addresses) {
    twin::UbAddresses<8> eight;
    std::copy(addresses, addresses + 8, eight.at.begin());
    twin::set_row_addresses(target, eight);
}
inline void scatter_vnchwconv_b16(ub_addr8_t target, ub_addr8_t source, uint8_t repeats,
                                  uint16_t target_stride, uint16_t source_stride,
                                  const twin::Site& site = twin::Site::here()) {
    twin::transpose_registers<uint16_t>(target, source, repeats, target_stride, source_stride, site);
}
inline void scatter_vnchwconv_b32(ub_addr8_t target, ub_addr8_t source, uint8_t repeats,
                                  uint16_t target_stride, uint16_t source_stride,
                                  const twin::Site& site = twin::Site::here()) {
    twin::transpose_registers<uint32_t>(target, source, repeats, target_stride, source_stride, site);
}

// Instructions of the device compiler; the lanes come from the mask register. Strides are in 32-byte blocks.
template <typename T>
void vector_dup(T* target, std::common_type_t<T> value, uint8_t repeats, uint16_t block_stride, uint16_t,
                uint8_t repeat_stride, uint8_t, const twin::Site& site = twin::Site::here()) {
    AscendC::Duplicate<T, false>(twin::tensor_at(target, twin::kUbBytes / sizeof(T)), T(value),
                                 AscendC::MASK_PLACEHOLDER, repeats, block_stride, repeat_stride, site);
}
template <typename T>
void vor(T* target, T* first, T* second, uint8_t repeats, uint8_t target_block, uint8_t first_block,
         uint8_t second_block, uint8_t target_repeat, uint8_t first_repeat, uint8_t second_repeat,
         const twin::Site& site = twin::Site::here()) {
    constexpr uint32_t kAll = twin::kUbBytes / sizeof(T);
    AscendC::Or<T, false>(twin::tensor_at(target, kAll), twin::tensor_at(first, kAll),
                          twin::tensor_at(second, kAll), AscendC::MASK_PLACEHOLDER, repeats,
                          AscendC::BinaryRepeatParams(target_block, first_block, second_block, target_repeat,
                                                      first_repeat, second_repeat),
                          site);
}
template <typename T, typename S>
void copy_ubuf_to_ubuf(T* target, S* source, uint8_t, uint16_t count, uint16_t blocks, uint16_t source_gap,
                       uint16_t target_gap, const twin::Site& site = twin::Site::here()) {
    using Bytes = int16_t;
    AscendC::DataCopy(twin::tensor_at(reinterpret_cast<Bytes*>(target), twin::kUbBytes / sizeof(Bytes)),
                      twin::tensor_at(reinterpret_cast<Bytes*>(source), twin::kUbBytes / sizeof(Bytes)),
                      AscendC::DataCopyParams(count, blocks, source_gap, target_gap), site);
}
inline void vtranspose(uint16_t* target, uint16_t* source, const twin::Site& site = twin::Site::here()) {
    AscendC::Transpose(twin::tensor_at(target, 256), twin::tensor_at(source, 256), site);
}

/// Which results vcmax and vcmin leave.
enum class Order_t { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };

namespace twin {

/// Runs `take(values, lanes, count, repeat)` for every repeat of a reduction that leaves its result in a
/// register.
template <class T, class Take>
void reduce_to_register(const char* call, const Site& site, const Frame& frame, const Operand<T>& source,
                        Take take) {
    Instruction instruction(Pipe::V, call, site);
    check_read(instruction, frame, source);
    issue_vector(instruction, kReduceRate, charged_elements(frame), sizeof(T));
    T values[lanes_of(sizeof(T))];
    uint32_t lanes[lanes_of(sizeof(T))];
    for (uint32_t repeat = 0; repeat < frame.repeats; ++repeat) {
        take(values, lanes, active_values(values, lanes, frame, repeat, source), repeat);
    }
}

/// Extreme of every repeat to `target`, or of all repeats to the registers alone where that has no memory.
template <bool maximum, class T>
void raw_extreme(const char* call, const Site& site, const AscendC::LocalTensor<T>& target,
                 const AscendC::LocalTensor<T>& source, uint8_t repeats, uint16_t target_stride,
                 uint16_t block_stride, uint16_t repeat_stride, uint32_t order) {
    TWIN_CALL(call, site, target, source, repeats, target_stride, block_stride, repeat_stride, order);
    const Frame frame = Frame::registers(repeats, lanes_of(sizeof(T)), call, site);
    const Operand<T> operand{source, {block_stride, repeat_stride}};
    if (target.view().data != nullptr) {
        constexpr AscendC::ReduceOrder kOrders[] = {
            AscendC::ReduceOrder::ORDER_VALUE_INDEX, AscendC::ReduceOrder::ORDER_INDEX_VALUE,
            AscendC::ReduceOrder::ORDER_ONLY_VALUE, AscendC::ReduceOrder::ORDER_ONLY_INDEX};
        whole_extreme<maximum>(call, site, frame, target, target_stride, operand, kOrders[order % 4]);
        return;
    }
    reduce_to_register(call, site, frame, operand,
                       [](const T* values, const uint32_t* lanes, uint32_t count, uint32_t repeat) {
                           const auto best = find_extreme<maximum>(values, count);
                           const double value = static_cast<float>(best.value),
                                        kept = core().vector.reduce_value;
                           if (repeat == 0 || is_more_extreme<maximum>(value, kept)) {
                               keep_extreme(value, repeat * lanes_of(sizeof(T)) + lanes[best.index]);
                           }
                       });
}

/// Sum of every repeat to `target`, or of all of them into the accumulator register.
template <class T>
void raw_sum(const Site& site, const AscendC::LocalTensor<T>& target, const AscendC::LocalTensor<T>& source,
             uint8_t repeats, uint16_t target_stride, uint16_t block_stride, uint16_t repeat_stride,
             bool accumulate) {
    TWIN_CALL(site, target, source, repeats, target_stride, block_stride, repeat_stride, accumulate);
    const auto frame = Frame::registers(repeats, lanes_of(sizeof(T)), "vcadd", site);
    const Operand<T> operand{source, {block_stride, repeat_stride}};
    if (!accumulate) {
        whole_sum("vcadd", site, frame, target, target_stride, operand);
        return;
    }
    float sum = 0;
    reduce_to_register("vcadd", site, frame, operand,
                       [&](T* values, const uint32_t*, uint32_t count, uint32_t) {
                           sum += static_cast<float>(tree_sum(values, count));
                       });
    keep_sum(sum);
}

}  // namespace twin

/// Sum of repeats: with `accumulate` of all of them into the accumulator register, otherwise one result per
/// repeat.
template <typename T>
void vcadd(__ubuf__ T* target, __ubuf__ T* source, uint8_t repeats, uint16_t target_stride,
           uint16_t block_stride, uint16_t repeat_stride, bool accumulate = false,
           const twin::Site& site = twin::Site::here()) {
    constexpr uint32_t kAll = twin::kUbBytes / sizeof(T);
    twin::raw_sum(site, twin::tensor_at(target, kAll), twin::tensor_at(source, kAll), repeats, target_stride,
                  block_stride, repeat_stride, accumulate);
}
/// The sum goes to the accumulator register alone.
template <typename T>
void vcadd(std::nullptr_t, __ubuf__ T* source, uint8_t repeats, uint16_t target_stride, uint16_t block_stride,
           uint16_t repeat_stride, bool accumulate, const twin::Site& site = twin::Site::here()) {
    vcadd(static_cast<T*>(nullptr), source, repeats, target_stride, block_stride, repeat_stride, accumulate,
          site);
}
/// Bits of the accumulator register.
inline int64_t get_acc_val(const twin::Site& site = twin::Site::here()) {
    return static_cast<int64_t>(AscendC::GetAccVal(site));
}

#define TWIN_RAW_EXTREME(NAME, MAXIMUM)                                                                    \
    template <typename T>                                                                                  \
    void NAME(__ubuf__ T* target, __ubuf__ T* source, uint8_t repeats, uint16_t target_stride,             \
              uint16_t block_stride, uint16_t repeat_stride, Order_t order,                                \
              const twin::Site& site = twin::Site::here()) {                                               \
        constexpr uint32_t kAll = twin::kUbBytes / sizeof(T);                                              \
        twin::raw_extreme<MAXIMUM>(#NAME, site, twin::tensor_at(target, kAll),                             \
                                   twin::tensor_at(source, kAll), repeats, target_stride, block_stride,    \
                                   repeat_stride, static_cast<uint32_t>(order));                           \
    }                                                                                                      \
    template <typename T>                                                                                  \
    void NAME(std::nullptr_t, __ubuf__ T* source, uint8_t repeats, uint16_t target_stride,                 \
              uint16_t block_stride, uint16_t repeat_stride, Order_t order,                                \
              const twin::Site& site = twin::Site::here()) {                                               \
        NAME(static_cast<T*>(nullptr), source, repeats, target_stride, block_stride, repeat_stride, order, \
             site);                                                                                        \
    }
TWIN_RAW_EXTREME(vcmax, true)
TWIN_RAW_EXTREME(vcmin, false)
#undef TWIN_RAW_EXTREME

/// Value (low half, as float) and position (high half) of the last vcmax or vcmin.
inline int64_t get_max_min_cnt(const twin::Site& site = twin::Site::here()) {
    const twin::ReducedValue last = twin::last_extreme("get_max_min_cnt", site);
    const uint64_t value = twin::float_bits(static_cast<float>(last.value));
    return static_cast<int64_t>(last.index << 32 | value);
}

namespace AscendC {

template <typename T>
void TransDataTo5HDImpl(T* (&targets)[16], T* (&sources)[16], const TransDataTo5HDParams& params,
                        const twin::Site& site = twin::Site::here()) {
    twin::Rows to, from;
    for (uint32_t row = 0; row < twin::kTransposedRows; ++row) {
        to.set(row, twin::bytes_at(targets[row]));
        from.set(row, twin::bytes_at(sources[row]));
    }
    twin::transpose_rows<T>(to, from, params, site);
}

template <typename T>
void DuplicateImpl(T* target, const T& value, int32_t count, const twin::Site& site = twin::Site::here()) {
    Duplicate(twin::tensor_at(target, static_cast<uint32_t>(count)), value, count, site);
}

template <typename T>
void DataCopyUB2GMImpl(__gm__ T* target, T* source, const DataCopyParams& params,
                       const twin::Site& site = twin::Site::here()) {
    DataCopy(twin::global_at(target), twin::tensor_at(source, twin::kUbBytes / sizeof(T)), params, site);
}
template <typename T>
void DataCopyGM2UBImpl(T* target, __gm__ T* source, const DataCopyParams& params,
                       const twin::Site& site = twin::Site::here()) {
    DataCopy(twin::tensor_at(target, twin::kUbBytes / sizeof(T)), twin::global_at(source), params, site);
}

}  // namespace AscendC
