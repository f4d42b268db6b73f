// Moving data between global memory and the core: DataCopy and DataCopyPad.
#pragma once

#include "twin/api/vector_frame.h"

namespace twin {

/// Blocks of a strided transfer. Steps are distances between block starts, in bytes.
struct Transfer {
    uint64_t blocks = 1;
    uint64_t bytes = 0;  ///< of every block
    int64_t source_step = 0;
    int64_t target_step = 0;
    uint64_t left = 0;              ///< padding in front of every block in on-chip memory
    uint64_t right = 0;             ///< padding behind it
    const uint8_t* fill = nullptr;  ///< one element of padding; nullptr leaves it undefined
    uint32_t fill_bytes = 1;
};

/// Adds, maximises or minimises `bytes` bytes of source elements into the target.
using Combine = void (*)(uint8_t* target, const uint8_t* source, uint64_t bytes, AtomicMode mode);

void copy_in(const char* call, const Site& site, const View& target, const uint8_t* source,
             const Transfer& transfer);
void copy_out(const char* call, const Site& site, uint8_t* target, const View& source,
              const Transfer& transfer, Combine combine);
void copy_inside(const char* call, const Site& site, const View& target, const View& source,
                 const Transfer& transfer);

/// Into the bias table (blocks of 64 bytes) or the FixPipe buffer (128 bytes); see cube.h.
void load_table(const char* call, const Site& site, const View& target, const View& source, uint64_t blocks,
                uint64_t bytes, uint64_t source_gap, uint64_t target_gap, bool widen);
inline bool is_table(const View& view) { return view.kind == MemoryKind::BT || view.kind == MemoryKind::FB; }

/// Whether this core runs matrix instructions; see cube.h. The same for copies between GM and UB.
bool runs_matrix(const char* call, const Site& site);
bool runs_vector_copy(const char* call, const Site& site);

/// Whole blocks in `elements` elements; a remainder is dropped by the device and worth a finding.
uint64_t whole_blocks(uint64_t elements, size_t element_bytes, const char* call, const Site& site);

/// Limits of the transfer descriptor.
void check_descriptor(uint64_t blocks, uint64_t bytes, uint64_t most_bytes, const char* call,
                      const Site& site);

template <class T>
void combine_elements(uint8_t* target, const uint8_t* source, uint64_t bytes, AtomicMode mode) {
    for (uint64_t offset = 0; offset + sizeof(T) <= bytes; offset += sizeof(T)) {
        T old, add;
        std::memcpy(static_cast<void*>(&old), target + offset, sizeof(T));
        std::memcpy(static_cast<void*>(&add), source + offset, sizeof(T));
        const Compute<T> a = old, b = add;
        T result;
        if (mode == AtomicMode::add) {
            result = static_cast<T>(a + b);
        } else if (a != a || b != b) {  // NaN stays, whichever copy brings it
            result = a != a ? old : add;
        } else if (mode == AtomicMode::max) {
            result = static_cast<T>(a > b ? a : b);
        } else {
            result = static_cast<T>(a < b ? a : b);
        }
        std::memcpy(target + offset, static_cast<const void*>(&result), sizeof(T));
    }
}

template <class T>
constexpr Combine combine_of() {
    if constexpr (is_one_of<T, float, half, bfloat16_t, int8_t, int16_t, int32_t>) return combine_elements<T>;
    return nullptr;
}

inline Transfer contiguous(uint64_t blocks) {
    Transfer transfer;
    transfer.bytes = blocks * kBlockBytes;
    return transfer;
}

inline Transfer strided(const AscendC::DataCopyParams& params, const char* call, const Site& site) {
    check_descriptor(params.blockCount, params.blockLen, 65535, call, site);
    Transfer transfer;
    transfer.blocks = params.blockCount;
    transfer.bytes = uint64_t(params.blockLen) * kBlockBytes;
    transfer.source_step = (int64_t(params.blockLen) + params.srcStride) * int64_t(kBlockBytes);
    transfer.target_step = (int64_t(params.blockLen) + params.dstStride) * int64_t(kBlockBytes);
    return transfer;
}

inline int64_t align_block(uint64_t bytes) {
    return static_cast<int64_t>((bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes);
}

/// DataCopyPad into the core: gaps count bytes on the GM side and 32-byte blocks on the UB side.
template <class Params>
Transfer padded_in(const Params& params, uint64_t left, uint64_t right, const uint8_t* fill,
                   uint32_t fill_bytes) {
    Transfer transfer;
    transfer.blocks = params.blockCount;
    transfer.bytes = params.blockLen;
    transfer.left = left * fill_bytes;
    transfer.right = right * fill_bytes;
    transfer.fill = fill;
    transfer.fill_bytes = fill_bytes;
    transfer.source_step = int64_t(params.blockLen) + int64_t(params.srcStride);
    transfer.target_step = align_block(transfer.left + transfer.bytes + transfer.right) +
                           int64_t(params.dstStride) * int64_t(kBlockBytes);
    return transfer;
}

template <class Params>
Transfer padded_out(const Params& params) {
    Transfer transfer;
    transfer.blocks = params.blockCount;
    transfer.bytes = params.blockLen;
    transfer.source_step = align_block(params.blockLen) + int64_t(params.srcStride) * int64_t(kBlockBytes);
    transfer.target_step = int64_t(params.blockLen) + int64_t(params.dstStride);
    return transfer;
}

/// What DataCopyPad fills with: the value of the call, else the one of SetPadValue, else nothing certain.
inline const uint8_t* padding_of(bool is_pad, const void* value, size_t bytes) {
    if (is_pad) return static_cast<const uint8_t*>(value);
    return core().gm.pad_bytes == bytes ? core().gm.pad_value.data() : nullptr;
}

constexpr uint64_t kMostPadBytes = 2097151;  // [guide] DataCopyExtParams.blockLen

template <class T>
const uint8_t* bytes_of(const AscendC::GlobalTensor<T>& tensor) {
    return reinterpret_cast<const uint8_t*>(tensor.GetPhyAddr());
}
template <class T>
uint8_t* target_of(const AscendC::GlobalTensor<T>& tensor) {
    return reinterpret_cast<uint8_t*>(tensor.GetPhyAddr(0));
}

}  // namespace twin

namespace AscendC {

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, count, site);
    const uint64_t blocks = twin::whole_blocks(count, sizeof(T), "DataCopy", site);
    twin::copy_in("DataCopy", site, dst.view(), twin::bytes_of(src), twin::contiguous(blocks));
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, params, site);
    twin::copy_in("DataCopy", site, dst.view(), twin::bytes_of(src), twin::strided(params, "DataCopy", site));
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, count, site);
    const uint64_t blocks = twin::whole_blocks(count, sizeof(T), "DataCopy", site);
    twin::copy_out("DataCopy", site, twin::target_of(dst), src.view(), twin::contiguous(blocks),
                   twin::combine_of<T>());
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, params, site);
    twin::copy_out("DataCopy", site, twin::target_of(dst), src.view(),
                   twin::strided(params, "DataCopy", site), twin::combine_of<T>());
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, count, site);
    const uint64_t blocks = twin::whole_blocks(count, sizeof(T), "DataCopy", site);
    if (twin::is_table(dst.view())) {
        twin::load_table("DataCopy", site, dst.view(), src.view(), 1, blocks * twin::kBlockBytes, 0, 0,
                         false);
        return;
    }
    twin::copy_inside("DataCopy", site, dst.view(), src.view(), twin::contiguous(blocks));
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, params, site);
    if (twin::is_table(dst.view())) {
        const uint64_t unit = dst.view().kind == twin::MemoryKind::BT ? 64 : 128;
        twin::load_table("DataCopy", site, dst.view(), src.view(), params.blockCount, params.blockLen * unit,
                         params.srcStride, params.dstStride, false);
        return;
    }
    twin::copy_inside("DataCopy", site, dst.view(), src.view(), twin::strided(params, "DataCopy", site));
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
                 const DataCopyPadExtParams<T>& pad, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, params, pad, site);
    twin::check_descriptor(params.blockCount, params.blockLen, twin::kMostPadBytes, "DataCopyPad", site);
    const T value = pad.paddingValue;
    const auto* fill = twin::padding_of(pad.isPad, &value, sizeof(T));
    twin::copy_in("DataCopyPad", site, dst.view(), twin::bytes_of(src),
                  twin::padded_in(params, pad.leftPadding, pad.rightPadding, fill, sizeof(T)));
}
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
                 const DataCopyPadParams& pad, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, params, pad, site);
    twin::check_descriptor(params.blockCount, params.blockLen, 65535, "DataCopyPad", site);
    const auto* fill = twin::padding_of(pad.isPad, &pad.paddingValue, sizeof(T));
    twin::copy_in("DataCopyPad", site, dst.view(), twin::bytes_of(src),
                  twin::padded_in(params, pad.leftPadding, pad.rightPadding, fill, sizeof(T)));
}
template <typename T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& params,
                 const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, params, site);
    twin::check_descriptor(params.blockCount, params.blockLen, twin::kMostPadBytes, "DataCopyPad", site);
    twin::copy_out("DataCopyPad", site, twin::target_of(dst), src.view(), twin::padded_out(params),
                   twin::combine_of<T>());
}
template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                 const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, params, site);
    twin::check_descriptor(params.blockCount, params.blockLen, 65535, "DataCopyPad", site);
    twin::copy_out("DataCopyPad", site, twin::target_of(dst), src.view(), twin::padded_out(params),
                   twin::combine_of<T>());
}

/// Value that DataCopyPad fills with when its own parameters have none.
template <typename T, TPosition pos = TPosition::MAX>
void SetPadValue(T paddingValue) {
    TWIN_CALL(paddingValue);
    static_assert(sizeof(T) <= sizeof(twin::core().gm.pad_value), "SetPadValue: at most 64 bits");
    std::memcpy(twin::core().gm.pad_value.data(), &paddingValue, sizeof(T));
    twin::core().gm.pad_bytes = sizeof(T);
}

}  // namespace AscendC

namespace twin {

/// Copy in counter mode, unlike other instructions: every repeat copies `count` elements, block by block.
template <class T>
void copy_by_count(const Site& site, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                   uint64_t count, uint32_t repeats, const AscendC::CopyRepeatParams& params) {
    struct Piece {
        uint64_t target, source, bytes;
    };
    Instruction instruction(Pipe::V, "Copy", site);
    std::vector<Piece> pieces;
    for (uint64_t repeat = 0; repeat < repeats; ++repeat) {
        for (uint64_t block = 0; block * kBlockBytes < count * sizeof(T); ++block) {
            const uint64_t left = count * sizeof(T) - block * kBlockBytes;
            pieces.push_back({(repeat * params.dstRepeatSize + block * params.dstStride) * kBlockBytes,
                              (repeat * params.srcRepeatSize + block * params.srcStride) * kBlockBytes,
                              std::min<uint64_t>(left, kBlockBytes)});
            instruction.read_aligned(src.view(), pieces.back().source, pieces.back().bytes);
            instruction.write_aligned(dst.view(), pieces.back().target, pieces.back().bytes);
        }
    }
    issue_vector(instruction, kFullRate, repeats * count, sizeof(T));
    for (const Piece& piece : pieces) {
        std::memmove(dst.view().data + piece.target, src.view().data + piece.source, piece.bytes);
    }
}

template <bool set_mask, class T>
void copy_masked(const Site& site, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                 Mask mask, uint32_t repeats, const AscendC::CopyRepeatParams& params) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Copy: 16-bit and 32-bit data only");
    if (core().vector.mask.counter) {
        copy_by_count(site, dst, src, set_mask ? mask.elements() : core().vector.mask.low, repeats, params);
        return;
    }
    const auto frame = make_frame<set_mask>(mask, repeats, lanes_of(sizeof(T)), "Copy", site);
    map_unary("Copy", site, kFullRate, frame, Operand<T>{dst, {params.dstStride, params.dstRepeatSize}},
              Operand<T>{src, {params.srcStride, params.srcRepeatSize}}, [](auto value) { return value; });
}

}  // namespace twin

namespace AscendC {

/// Vector copy inside UB with mask, repeats and strides.
template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, twin::Mask mask, const uint8_t repeatTime,
          const CopyRepeatParams& params, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, mask, repeatTime, params, site);
    twin::copy_masked<isSetMask>(site, dst, src, mask, repeatTime, params);
}

// Atomic mode of the following copies to global memory.
template <typename T>
void SetAtomicAdd() {
    TWIN_CALL();
    twin::core().gm.atomic = twin::AtomicMode::add;
}
template <typename T>
void SetAtomicMax() {
    TWIN_CALL();
    twin::core().gm.atomic = twin::AtomicMode::max;
}
template <typename T>
void SetAtomicMin() {
    TWIN_CALL();
    twin::core().gm.atomic = twin::AtomicMode::min;
}
template <typename T>
void SetAtomicType() {}
inline void SetAtomicNone() {
    TWIN_CALL();
    twin::core().gm.atomic = twin::AtomicMode::none;
}
inline void DisableDmaAtomic() { SetAtomicNone(); }

}  // namespace AscendC
