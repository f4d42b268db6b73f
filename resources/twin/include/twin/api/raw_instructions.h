// Names below the documented interface that operator libraries use all the same: address registers of the transpose
// unit and implementation functions that take raw addresses.
#pragma once

#include "twin/api/data_copy.h"
#include "twin/api/vector_binary.h"
#include "twin/api/vector_fill.h"
#include "twin/api/vector_transpose.h"

/// Registers that hold eight row addresses each.
enum ub_addr8_t { VA0 = 0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

inline void set_va_reg_sb(ub_addr8_t target, uint64_t* addresses) {
    auto& registers = twin::core().row_addresses;
    std::copy(addresses, addresses + 8, registers[static_cast<size_t>(target)].begin());
}

namespace twin {

/// Sixteen rows at the addresses in `source` and the register behind it become columns at those in `target`.
template <class T>
void transpose_registers(ub_addr8_t target, ub_addr8_t source, uint8_t repeats, uint16_t target_stride,
                         uint16_t source_stride, const Site& site) {
    uint8_t* targets[16];
    const uint8_t* sources[16];
    const auto& registers = core().row_addresses;
    for (size_t row = 0; row < 16; ++row) {
        targets[row] = reinterpret_cast<uint8_t*>(registers[(target + row / 8) % 8][row % 8]);
        sources[row] = reinterpret_cast<const uint8_t*>(registers[(source + row / 8) % 8][row % 8]);
    }
    AscendC::TransDataTo5HDParams params;
    params.repeatTimes = repeats;
    params.dstRepStride = target_stride;
    params.srcRepStride = source_stride;
    transpose_rows<T>(site, targets, sources, params);
}

/// `count` elements of on-chip memory at a raw address.
template <class T>
AscendC::LocalTensor<T> tensor_at(T* address, uint32_t count) {
    View view;
    view.data = reinterpret_cast<uint8_t*>(address);
    view.limit = kUbBytes;
    return AscendC::LocalTensor<T>(view, count, AscendC::TPosition::VECCALC);
}

template <class T>
AscendC::GlobalTensor<T> global_at(T* address) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(address);
    return tensor;
}

}  // namespace twin

inline void scatter_vnchwconv_b16(ub_addr8_t target, ub_addr8_t source, uint8_t repeats, uint16_t target_stride,
                                  uint16_t source_stride, const twin::Site& site = twin::Site::here()) {
    twin::transpose_registers<uint16_t>(target, source, repeats, target_stride, source_stride, site);
}
inline void scatter_vnchwconv_b32(ub_addr8_t target, ub_addr8_t source, uint8_t repeats, uint16_t target_stride,
                                  uint16_t source_stride, const twin::Site& site = twin::Site::here()) {
    twin::transpose_registers<uint32_t>(target, source, repeats, target_stride, source_stride, site);
}

// Instructions of the device compiler; the lanes come from the mask register. Strides are in 32-byte blocks.
template <typename T>
void vector_dup(T* target, T value, uint8_t repeats, uint16_t block_stride, uint16_t, uint8_t repeat_stride, uint8_t,
                const twin::Site& site = twin::Site::here()) {
    AscendC::Duplicate<T, false>(twin::tensor_at(target, twin::kUbBytes / sizeof(T)), value,
                                 AscendC::MASK_PLACEHOLDER, repeats, block_stride, repeat_stride, site);
}
template <typename T>
void vor(T* target, T* first, T* second, uint8_t repeats, uint8_t target_block, uint8_t first_block,
         uint8_t second_block, uint8_t target_repeat, uint8_t first_repeat, uint8_t second_repeat,
         const twin::Site& site = twin::Site::here()) {
    constexpr uint32_t kAll = twin::kUbBytes / sizeof(T);
    AscendC::Or<T, false>(
        twin::tensor_at(target, kAll), twin::tensor_at(first, kAll), twin::tensor_at(second, kAll),
        AscendC::MASK_PLACEHOLDER, repeats,
        AscendC::BinaryRepeatParams(target_block, first_block, second_block, target_repeat, first_repeat, second_repeat),
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

namespace AscendC {

template <typename T>
void TransDataTo5HDImpl(T* (&targets)[16], T* (&sources)[16], const TransDataTo5HDParams& params,
                        const twin::Site& site = twin::Site::here()) {
    uint8_t* to[16];
    const uint8_t* from[16];
    for (int row = 0; row < 16; ++row) {
        to[row] = reinterpret_cast<uint8_t*>(targets[row]);
        from[row] = reinterpret_cast<const uint8_t*>(sources[row]);
    }
    twin::transpose_rows<T>(site, to, from, params);
}

template <typename T>
void DuplicateImpl(T* target, const T& value, int32_t count, const twin::Site& site = twin::Site::here()) {
    Duplicate(twin::tensor_at(target, static_cast<uint32_t>(count)), value, count, site);
}

template <typename T>
void DataCopyUB2GMImpl(T* target, T* source, const DataCopyParams& params,
                       const twin::Site& site = twin::Site::here()) {
    DataCopy(twin::global_at(target), twin::tensor_at(source, twin::kUbBytes / sizeof(T)), params, site);
}
template <typename T>
void DataCopyGM2UBImpl(T* target, T* source, const DataCopyParams& params,
                       const twin::Site& site = twin::Site::here()) {
    DataCopy(twin::tensor_at(target, twin::kUbBytes / sizeof(T)), twin::global_at(source), params, site);
}

}  // namespace AscendC
