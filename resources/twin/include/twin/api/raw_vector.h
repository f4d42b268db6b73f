// Instructions of the device compiler, as libraries below the documented interface call them: raw addresses,
// lanes from the mask registers, strides in 32-byte blocks. Each is the documented function over the same
// bytes, at the same cost.
#pragma once

#include "twin/api/raw_instructions.h"
#include "twin/api/system.h"
#include "twin/api/vector_cast.h"
#include "twin/api/vector_unary.h"

// Two sources.
#define TWIN_RAW_BINARY(RAW, NAME)                                                                       \
    template <typename T>                                                                                \
    void RAW(T* target, T* first, T* second, uint8_t repeats, uint8_t target_block, uint8_t first_block, \
             uint8_t second_block, uint8_t target_repeat, uint8_t first_repeat, uint8_t second_repeat,   \
             const twin::Site& site = twin::Site::here()) {                                              \
        constexpr uint32_t kAll = twin::kUbBytes / sizeof(T);                                            \
        AscendC::NAME<T, false>(twin::tensor_at(target, kAll), twin::tensor_at(first, kAll),             \
                                twin::tensor_at(second, kAll), AscendC::MASK_PLACEHOLDER, repeats,       \
                                AscendC::BinaryRepeatParams(target_block, first_block, second_block,     \
                                                            target_repeat, first_repeat, second_repeat), \
                                site);                                                                   \
    }
TWIN_RAW_BINARY(vadd, Add)
TWIN_RAW_BINARY(vsub, Sub)
TWIN_RAW_BINARY(vmul, Mul)
TWIN_RAW_BINARY(vdiv, Div)
TWIN_RAW_BINARY(vmax, Max)
TWIN_RAW_BINARY(vmin, Min)
TWIN_RAW_BINARY(vand, And)
#undef TWIN_RAW_BINARY

// One source.
#define TWIN_RAW_UNARY(RAW, NAME)                                                                          \
    template <typename T>                                                                                  \
    void RAW(T* target, T* source, uint8_t repeats, uint16_t target_block, uint16_t source_block,          \
             uint8_t target_repeat, uint8_t source_repeat, const twin::Site& site = twin::Site::here()) {  \
        constexpr uint32_t kAll = twin::kUbBytes / sizeof(T);                                              \
        AscendC::NAME<T, false>(                                                                           \
            twin::tensor_at(target, kAll), twin::tensor_at(source, kAll), AscendC::MASK_PLACEHOLDER,       \
            repeats, AscendC::UnaryRepeatParams(target_block, source_block, target_repeat, source_repeat), \
            site);                                                                                         \
    }
TWIN_RAW_UNARY(vabs, Abs)
TWIN_RAW_UNARY(vexp, Exp)
TWIN_RAW_UNARY(vln, Ln)
TWIN_RAW_UNARY(vrec, Reciprocal)
TWIN_RAW_UNARY(vrelu, Relu)
TWIN_RAW_UNARY(vrsqrt, Rsqrt)
TWIN_RAW_UNARY(vsqrt, Sqrt)
#undef TWIN_RAW_UNARY

// One source and a scalar.
#define TWIN_RAW_SCALAR(RAW, NAME)                                                                          \
    template <typename T>                                                                                   \
    void RAW(T* target, T* source, T value, uint8_t repeats, uint16_t target_block, uint16_t source_block,  \
             uint8_t target_repeat, uint8_t source_repeat, const twin::Site& site = twin::Site::here()) {   \
        constexpr uint32_t kAll = twin::kUbBytes / sizeof(T);                                               \
        AscendC::NAME<T, false>(                                                                            \
            twin::tensor_at(target, kAll), twin::tensor_at(source, kAll), value, AscendC::MASK_PLACEHOLDER, \
            repeats, AscendC::UnaryRepeatParams(target_block, source_block, target_repeat, source_repeat),  \
            site);                                                                                          \
    }
TWIN_RAW_SCALAR(vadds, Adds)
TWIN_RAW_SCALAR(vmuls, Muls)
TWIN_RAW_SCALAR(vmaxs, Maxs)
TWIN_RAW_SCALAR(vmins, Mins)
#undef TWIN_RAW_SCALAR

// Conversions; the letter at the end is the rounding.
#define TWIN_RAW_CAST(RAW, FROM, TO, ROUND)                                                                  \
    inline void RAW(TO* target, FROM* source, uint8_t repeats, uint16_t target_block, uint16_t source_block, \
                    uint8_t target_repeat, uint8_t source_repeat,                                            \
                    const twin::Site& site = twin::Site::here()) {                                           \
        AscendC::Cast<TO, FROM, false>(                                                                      \
            twin::tensor_at(target, twin::kUbBytes / sizeof(TO)),                                            \
            twin::tensor_at(source, twin::kUbBytes / sizeof(FROM)), AscendC::RoundMode::ROUND,               \
            AscendC::MASK_PLACEHOLDER, repeats,                                                              \
            AscendC::UnaryRepeatParams(target_block, source_block, target_repeat, source_repeat), site);     \
    }
TWIN_RAW_CAST(vconv_f162f32, half, float, CAST_NONE)
TWIN_RAW_CAST(vconv_f322f16, float, half, CAST_NONE)
TWIN_RAW_CAST(vconv_f322f16r, float, half, CAST_RINT)
TWIN_RAW_CAST(vconv_bf162f32, bfloat16_t, float, CAST_NONE)
TWIN_RAW_CAST(vconv_f322bf16r, float, bfloat16_t, CAST_RINT)
TWIN_RAW_CAST(vconv_f322s32r, float, int32_t, CAST_RINT)
TWIN_RAW_CAST(vconv_s322f32, int32_t, float, CAST_NONE)
#undef TWIN_RAW_CAST

/// Every element of a block of eight fills a block.
template <typename T>
void vbrcb(T* target, T* source, uint16_t target_block, uint16_t target_repeat, uint8_t repeats,
           const twin::Site& site = twin::Site::here()) {
    constexpr uint32_t kAll = twin::kUbBytes / sizeof(T);
    AscendC::Brcb(twin::tensor_at(target, kAll), twin::tensor_at(source, kAll), repeats,
                  AscendC::BrcbRepeatParams(target_block, target_repeat), site);
}

// Copies; lengths in 32-byte blocks, gaps behind a block.
template <typename T, typename S>
void copy_gm_to_ubuf(T* target, __gm__ S* source, uint8_t, uint16_t count, uint16_t blocks,
                     uint16_t source_gap, uint16_t target_gap, const twin::Site& site = twin::Site::here()) {
    using Bytes = int16_t;
    AscendC::DataCopy(twin::tensor_at(reinterpret_cast<Bytes*>(target), twin::kUbBytes / sizeof(Bytes)),
                      twin::global_at(reinterpret_cast<__gm__ Bytes*>(source)),
                      AscendC::DataCopyParams(count, blocks, source_gap, target_gap), site);
}
template <typename T, typename S>
void copy_ubuf_to_gm(__gm__ T* target, S* source, uint8_t, uint16_t count, uint16_t blocks,
                     uint16_t source_gap, uint16_t target_gap, const twin::Site& site = twin::Site::here()) {
    using Bytes = int16_t;
    AscendC::DataCopy(twin::global_at(reinterpret_cast<__gm__ Bytes*>(target)),
                      twin::tensor_at(reinterpret_cast<Bytes*>(source), twin::kUbBytes / sizeof(Bytes)),
                      AscendC::DataCopyParams(count, blocks, source_gap, target_gap), site);
}

// The same in bytes; gaps of on-chip memory in 32-byte blocks, those of global memory in bytes.
#define TWIN_RAW_COPY_ALIGNED(WIDTH, TYPE)                                                                 \
    inline void copy_ubuf_to_gm_align_b##WIDTH(                                                            \
        __gm__ void* target, void* source, uint8_t, uint16_t count, uint32_t bytes, uint8_t, uint8_t,      \
        uint32_t source_gap, uint32_t target_gap, const twin::Site& site = twin::Site::here()) {           \
        AscendC::DataCopyPad(twin::global_at(static_cast<__gm__ TYPE*>(target)),                           \
                             twin::tensor_at(static_cast<TYPE*>(source), twin::kUbBytes / sizeof(TYPE)),   \
                             AscendC::DataCopyExtParams(count, bytes, source_gap, target_gap, 0), site);   \
    }                                                                                                      \
    inline void copy_gm_to_ubuf_align_b##WIDTH(void* target, __gm__ void* source, uint8_t, uint16_t count, \
                                               uint32_t bytes, uint8_t left, uint8_t right,                \
                                               uint32_t source_gap, uint32_t target_gap,                   \
                                               const twin::Site& site = twin::Site::here()) {              \
        AscendC::DataCopyPad(                                                                              \
            twin::tensor_at(static_cast<TYPE*>(target), twin::kUbBytes / sizeof(TYPE)),                    \
            twin::global_at(static_cast<__gm__ TYPE*>(source)),                                            \
            AscendC::DataCopyExtParams(count, bytes, source_gap, target_gap, 0),                           \
            AscendC::DataCopyPadExtParams<TYPE>(left != 0 || right != 0, left, right, TYPE(0)), site);     \
    }
TWIN_RAW_COPY_ALIGNED(8, int8_t)
TWIN_RAW_COPY_ALIGNED(16, int16_t)
TWIN_RAW_COPY_ALIGNED(32, int32_t)
#undef TWIN_RAW_COPY_ALIGNED

/// The address of a place in UB.
inline uint64_t get_imm(uint64_t offset) {
    uint8_t* const begin = twin::core().memory(twin::MemoryKind::UB).base();
    return reinterpret_cast<uint64_t>(twin::lend_address(twin::MemoryKind::UB, begin + offset));
}

/// ICachePreLoad by its older names.
inline void icache_preload(int64_t units, const twin::Site& site = twin::Site::here()) {
    AscendC::ICachePreLoad(units, site);
}
#define PRELOAD(units) icache_preload(units)
/// Ends the kernel, as Trap does.
[[noreturn]] inline void trap(const twin::Site& site = twin::Site::here()) { AscendC::Trap(site); }

/// Waits for a cross-core flag, and raises one: bits 4 and 5 of `config` are the mode, those from 8 on the
/// flag.
inline void wait_flag_dev(uint16_t flag, const twin::Site& site = twin::Site::here()) {
    twin::cross_core_wait(flag, "wait_flag_dev", site);
}
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t config, const twin::Site& site = twin::Site::here()) {
    twin::cross_core_set(static_cast<uint8_t>(config >> 4 & 3), pipe, static_cast<uint16_t>(config >> 8 & 15),
                         "ffts_cross_core_sync", site);
}
