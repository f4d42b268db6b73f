// Enumerations, constants and parameter structures of the kernel API.
#pragma once

#include <cstdint>
#include <type_traits>

#include "twin/api/field.h"
#include "twin/api/language.h"
#include "twin/core/buffer.h"
#include "twin/core/floats.h"

namespace AscendC {

using ::bfloat16_t;
using ::half;
using ::int4b_t;
using TEventID = int8_t;
using TTagType = int32_t;

enum class TPosition : uint8_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    C2PIPE2GM,
    C2PIPE2LOCAL,
    MAX
};
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };
enum class RoundMode : uint8_t {
    CAST_NONE = 0,
    CAST_RINT,
    CAST_FLOOR,
    CAST_CEIL,
    CAST_ROUND,
    CAST_TRUNC,
    CAST_ODD
};
enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class ReduceOrder : uint8_t {
    ORDER_VALUE_INDEX = 0,
    ORDER_INDEX_VALUE,
    ORDER_ONLY_VALUE,
    ORDER_ONLY_INDEX
};
constexpr uint32_t CACHE_LINE_SIZE = 64;
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class CacheMode : uint8_t { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1 };
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };
enum class MemDsbT : uint64_t { ALL = 0, DDR, UB, SEQ };
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
enum class PaddingMode : uint8_t { Normal = 0, Compact };

constexpr int AIC = 1, AIV = 2, MIX = 0;
constexpr int32_t ONE_BLK_SIZE = 32, DEFAULT_C0_SIZE = 32, DEFAULT_BLOCK_SIZE = 256;
constexpr int32_t ONE_BYTE_BIT_SIZE = 8, ONE_REPEAT_BYTE_SIZE = 256, DEFAULT_BLK_NUM = 8,
                  DEFAULT_BLK_STRIDE = 1;
constexpr int32_t DEFAULT_REPEAT_STRIDE = 8, MAX_REPEAT_TIMES = 255;
/// Bits of float values that have no number.
constexpr uint32_t F32_INF = 0x7f800000, F32_NEG_INF = 0xff800000, F32_NAN = 0x7fc00000;
constexpr int32_t BLOCK_CUBE = 16, TOTAL_UB_SIZE = 196608, TOTAL_L1_SIZE = 524288, TOTAL_L0A_SIZE = 65536,
                  TOTAL_L0B_SIZE = 65536, TOTAL_L0C_SIZE = 131072, TMP_UB_SIZE = 8192;
constexpr int32_t TOTAL_VEC_LOCAL_SIZE = TOTAL_UB_SIZE - TMP_UB_SIZE;
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr int32_t BRCB_BROADCAST_NUMBER = 8;
constexpr int32_t HALF_FACTOR = 2;
constexpr int32_t HALF_DEFAULT_REPEAT_STRIDE = 4, ONE_FOURTH_DEFAULT_REPEAT_STRIDE = 2,
                  DEFAULT_DATA_COPY_STRIDE = 0, NCHW_CONV_ADDR_LIST_SIZE = 16;
constexpr int32_t ONE_BLK_FLOAT_NUM = 8, ONE_BLK_HALF_NUM = 16;
constexpr TEventID INVALID_TEVENTID = -1;
/// How DropOut reads its mask.
constexpr uint32_t DROPOUT_MODE_BYTE_MISALIGN = 1, DROPOUT_MODE_BYTE_ALIGN = 2, DROPOUT_MODE_BIT_ALIGN = 3,
                   DROPOUT_MODE_BIT_MISALIGN = 4;
constexpr uint8_t DEFAULT_DATA_COPY_NBURST = 1;
constexpr uint64_t FULL_MASK = 0xffffffffffffffffull;

/// Shape note of a tensor; nothing in the simulation depends on it.
struct ShapeInfo {
    uint8_t shapeDim = 0;
    uint8_t originalShapeDim = 0;
    uint32_t shape[8] = {};
    uint32_t originalShape[8] = {};
    DataFormat dataFormat = DataFormat::ND;

    ShapeInfo() = default;
    ShapeInfo(uint8_t dims, const uint32_t sizes[], DataFormat format = DataFormat::ND)
        : ShapeInfo(dims, sizes, dims, sizes, format) {}
    ShapeInfo(uint8_t dims, const uint32_t sizes[], uint8_t original_dims, const uint32_t original[],
              DataFormat format)
        : shapeDim(dims), originalShapeDim(original_dims), dataFormat(format) {
        for (int i = 0; i < dims && i < 8; ++i) shape[i] = sizes[i];
        for (int i = 0; i < original_dims && i < 8; ++i) originalShape[i] = original[i];
    }
};

struct DataCopyParams {
    twin::Field<uint16_t> blockCount{1};
    twin::Field<uint16_t> blockLen{0};
    union {
        twin::Field<uint16_t> srcStride{0};
        twin::Field<uint16_t> srcGap;  ///< the same by its other name
    };
    union {
        twin::Field<uint16_t> dstStride{0};
        twin::Field<uint16_t> dstGap;
    };
    DataCopyParams() = default;
    DataCopyParams(uint16_t count, uint16_t len, uint16_t src_stride, uint16_t dst_stride)
        : blockCount(count), blockLen(len), srcStride(src_stride), dstStride(dst_stride) {}
};

struct DataCopyExtParams {
    twin::Field<uint16_t> blockCount{1};
    uint32_t blockLen = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    uint32_t rsv = 0;
    DataCopyExtParams() = default;
    DataCopyExtParams(uint16_t count, uint32_t len, uint32_t src_stride, uint32_t dst_stride,
                      uint32_t reserved)
        : blockCount(count), blockLen(len), srcStride(src_stride), dstStride(dst_stride), rsv(reserved) {}
};

struct DataCopyPadParams {
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
    DataCopyPadParams() = default;
    DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

template <typename T>
struct DataCopyPadExtParams {
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue{};
    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

/// One dimension of a slice: elements (rows, ...) from startIndex to endIndex, in pieces `stride` apart.
/// `burstLen` is the length of a piece of the innermost dimension in 32-byte blocks, 1 in the others.
struct SliceInfo {
    uint32_t startIndex = 0;
    uint32_t endIndex = 0;
    uint32_t stride = 0;
    uint32_t burstLen = 0;
    uint32_t shapeValue = 0;
};
constexpr uint32_t K_MAX_DIM = 8;

struct Nd2NzParams {
    twin::Field<uint16_t> ndNum{0};
    twin::Field<uint16_t> nValue{0};
    twin::Field<uint16_t> dValue{0};
    twin::Field<uint16_t> srcNdMatrixStride{0};
    twin::Field<uint16_t> srcDValue{0};
    twin::Field<uint16_t> dstNzC0Stride{0};
    twin::Field<uint16_t> dstNzNStride{0};
    twin::Field<uint16_t> dstNzMatrixStride{0};
    Nd2NzParams() = default;
    Nd2NzParams(uint16_t matrices, uint16_t rows, uint16_t columns, uint16_t src_matrix_stride,
                uint16_t src_row, uint16_t dst_c0_stride, uint16_t dst_row_stride, uint16_t dst_matrix_stride)
        : ndNum(matrices),
          nValue(rows),
          dValue(columns),
          srcNdMatrixStride(src_matrix_stride),
          srcDValue(src_row),
          dstNzC0Stride(dst_c0_stride),
          dstNzNStride(dst_row_stride),
          dstNzMatrixStride(dst_matrix_stride) {}
};

struct CopyRepeatParams {
    twin::Field<uint16_t> dstStride{1};
    twin::Field<uint16_t> srcStride{1};
    twin::Field<uint16_t> dstRepeatSize{8};
    twin::Field<uint16_t> srcRepeatSize{8};
    CopyRepeatParams() = default;
    CopyRepeatParams(uint16_t dst_stride, uint16_t src_stride, uint16_t dst_repeat, uint16_t src_repeat)
        : dstStride(dst_stride),
          srcStride(src_stride),
          dstRepeatSize(dst_repeat),
          srcRepeatSize(src_repeat) {}
};

struct UnaryRepeatParams {
    twin::Field<uint16_t> dstBlkStride{1};
    twin::Field<uint16_t> srcBlkStride{1};
    twin::Field<uint8_t> dstRepStride{8};
    twin::Field<uint8_t> srcRepStride{8};
    uint32_t blockNumber = 8;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
    bool halfBlock = false;
    UnaryRepeatParams() = default;
    UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep)
        : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep) {}
    UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep, bool half_block)
        : dstBlkStride(dst_blk),
          srcBlkStride(src_blk),
          dstRepStride(dst_rep),
          srcRepStride(src_rep),
          halfBlock(half_block) {}
};

struct BinaryRepeatParams {
    uint32_t blockNumber = 8;
    twin::Field<uint8_t> dstBlkStride{1};
    twin::Field<uint8_t> src0BlkStride{1};
    twin::Field<uint8_t> src1BlkStride{1};
    twin::Field<uint8_t> dstRepStride{8};
    twin::Field<uint8_t> src0RepStride{8};
    twin::Field<uint8_t> src1RepStride{8};
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
    BinaryRepeatParams() = default;
    BinaryRepeatParams(uint8_t dst_blk, uint8_t src0_blk, uint8_t src1_blk, uint8_t dst_rep, uint8_t src0_rep,
                       uint8_t src1_rep)
        : dstBlkStride(dst_blk),
          src0BlkStride(src0_blk),
          src1BlkStride(src1_blk),
          dstRepStride(dst_rep),
          src0RepStride(src0_rep),
          src1RepStride(src1_rep) {}
};

struct BrcbRepeatParams {
    twin::Field<uint16_t> dstBlkStride{1};
    twin::Field<uint16_t> dstRepStride{8};
    uint32_t blockNumber = 8;
    BrcbRepeatParams() = default;
    BrcbRepeatParams(uint16_t blk, uint16_t rep) : dstBlkStride(blk), dstRepStride(rep) {}
};

struct GatherRepeatParams {
    uint32_t blockNumber = 8;
    twin::Field<uint16_t> dstRepStride{8};
    twin::Field<uint8_t> dstBlkStride{1};
    twin::Field<uint8_t> src0BlkStride{1};
    twin::Field<uint8_t> src1BlkStride{1};
    twin::Field<uint8_t> src0RepStride{8};
    twin::Field<uint8_t> src1RepStride{8};
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
    GatherRepeatParams() = default;
    GatherRepeatParams(uint8_t blk, uint8_t rep) : dstRepStride(rep), dstBlkStride(blk) {}
};

struct GatherMaskParams {
    twin::Field<uint8_t> src0BlockStride{1};
    twin::Field<uint16_t> repeatTimes{0};
    twin::Field<uint16_t> src0RepeatStride{8};
    twin::Field<uint8_t> src1RepeatStride{8};
    GatherMaskParams() = default;
    GatherMaskParams(uint8_t block_stride, uint16_t repeats, uint16_t src0_repeat, uint8_t src1_repeat)
        : src0BlockStride(block_stride),
          repeatTimes(repeats),
          src0RepeatStride(src0_repeat),
          src1RepeatStride(src1_repeat) {}
};

struct TransDataTo5HDParams {
    bool dstHighHalf = false;
    bool srcHighHalf = false;
    twin::Field<uint8_t> repeatTimes{1};
    twin::Field<uint16_t> dstRepStride{0};
    twin::Field<uint16_t> srcRepStride{0};
    TransDataTo5HDParams() = default;
    TransDataTo5HDParams(bool dst_high, bool src_high, uint8_t repeats, uint16_t dst_rep, uint16_t src_rep)
        : dstHighHalf(dst_high),
          srcHighHalf(src_high),
          repeatTimes(repeats),
          dstRepStride(dst_rep),
          srcRepStride(src_rep) {}
};

template <typename First, typename Second>
struct IsSameType {
    static constexpr bool value = std::is_same<First, Second>::value;
};
template <bool condition, typename First, typename Second>
using Conditional = std::conditional<condition, First, Second>;

constexpr uint32_t AlignUp(uint32_t value, uint32_t unit) {
    return unit == 0 ? value : (value + unit - 1) / unit * unit;
}
template <typename First, typename Second>
constexpr auto CeilDivision(First value, Second unit) -> decltype(value / unit) {
    return unit == 0 ? value : (value + unit - 1) / unit;
}
template <typename First, typename Second,
          typename = std::enable_if_t<std::is_integral<First>::value && std::is_integral<Second>::value>>
constexpr uint32_t Ceil(First value, Second unit) {
    return static_cast<uint32_t>(unit == 0 ? value : (value + unit - 1) / unit);
}
template <typename First, typename Second>
constexpr auto DivCeil(First value, Second unit) -> decltype(value / unit) {
    return unit == 0 ? value : (value + unit - 1) / unit;
}

}  // namespace AscendC

namespace twin {

/// On-chip memory behind a logical position.
constexpr MemoryKind memory_of(AscendC::TPosition position) {
    switch (position) {
        case AscendC::TPosition::A1:
        case AscendC::TPosition::B1:
        case AscendC::TPosition::C1:
        case AscendC::TPosition::TSCM:
        case AscendC::TPosition::SPM:
            return MemoryKind::L1;
        case AscendC::TPosition::A2:
            return MemoryKind::L0A;
        case AscendC::TPosition::B2:
            return MemoryKind::L0B;
        case AscendC::TPosition::C2:
            return MemoryKind::BT;
        case AscendC::TPosition::CO1:
            return MemoryKind::L0C;
        case AscendC::TPosition::C2PIPE2GM:
            return MemoryKind::FB;
        default:
            return MemoryKind::UB;
    }
}

constexpr const char* position_name(AscendC::TPosition position) {
    constexpr const char* names[] = {"GM",  "A1",    "A2",     "B1",      "B2",  "C1",   "C2",       "CO1",
                                     "CO2", "VECIN", "VECOUT", "VECCALC", "SPM", "TSCM", "C2PIPE2GM"};
    const auto index = static_cast<size_t>(position);
    return index < sizeof names / sizeof names[0] ? names[index] : "?";
}

}  // namespace twin
