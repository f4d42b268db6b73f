// Parameter structures of the matrix instructions.
#pragma once

#include "twin/api/types.h"

/// What FixPipe does to an element on its way out of L0C.
enum QuantMode_t {
    NoQuant = 0,
    F322F16 = 1,
    VREQ8 = 2,
    REQ8 = 3,
    VDEQF16 = 4,
    DEQF16 = 5,
    F322BF16 = 16,
    VQF322B8_PRE = 23,
    QF322B8_PRE = 24
};

/// Padding of copies on architectures before this one.
enum class pad_t { PAD_NONE = 0 };

/// How a raw instruction treats the unit flag; in a parameter structure they are its numbers.
enum unit_flag_t { UFMode0 = 0, UFMode2 = 2, UFMode3 };

namespace AscendC {

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
    CO2Layout format;
};
inline constexpr FixpipeConfig CFG_NZ{CO2Layout::NZ};
inline constexpr FixpipeConfig CFG_ROW_MAJOR{CO2Layout::ROW_MAJOR};
inline constexpr FixpipeConfig CFG_COLUMN_MAJOR{CO2Layout::COLUMN_MAJOR};

enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };
enum class HF32Mode : uint8_t { DISABLE = 0, ENABLE = 1 };
enum class HF32TransMode : uint8_t { NEAREST_EVEN = 0, NEAREST_ZERO = 1 };

struct Dn2NzParams {
    uint16_t dnNum = 0;
    uint16_t nValue = 0;
    uint32_t dValue = 0;
    uint64_t srcDnMatrixStride = 0;
    uint64_t srcDValue = 0;
    uint16_t dstNzC0Stride = 0;
    uint16_t dstNzNStride = 0;
    uint32_t dstNzMatrixStride = 0;
    Dn2NzParams() = default;
    // Not an aggregate: DataCopy(dst, src, {1, length, 0, 0}) means DataCopyParams.
    Dn2NzParams(uint16_t matrices, uint16_t rows, uint32_t columns, uint64_t src_matrix_stride,
                uint64_t src_column, uint16_t dst_c0_stride, uint16_t dst_row_stride,
                uint32_t dst_matrix_stride)
        : dnNum(matrices),
          nValue(rows),
          dValue(columns),
          srcDnMatrixStride(src_matrix_stride),
          srcDValue(src_column),
          dstNzC0Stride(dst_c0_stride),
          dstNzNStride(dst_row_stride),
          dstNzMatrixStride(dst_matrix_stride) {}
};

struct LoadData2DParams {
    twin::Field<uint16_t> startIndex{0};
    twin::Field<uint16_t> dstGap{0};
    twin::Field<uint16_t> srcStride{0};
    bool ifTranspose = false;
    twin::Field<uint8_t> repeatTimes{0};
    uint8_t sid = 0;
    uint8_t addrMode = 0;
    LoadData2DParams() = default;
    LoadData2DParams(uint16_t start, uint8_t repeats, uint16_t src_stride, uint8_t, uint16_t dst_gap,
                     bool transpose, uint8_t address_mode)
        : startIndex(start),
          dstGap(dst_gap),
          srcStride(src_stride),
          ifTranspose(transpose),
          repeatTimes(repeats),
          addrMode(address_mode) {}
};
using LoadData2dParams = LoadData2DParams;

struct LoadData2dTransposeParams {
    twin::Field<uint16_t> startIndex{0};
    twin::Field<uint8_t> repeatTimes{0};
    twin::Field<uint16_t> srcStride{0};
    twin::Field<uint16_t> dstGap{0};
    twin::Field<uint16_t> dstFracGap{0};
    uint8_t addrMode = 0;
    LoadData2dTransposeParams() = default;
    LoadData2dTransposeParams(uint16_t start, uint8_t repeats, uint16_t src_stride, uint16_t dst_gap,
                              uint16_t dst_fractal_gap, uint8_t address_mode = 0)
        : startIndex(start),
          repeatTimes(repeats),
          srcStride(src_stride),
          dstGap(dst_gap),
          dstFracGap(dst_fractal_gap),
          addrMode(address_mode) {}
};

template <typename T>
struct LoadData3DParamsV2 {
    uint8_t padList[4] = {0, 0, 0, 0};  ///< left, right, top, bottom
    twin::Field<uint16_t> l1H{0};
    twin::Field<uint16_t> l1W{0};
    twin::Field<uint16_t> channelSize{0};
    twin::Field<uint16_t> kExtension{0};
    twin::Field<uint16_t> mExtension{0};
    twin::Field<uint16_t> kStartPt{0};
    twin::Field<uint16_t> mStartPt{0};
    twin::Field<uint8_t> strideW{1};
    twin::Field<uint8_t> strideH{1};
    twin::Field<uint8_t> filterW{1};
    twin::Field<uint8_t> filterH{1};
    twin::Field<uint8_t> dilationFilterW{1};
    twin::Field<uint8_t> dilationFilterH{1};
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue = 0;
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
    LoadData3DParamsV2() = default;
    LoadData3DParamsV2(const uint8_t pads[4], uint16_t l1_h, uint16_t l1_w, uint16_t channels,
                       uint16_t k_extension, uint16_t m_extension, uint16_t k_start, uint16_t m_start,
                       uint8_t stride_w, uint8_t stride_h, uint8_t filter_w, uint8_t filter_h,
                       uint8_t dilation_w, uint8_t dilation_h, bool transpose, bool small_k, T pad_value,
                       bool wide_filter = false, bool high_filter = false, bool right_matrix = false)
        : padList{pads[0], pads[1], pads[2], pads[3]},
          l1H(l1_h),
          l1W(l1_w),
          channelSize(channels),
          kExtension(k_extension),
          mExtension(m_extension),
          kStartPt(k_start),
          mStartPt(m_start),
          strideW(stride_w),
          strideH(stride_h),
          filterW(filter_w),
          filterH(filter_h),
          dilationFilterW(dilation_w),
          dilationFilterH(dilation_h),
          enTranspose(transpose),
          enSmallK(small_k),
          padValue(pad_value),
          filterSizeW(wide_filter),
          filterSizeH(high_filter),
          fMatrixCtrl(right_matrix) {}
};

struct LoadData3DParamsV2Pro {
    uint16_t channelSize = 0;
    bool enTranspose = false;
    bool enSmallK = false;
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
    uint64_t extConfig = 0;
    uint64_t filterConfig = 0x10101010101;
    LoadData3DParamsV2Pro() = default;
    LoadData3DParamsV2Pro(uint16_t channels, bool transpose, bool small_k, bool wide_filter, bool high_filter,
                          bool right_matrix, uint64_t ext_config, uint64_t filter_config)
        : channelSize(channels),
          enTranspose(transpose),
          enSmallK(small_k),
          filterSizeW(wide_filter),
          filterSizeH(high_filter),
          fMatrixCtrl(right_matrix),
          extConfig(ext_config),
          filterConfig(filter_config) {}
};

struct IsResetLoad3dConfig {
    bool isSetFMatrix = true;
    bool isSetPadding = true;
};
inline constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

struct MmadParams {
    twin::Field<uint16_t> m{0};
    twin::Field<uint16_t> n{0};
    twin::Field<uint16_t> k{0};
    bool isBias = false;
    int32_t fmOffset = 0;
    bool enSsparse = false;
    bool enWinogradA = false;
    bool enWinogradB = false;
    uint8_t unitFlag = 0;
    bool kDirectionAlign = false;
    bool cmatrixSource = false;
    bool cmatrixInitVal = true;
    MmadParams() = default;
    MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, bool add, int32_t, bool, bool, bool)
        : m(rows), n(columns), k(depth), isBias(add) {}
    MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, uint8_t unit_flag, bool from_bias,
               bool from_zero)
        : m(rows),
          n(columns),
          k(depth),
          unitFlag(unit_flag),
          cmatrixSource(from_bias),
          cmatrixInitVal(from_zero) {}
};

template <typename T>
struct InitConstValueParams {
    twin::Field<uint16_t> repeatTimes{0};
    twin::Field<uint16_t> blockNum{0};
    twin::Field<uint16_t> dstGap{0};
    T initValue = 0;
    InitConstValueParams() = default;
    InitConstValueParams(uint16_t repeats, uint16_t blocks, uint16_t gap, T value)
        : repeatTimes(repeats), blockNum(blocks), dstGap(gap), initValue(value) {}
};

// What copies from L0C to UB name, which this architecture cannot do: code for others is read here and never
// run.
enum class BlockMode {
    BLOCK_MODE_NORMAL = 0,
    BLOCK_MODE_MATRIX,
    BLOCK_MODE_VECTOR,
    BLOCK_MODE_SMALL_CHANNEL,
    BLOCK_MODE_DEPTHWISE
};
enum class DeqScale { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
struct DataCopyEnhancedParams {
    template <class... Fields>
    explicit DataCopyEnhancedParams(const Fields&...) {}
};

/// Parameters of an architecture before this one.
template <typename T>
struct FixpipeParams {
    template <class... Fields>
    explicit FixpipeParams(const Fields&...) {}
    struct {
        bool nz2ndEn;
        uint16_t ndNum, srcNdStride, dstNdStride, originalNSize;
    } nz2ndParams{};
    struct {
        int quantPre;
        uint64_t deqScalar;
    } quantParams{};
    bool reluEn = false;
    uint8_t unitFlag = 0;
};

struct FixpipeParamsV220 {
    twin::Field<uint16_t> nSize{0};
    twin::Field<uint16_t> mSize{0};
    twin::Field<uint16_t> srcStride{0};
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    twin::Field<uint16_t> ndNum{1};
    twin::Field<uint16_t> srcNdStride{0};
    twin::Field<uint16_t> dstNdStride{0};
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;
    FixpipeParamsV220() = default;
    FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src_stride, uint32_t dst_stride, bool relu)
        : nSize(n), mSize(m), srcStride(src_stride), dstStride(dst_stride), reluEn(relu) {}
    FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src_stride, uint32_t dst_stride, bool relu,
                      QuantMode_t quant, int64_t scalar, uint16_t matrices, uint16_t src_matrix_stride,
                      uint16_t dst_matrix_stride, uint8_t unit_flag, bool channel_split = false)
        : nSize(n),
          mSize(m),
          srcStride(src_stride),
          dstStride(dst_stride),
          quantPre(quant),
          deqScalar(static_cast<uint64_t>(scalar)),
          ndNum(matrices),
          srcNdStride(src_matrix_stride),
          dstNdStride(dst_matrix_stride),
          reluEn(relu),
          unitFlag(unit_flag),
          isChannelSplit(channel_split) {}
};

struct DataCopyCO12DstParams {
    uint8_t sid = 0;
    twin::Field<uint16_t> nSize{0};
    twin::Field<uint16_t> mSize{0};
    uint32_t dstStride = 0;
    twin::Field<uint16_t> srcStride{0};
    uint8_t unitFlag = 0;
    uint8_t clipReluPre = 0;
    uint8_t eltWiseOp = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false;
    bool nz2ndEn = false;
    DataCopyCO12DstParams() = default;
    DataCopyCO12DstParams(uint16_t n, uint16_t m, uint32_t dst_stride, uint16_t src_stride, QuantMode_t quant,
                          uint8_t relu, bool channel_split, bool to_nd)
        : nSize(n),
          mSize(m),
          dstStride(dst_stride),
          srcStride(src_stride),
          quantPre(quant),
          reluPre(relu),
          channelSplit(channel_split),
          nz2ndEn(to_nd) {}
};

}  // namespace AscendC
