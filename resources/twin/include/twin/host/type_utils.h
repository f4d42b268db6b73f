// Names and sizes of element types, which op_host has by a header of their own.
#pragma once

#include "twin/host/types.h"

namespace ge {

class TypeUtils {
public:
    static std::string DataTypeToSerialString(DataType type) { return twin::host::type_name(type); }
    static AscendString DataTypeToAscendString(DataType type) {
        return AscendString(twin::host::type_name(type));
    }
    static std::string FormatToSerialString(Format format) { return twin::host::format_name(format); }
    static AscendString FormatToAscendString(Format format) {
        return AscendString(twin::host::format_name(format));
    }
    static bool GetDataTypeLength(DataType type, uint32_t& length) {
        const int bytes = GetSizeByDataType(type);
        if (bytes < 0) {
            return false;
        }
        length = static_cast<uint32_t>(bytes);
        return true;
    }
};

}  // namespace ge
