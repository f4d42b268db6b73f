// Element types, formats and status codes of the graph engine (namespace ge), as op_host sources use them.
#pragma once

#include "twin/core/floats.h"  // half, of which tilings know the size
#include "twin/host/standard.h"

namespace ge {

/// Numbers as documented for the interface: they reach kernels as ORIG_DTYPE_* and tiling data.
enum DataType {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_STRING = 13,
    DT_DUAL_SUB_INT8 = 14,
    DT_DUAL_SUB_UINT8 = 15,
    DT_COMPLEX64 = 16,
    DT_COMPLEX128 = 17,
    DT_QINT8 = 18,
    DT_QINT16 = 19,
    DT_QINT32 = 20,
    DT_QUINT8 = 21,
    DT_QUINT16 = 22,
    DT_RESOURCE = 23,
    DT_STRING_REF = 24,
    DT_DUAL = 25,
    DT_VARIANT = 26,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_UINT1 = 30,
    DT_INT2 = 31,
    DT_UINT2 = 32,
    DT_COMPLEX32 = 33,
    DT_HIFLOAT8 = 34,  // these and the next are other processors'; definitions that serve several name them
    DT_FLOAT8_E5M2 = 35,
    DT_FLOAT8_E4M3FN = 36,
    DT_FLOAT8_E8M0 = 37,
    DT_FLOAT6_E3M2 = 38,
    DT_FLOAT6_E2M3 = 39,
    DT_FLOAT4_E2M1 = 40,
    DT_FLOAT4_E1M2 = 41,
    DT_MAX
};

enum Format {
    FORMAT_NCHW = 0,
    FORMAT_NHWC = 1,
    FORMAT_ND = 2,
    FORMAT_NC1HWC0 = 3,
    FORMAT_FRACTAL_Z = 4,
    FORMAT_NC1C0HWPAD = 5,
    FORMAT_NHWC1C0 = 6,
    FORMAT_FRACTAL_Z_C04 = 13,
    FORMAT_CHWN = 14,
    FORMAT_HWCN = 16,
    FORMAT_C1HWNCoC0 = 25,
    FORMAT_NDHWC = 27,
    FORMAT_FRACTAL_ZZ = 28,
    FORMAT_FRACTAL_NZ = 29,
    FORMAT_NCDHW = 30,
    FORMAT_DHWCN = 31,
    FORMAT_NDC1HWC0 = 32,
    FORMAT_FRACTAL_Z_3D = 33,
    FORMAT_CN = 34,
    FORMAT_NC = 35,
    FORMAT_DHWNC = 36,
    FORMAT_RESERVED = 40,
    FORMAT_NCL = 47,
    FORMAT_MAX = 255
};

using graphStatus = uint32_t;
using char_t = char;
using Status = uint32_t;

constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFFU;
constexpr graphStatus GRAPH_PARAM_INVALID = 50331649U;
constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304U;
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFFU;

constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t UNKNOWN_DIM_NUM = -2;

/// Bytes of one element; -1 for types without a whole-byte size.
inline int GetSizeByDataType(DataType type) {
    switch (type) {
        case DT_INT8:
        case DT_UINT8:
        case DT_BOOL:
        case DT_QINT8:
        case DT_QUINT8:
        case DT_HIFLOAT8:
        case DT_FLOAT8_E5M2:
        case DT_FLOAT8_E4M3FN:
        case DT_FLOAT8_E8M0:
            return 1;
        case DT_FLOAT16:
        case DT_BF16:
        case DT_INT16:
        case DT_UINT16:
        case DT_QINT16:
        case DT_QUINT16:
            return 2;
        case DT_FLOAT:
        case DT_INT32:
        case DT_UINT32:
        case DT_QINT32:
        case DT_COMPLEX32:
            return 4;
        case DT_INT64:
        case DT_UINT64:
        case DT_DOUBLE:
        case DT_COMPLEX64:
            return 8;
        case DT_COMPLEX128:
            return 16;
        default:
            return -1;
    }
}

/// Bytes of `count` elements, those of less than a byte packed; -1 for a negative count or another type.
inline int64_t GetSizeInBytes(int64_t count, DataType type) {
    const int bits = type == DT_INT4 ? 4 : type == DT_INT2 || type == DT_UINT2 ? 2 : type == DT_UINT1 ? 1 : 0;
    const int64_t bytes = GetSizeByDataType(type);
    if (count < 0 || (bits == 0 && bytes < 0)) return -1;
    return bits == 0 ? count * bytes : (count * bits + 7) / 8;
}

/// A string owned by the graph engine's interface.
class AscendString {
public:
    AscendString() = default;
    AscendString(const char* text) : text_(text == nullptr ? "" : text) {}
    const char* GetString() const { return text_.c_str(); }
    size_t GetLength() const { return text_.size(); }
    bool operator==(const AscendString& other) const { return text_ == other.text_; }
    bool operator!=(const AscendString& other) const { return text_ != other.text_; }
    bool operator<(const AscendString& other) const { return text_ < other.text_; }

private:
    std::string text_;
};

/// Origin format beside storage format; the twin stores everything as the origin says.
inline Format GetPrimaryFormat(int32_t format) { return static_cast<Format>(format & 0xFF); }

}  // namespace ge

namespace twin {
namespace host {

inline const char* type_name(ge::DataType type) {
    switch (type) {
        case ge::DT_FLOAT:
            return "DT_FLOAT";
        case ge::DT_FLOAT16:
            return "DT_FLOAT16";
        case ge::DT_BF16:
            return "DT_BF16";
        case ge::DT_INT8:
            return "DT_INT8";
        case ge::DT_INT16:
            return "DT_INT16";
        case ge::DT_INT32:
            return "DT_INT32";
        case ge::DT_INT64:
            return "DT_INT64";
        case ge::DT_UINT8:
            return "DT_UINT8";
        case ge::DT_UINT16:
            return "DT_UINT16";
        case ge::DT_UINT32:
            return "DT_UINT32";
        case ge::DT_UINT64:
            return "DT_UINT64";
        case ge::DT_DOUBLE:
            return "DT_DOUBLE";
        case ge::DT_BOOL:
            return "DT_BOOL";
        case ge::DT_INT4:
            return "DT_INT4";
        case ge::DT_COMPLEX64:
            return "DT_COMPLEX64";
        case ge::DT_COMPLEX128:
            return "DT_COMPLEX128";
        case ge::DT_HIFLOAT8:
            return "DT_HIFLOAT8";
        case ge::DT_FLOAT8_E5M2:
            return "DT_FLOAT8_E5M2";
        case ge::DT_FLOAT8_E4M3FN:
            return "DT_FLOAT8_E4M3FN";
        case ge::DT_FLOAT8_E8M0:
            return "DT_FLOAT8_E8M0";
        default:
            return "DT_UNDEFINED";
    }
}
inline const char* format_name(ge::Format format) {
    switch (format) {
        case ge::FORMAT_NCHW:
            return "NCHW";
        case ge::FORMAT_NHWC:
            return "NHWC";
        case ge::FORMAT_ND:
            return "ND";
        case ge::FORMAT_NC1HWC0:
            return "NC1HWC0";
        case ge::FORMAT_FRACTAL_Z:
            return "FRACTAL_Z";
        case ge::FORMAT_FRACTAL_NZ:
            return "FRACTAL_NZ";
        case ge::FORMAT_NCDHW:
            return "NCDHW";
        case ge::FORMAT_NDHWC:
            return "NDHWC";
        default:
            return "RESERVED";
    }
}

}  // namespace host
}  // namespace twin
