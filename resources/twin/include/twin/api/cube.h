// The matrix instructions: loading fractals into L0A and L0B, Mmad, FixPipe.
//
// Fractals are 512 bytes (1024 in L0C). With c0 = 32 bytes / element size:
//   L1   Nz: columns of c0 elements, rows one behind the other in a column
//   L0A  Zz: 16 x c0 fractals, row by row; rows of a fractal one behind the other
//   L0B  Zn: c0 x 16 fractals (K x N), row by row; columns of a fractal one behind the other
//   L0C  Nz: 16 x 16 fractals, column by column
#pragma once

#include "twin/api/cube_types.h"
#include "twin/api/data_copy.h"
#include "twin/api/sync.h"

namespace twin {

/// Element types of the cube side.
enum class CubeType : uint8_t { f16, bf16, f32, i8, i32, other };

template <class T>
constexpr CubeType cube_type() {
    if (std::is_same<T, half>::value) return CubeType::f16;
    if (std::is_same<T, bfloat16_t>::value) return CubeType::bf16;
    if (std::is_same<T, float>::value) return CubeType::f32;
    if (std::is_same<T, int8_t>::value) return CubeType::i8;
    if (std::is_same<T, int32_t>::value) return CubeType::i32;
    return CubeType::other;
}

/// An ND (or DN) matrix in global memory on its way into Nz. Strides of the source count elements.
struct NdMatrix {
    uint64_t matrices, rows, columns;
    uint64_t matrix_stride, row_stride, column_stride;
    uint64_t target_column_blocks, target_row_blocks, target_matrix;  ///< 32 bytes, 32 bytes, elements
};

/// LoadData into L0A or L0B. Units: fractals of 512 bytes; with `square`, groups of fractals that form a
/// square.
struct FractalLoad {
    uint64_t start, repeats;
    int64_t source_step;
    uint64_t target_step;
    uint64_t target_part_step;  ///< between the fractals one square is transposed into
    bool transpose;             ///< each fractal
    bool square;                ///< each square
};

/// Image to column on L1 and the part of the result that is loaded.
struct ImageLoad {
    uint64_t height, width, channels;
    uint32_t pad_left, pad_right, pad_top, pad_bottom;
    uint32_t stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h;
    uint64_t k_start, k_count, m_start, m_count;
    bool transpose;
    uint64_t pad_bits;
};

struct MatrixProduct {
    CubeType type;
    uint64_t m, n, k;
    bool from_bias, from_zero, wide_k;
    uint8_t unit_flag;  ///< 0: none, 2: waits for FixPipe, 3: and hands its result over
};

/// FixPipe transfer. `element` converts; strides as documented, in bytes (source) and elements (target, ND).
struct FixTransfer {
    CubeType source;
    size_t target_bytes;
    bool target_float, target_bf16, target_signed;
    uint64_t n, m, source_stride, target_stride;
    uint64_t matrices, source_matrix_step, target_matrix_step;
    QuantMode_t quant;
    uint64_t scalar;
    bool relu, to_nd, channel_split;
    uint8_t unit_flag;  ///< 0: none, 2: waits for the product, 3: and gives L0C back
    View factors;       ///< one word per column, for the vector modes
};

/// Whether this core runs matrix instructions. In a mixed kernel the compiler leaves them out of the vector
/// part, so the call does nothing there; an undeclared kernel becomes a cube kernel.
bool runs_matrix(const char* call, const Site& site);

void load_nd(const char* call, const Site& site, const View& target, const uint8_t* source, size_t bytes,
             const NdMatrix& matrix);
void load_fractals(const char* call, const Site& site, const View& target, const View& source, size_t bytes,
                   const FractalLoad& load);
void load_fractals_global(const char* call, const Site& site, const View& target, const uint8_t* source,
                          const FractalLoad& load);
void load_image(const char* call, const Site& site, const View& target, const View& source, size_t bytes,
                const ImageLoad& load);
void multiply(const char* call, const Site& site, const View& c, const View& a, const View& b,
              const View* bias, const MatrixProduct& product);
void fix_out(const char* call, const Site& site, uint8_t* target, const View& source,
             const FixTransfer& transfer, Combine combine);
void fix_local(const char* call, const Site& site, const View& target, const View& source,
               const FixTransfer& transfer);
void fill_local(const char* call, const Site& site, const View& target, uint64_t repeats, uint64_t blocks,
                uint64_t gap, const uint8_t* value, size_t bytes);
void load_table(const char* call, const Site& site, const View& target, const View& source, uint64_t blocks,
                uint64_t bytes, uint64_t source_gap, uint64_t target_gap, bool widen);

inline FractalLoad fractal_load(const AscendC::LoadData2DParams& p) {
    const int64_t step = p.addrMode == 0 ? p.srcStride : -int64_t(p.srcStride);
    return {p.startIndex, p.repeatTimes, step, uint64_t(p.dstGap) + 1, 1, p.ifTranspose, false};
}

template <class T>
ImageLoad image_load(const AscendC::LoadData3DParamsV2<T>& p, const CubeState& set, bool own_matrix,
                     bool own_pad) {
    ImageLoad load{};
    load.height = own_matrix ? p.l1H : set.image_height;
    load.width = own_matrix ? p.l1W : set.image_width;
    load.channels = p.channelSize;
    const uint8_t* pads = own_matrix ? p.padList : set.image_pads;
    load.pad_left = pads[0], load.pad_right = pads[1], load.pad_top = pads[2], load.pad_bottom = pads[3];
    load.stride_w = p.strideW, load.stride_h = p.strideH;
    load.filter_w = p.filterW + (p.filterSizeW ? 256u : 0u),
    load.filter_h = p.filterH + (p.filterSizeH ? 256u : 0u);
    load.dilation_w = p.dilationFilterW, load.dilation_h = p.dilationFilterH;
    load.k_start = p.kStartPt, load.k_count = p.kExtension;
    load.m_start = p.mStartPt, load.m_count = p.mExtension;
    load.transpose = p.enTranspose;
    load.pad_bits = set.image_pad_bits;
    if (own_pad) std::memcpy(&load.pad_bits, static_cast<const void*>(&p.padValue), sizeof(T));
    return load;
}

template <class T, class U>
FixTransfer fix_transfer(const AscendC::FixpipeParamsV220& p, bool to_nd) {
    static_assert(is_one_of<U, float, int32_t>, "Fixpipe: L0C holds float or int32_t");
    static_assert(is_one_of<T, float, half, bfloat16_t, int32_t, int8_t, uint8_t>,
                  "Fixpipe: target of float, half, bfloat16_t, int32_t, int8_t or uint8_t");
    FixTransfer t{};
    t.source = cube_type<U>();
    t.target_bytes = sizeof(T);
    t.target_float = is_floating<T>, t.target_bf16 = std::is_same<T, bfloat16_t>::value;
    t.target_signed = std::is_signed<T>::value;
    t.n = p.nSize, t.m = p.mSize, t.source_stride = p.srcStride, t.target_stride = p.dstStride;
    t.matrices = p.ndNum, t.source_matrix_step = p.srcNdStride, t.target_matrix_step = p.dstNdStride;
    t.quant = p.quantPre, t.scalar = p.deqScalar, t.relu = p.reluEn;
    t.to_nd = to_nd, t.channel_split = p.isChannelSplit, t.unit_flag = p.unitFlag;
    return t;
}

template <class T, class U>
FixTransfer fix_transfer(const AscendC::DataCopyCO12DstParams& p, const CubeState& set) {
    AscendC::FixpipeParamsV220 full(p.nSize, p.mSize, p.srcStride, p.dstStride, p.reluPre != 0, p.quantPre,
                                    static_cast<int64_t>(set.fix_scalar),
                                    p.nz2ndEn ? set.fix_matrices : uint16_t(1), set.fix_source_step, 0,
                                    p.unitFlag, p.channelSplit);
    FixTransfer t = fix_transfer<T, U>(full, p.nz2ndEn);
    t.target_matrix_step = set.fix_target_step;
    t.factors = set.fix_factors;
    return t;
}

/// LoadData of an image. A configuration, which may be the kernel's own, is no argument of a call: its parts
/// are.
template <class T>
void load_image_of(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                   const AscendC::LoadData3DParamsV2<T>& params, bool own_matrix, bool own_pad,
                   const Site& site) {
    TWIN_CALL(dst, src, params, own_matrix, own_pad, site);
    if (!runs_matrix("LoadData", site)) return;
    load_image("LoadData", site, dst.view(), src.view(), sizeof(T),
               image_load(params, core().cube, own_matrix, own_pad));
}

/// Fixpipe to global memory; `factors` without memory for none.
template <class T, class U>
void fix_pipe(const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<U>& src,
              const AscendC::LocalTensor<uint64_t>& factors, const AscendC::FixpipeParamsV220& params,
              bool to_nd, const Site& site) {
    TWIN_CALL(dst, src, factors, params, to_nd, site);
    if (!runs_matrix("Fixpipe", site)) return;
    FixTransfer transfer = fix_transfer<T, U>(params, to_nd);
    transfer.factors = factors.view();
    fix_out("Fixpipe", site, target_of(dst), src.view(), transfer, combine_of<T>());
}
/// Fixpipe back into L1.
template <class T, class U>
void fix_pipe_inside(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src,
                     const AscendC::LocalTensor<uint64_t>& factors, const AscendC::FixpipeParamsV220& params,
                     const Site& site) {
    TWIN_CALL(dst, src, factors, params, site);
    if (!runs_matrix("Fixpipe", site)) return;
    FixTransfer transfer = fix_transfer<T, U>(params, false);
    transfer.factors = factors.view();
    fix_local("Fixpipe", site, dst.view(), src.view(), transfer);
}

/// Size and padding of an image.
struct ImageFrame {
    uint16_t height, width;
    uint8_t pads[4];
};
inline void set_image(const ImageFrame& frame) {
    TWIN_CALL(frame);
    CubeState& set = core().cube;
    set.image_height = frame.height, set.image_width = frame.width;
    std::copy(frame.pads, frame.pads + 4, set.image_pads);
}

}  // namespace twin

namespace AscendC {

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& p,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, p, site);
    if (!twin::runs_matrix("DataCopy", site)) return;
    twin::load_nd("DataCopy", site, dst.view(), twin::bytes_of(src), sizeof(T),
                  {p.ndNum, p.nValue, p.dValue, p.srcNdMatrixStride, p.srcDValue, 1, p.dstNzC0Stride,
                   p.dstNzNStride, p.dstNzMatrixStride});
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Dn2NzParams& p,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, p, site);
    if (!twin::runs_matrix("DataCopy", site)) return;
    twin::load_nd("DataCopy", site, dst.view(), twin::bytes_of(src), sizeof(T),
                  {p.dnNum, p.nValue, p.dValue, p.srcDnMatrixStride, 1, p.srcDValue, p.dstNzC0Stride,
                   p.dstNzNStride, p.dstNzMatrixStride});
}

template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& params,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, params, site);
    if (!twin::runs_matrix("LoadData", site)) return;
    if (params.ifTranspose && sizeof(T) != 2) {
        twin::report(twin::rules::cube_limit, "LoadData", site,
                     {"ifTranspose needs 16-bit elements; LoadDataWithTranspose takes the others", "", ""});
    }
    twin::load_fractals("LoadData", site, dst.view(), src.view(), sizeof(T), twin::fractal_load(params));
}
template <typename T>
void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& params,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, params, site);
    if (!twin::runs_matrix("LoadData", site)) return;
    if (params.ifTranspose) {
        twin::report(twin::rules::cube_limit, "LoadData", site,
                     {"no transposition on the way from GM", "", ""});
    }
    twin::load_fractals_global("LoadData", site, dst.view(), twin::bytes_of(src), twin::fractal_load(params));
}
template <typename T, const IsResetLoad3dConfig& config = IS_RESER_LOAD3D_DEFAULT_CONFIG>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<T>& params,
              const twin::Site& site = twin::Site::here()) {
    constexpr IsResetLoad3dConfig set = config;  // clang 14 dies of a member of a reference parameter
    twin::load_image_of(dst, src, params, set.isSetFMatrix, set.isSetPadding, site);
}
template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2Pro& p,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, p, site);
    if (!twin::runs_matrix("LoadData", site)) return;
    LoadData3DParamsV2<T> full;
    const auto part = [](uint64_t word, int shift, uint64_t mask) { return word >> shift & mask; };
    full.channelSize = p.channelSize, full.enTranspose = p.enTranspose;
    full.filterSizeW = p.filterSizeW, full.filterSizeH = p.filterSizeH;
    full.kExtension = static_cast<uint16_t>(part(p.extConfig, 0, 0xffff));
    full.mExtension = static_cast<uint16_t>(part(p.extConfig, 16, 0xffff));
    full.kStartPt = static_cast<uint16_t>(part(p.extConfig, 32, 0xffff));
    full.mStartPt = static_cast<uint16_t>(part(p.extConfig, 48, 0xffff));
    full.strideW = static_cast<uint8_t>(part(p.filterConfig, 0, 0xff));
    full.strideH = static_cast<uint8_t>(part(p.filterConfig, 8, 0xff));
    full.filterW = static_cast<uint8_t>(part(p.filterConfig, 16, 0xff));
    full.filterH = static_cast<uint8_t>(part(p.filterConfig, 24, 0xff));
    full.dilationFilterW = static_cast<uint8_t>(part(p.filterConfig, 32, 0xff));
    full.dilationFilterH = static_cast<uint8_t>(part(p.filterConfig, 40, 0xff));
    twin::load_image("LoadData", site, dst.view(), src.view(), sizeof(T),
                     twin::image_load(full, twin::core().cube, false, false));
}
template <typename T>
void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                           const LoadData2dTransposeParams& p, const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, p, site);
    if (!twin::runs_matrix("LoadDataWithTranspose", site)) return;
    const int64_t step = p.addrMode == 0 ? p.srcStride : -int64_t(p.srcStride);
    twin::load_fractals(
        "LoadDataWithTranspose", site, dst.view(), src.view(), sizeof(T),
        {p.startIndex, p.repeatTimes, step, uint64_t(p.dstGap) + 1, uint64_t(p.dstFracGap) + 1, true, true});
}

inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode&) {
    twin::set_image({l1H, l1W, {padList[0], padList[1], padList[2], padList[3]}});
}
/// The same under the name that the library's own functions use.
inline void Load3DSetFMatrixCal(uint16_t l1H, uint16_t l1W, const uint8_t padList[4]) {
    SetFmatrix(l1H, l1W, padList, FmatrixMode::FMATRIX_LEFT);
}
template <typename T>
void SetLoadDataPaddingValue(const T value) {
    TWIN_CALL(value);
    twin::core().cube.image_pad_bits = 0;
    std::memcpy(&twin::core().cube.image_pad_bits, static_cast<const void*>(&value), sizeof value);
}
template <typename T>
void Fill(const LocalTensor<T>& dst, const InitConstValueParams<T>& p,
          const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, p, site);
    if (!twin::runs_matrix("Fill", site)) return;
    twin::fill_local("Fill", site, dst.view(), p.repeatTimes, p.blockNum, p.dstGap,
                     reinterpret_cast<const uint8_t*>(&p.initValue), sizeof(T));
}
template <typename T>
void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<T>& params,
                    const twin::Site& site = twin::Site::here()) {
    Fill(dst, params, site);
}

inline void SetHF32Mode(bool enable) {
    TWIN_CALL(enable);
    twin::core().cube.hf32 = enable;
}
inline void SetHF32Mode(HF32Mode mode) { SetHF32Mode(mode == HF32Mode::ENABLE); }
inline void SetHF32TransMode(bool toZero) {
    TWIN_CALL(toZero);
    twin::core().cube.hf32_to_zero = toZero;
}
inline void SetHF32TransMode(HF32TransMode mode) { SetHF32TransMode(mode == HF32TransMode::NEAREST_ZERO); }
inline void SetMMColumnMajor() {}
inline void SetMMRowMajor() {}
/// The same under their former name: true is row-major.
inline void SetMMLayoutTransform(bool) {}

/// Two numbers in a byte, of which the twin makes no product. A kernel may have a branch with it beside
/// others.
template <typename T, typename U, typename S>
constexpr bool kMmadNibbles =
    std::is_same<T, int32_t>::value && std::is_same<U, int4b_t>::value && std::is_same<S, int4b_t>::value;

template <typename T, typename U, typename S>
constexpr bool kMmadTypes = std::is_same<U, S>::value &&
                            ((std::is_same<T, float>::value && twin::is_one_of<U, half, bfloat16_t, float>) ||
                             (std::is_same<T, int32_t>::value && std::is_same<U, int8_t>::value));

template <typename T, typename U, typename S>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
          const MmadParams& p, const twin::Site& site = twin::Site::here()) {
    static_assert(kMmadTypes<T, U, S> || kMmadNibbles<T, U, S>,
                  "Mmad: half, bfloat16_t or float into float, or int8_t or int4b_t into int32_t");
    TWIN_CALL(dst, fm, filter, p, site);
    if constexpr (kMmadNibbles<T, U, S>) {
        twin::report(
            twin::rules::cube_limit, "Mmad", site,
            {"a product of 4-bit integers is not simulated by the CPU twin: judge this kernel on a device",
             "", ""});
    } else {
        if (!twin::runs_matrix("Mmad", site)) return;
        const bool from_zero = p.cmatrixInitVal && !p.isBias, from_bias = !from_zero && p.cmatrixSource;
        const twin::View bias = from_bias ? LocalTensor<T>(TPosition::C2, 0, p.n, site).view() : twin::View{};
        twin::multiply(
            "Mmad", site, dst.view(), fm.view(), filter.view(), from_bias ? &bias : nullptr,
            {twin::cube_type<U>(), p.m, p.n, p.k, from_bias, from_zero, p.kDirectionAlign, p.unitFlag});
    }
}
template <typename T, typename U, typename S, typename V>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<S>& filter,
          const LocalTensor<V>& bias, const MmadParams& p, const twin::Site& site = twin::Site::here()) {
    static_assert(kMmadTypes<T, U, S> && std::is_same<T, V>::value,
                  "Mmad: the bias has the type of the result");
    TWIN_CALL(dst, fm, filter, bias, p, site);
    if (!twin::runs_matrix("Mmad", site)) return;
    const bool from_bias = bias.view().kind == twin::MemoryKind::BT;
    twin::multiply("Mmad", site, dst.view(), fm.view(), filter.view(), from_bias ? &bias.view() : nullptr,
                   {twin::cube_type<U>(), p.m, p.n, p.k, from_bias, false, p.kDirectionAlign, p.unitFlag});
}

/// L1 to the bias table, with widening of half; blocks of 64 bytes of the source, as the library's own bias
/// copies count them. Source: asc-devkit, load_bias_to_c2.h and conv3d_sub_api.h.
template <typename T, typename U, typename = std::enable_if_t<!std::is_same<T, U>::value>>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& p,
              const twin::Site& site = twin::Site::here()) {
    static_assert(std::is_same<T, float>::value && std::is_same<U, half>::value,
                  "DataCopy into the bias table converts half into float only");
    TWIN_CALL(dst, src, p, site);
    if (!twin::runs_matrix("DataCopy", site)) return;
    twin::load_table("DataCopy", site, dst.view(), src.view(), p.blockCount, uint64_t(p.blockLen) * 64,
                     p.srcStride, p.dstStride, true);
}

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params,
             const twin::Site& site = twin::Site::here()) {
    static_assert(config.format != CO2Layout::COLUMN_MAJOR,
                  "Fixpipe: no column-major output on this architecture");
    twin::fix_pipe(dst, src, LocalTensor<uint64_t>(), params, config.format == CO2Layout::ROW_MAJOR, site);
}
/// With one factor per column, held in L1.
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src,
             const LocalTensor<uint64_t>& cbufWorkspace, const FixpipeParamsV220& params,
             const twin::Site& site = twin::Site::here()) {
    twin::fix_pipe(dst, src, cbufWorkspace, params, config.format == CO2Layout::ROW_MAJOR, site);
}
/// Back into L1 as Nz.
template <typename T, typename U, const FixpipeConfig& config = CFG_NZ>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params,
             const twin::Site& site = twin::Site::here()) {
    twin::fix_pipe_inside(dst, src, LocalTensor<uint64_t>(), params, site);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_NZ>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<uint64_t>& cbufWorkspace,
             const FixpipeParamsV220& params, const twin::Site& site = twin::Site::here()) {
    twin::fix_pipe_inside(dst, src, cbufWorkspace, params, site);
}
template <typename T, typename U>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& params,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, params, site);
    if (!twin::runs_matrix("DataCopy", site)) return;
    twin::fix_out("DataCopy", site, twin::target_of(dst), src.view(),
                  twin::fix_transfer<T, U>(params, twin::core().cube), twin::combine_of<T>());
}
template <typename T, typename U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& params,
              const twin::Site& site = twin::Site::here()) {
    TWIN_CALL(dst, src, params, site);
    if (!twin::runs_matrix("DataCopy", site)) return;
    twin::fix_local("DataCopy", site, dst.view(), src.view(),
                    twin::fix_transfer<T, U>(params, twin::core().cube));
}

inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint32_t dstNdStride) {
    TWIN_CALL(ndNum, srcNdStride, dstNdStride);
    twin::CubeState& set = twin::core().cube;
    set.fix_matrices = ndNum, set.fix_source_step = srcNdStride, set.fix_target_step = dstNdStride;
}
inline void SetFixpipePreQuantFlag(uint64_t config) {
    TWIN_CALL(config);
    twin::core().cube.fix_scalar = config;
}
template <typename T>
void SetFixPipeConfig(const LocalTensor<T>& relu, const LocalTensor<T>& quantPre, bool isUnitFlag = false) {
    TWIN_CALL(relu, quantPre, isUnitFlag);
    static_cast<void>(isUnitFlag);
    twin::core().cube.fix_factors = quantPre.view();
}
template <typename T, bool setRelu = false>
void SetFixPipeConfig(const LocalTensor<T>& preData, bool isUnitFlag = false) {
    static_assert(!setRelu, "SetFixPipeConfig: a ReLU tensor is not supported on this architecture");
    TWIN_CALL(preData, isUnitFlag);
    if (!isUnitFlag) twin::core().cube.fix_factors = preData.view();
}

// Forms of an architecture before this one: read, and an error when they run.
template <typename D, typename S>
void Fixpipe(const D&, const LocalTensor<S>&, const FixpipeParams<S>&,
             const twin::Site& site = twin::Site::here()) {
    twin::report(twin::rules::cube_limit, "Fixpipe", site,
                 {"FixpipeParams is of an older architecture; take FixpipeParamsV220", "", ""});
}
template <typename D, typename S>
void Fixpipe(const D& dst, const LocalTensor<S>& src, const LocalTensor<uint64_t>&,
             const FixpipeParams<S>& params, const twin::Site& site = twin::Site::here()) {
    Fixpipe(dst, src, params, site);
}
template <typename D, typename S>
void DataCopy(const LocalTensor<D>&, const LocalTensor<S>&, const DataCopyParams&,
              const DataCopyEnhancedParams&, const twin::Site& site = twin::Site::here()) {
    twin::report(twin::rules::cube_limit, "DataCopy", site,
                 {"this architecture has no way between L0C and UB; go through global memory", "", ""});
}

}  // namespace AscendC
