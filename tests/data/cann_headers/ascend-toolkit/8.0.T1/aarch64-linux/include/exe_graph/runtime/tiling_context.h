#pragma once
#include <cstddef>
#include <cstdint>

namespace ge {
using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
enum DataType { DT_FLOAT = 0, DT_FLOAT16 = 1 };
enum Format { FORMAT_ND = 2 };
}  // namespace ge

namespace gert {
class Shape {
public:
    int64_t GetShapeSize() const;
};
class StorageShape {
public:
    const Shape& GetStorageShape() const;
};
class CompileTimeTensorDesc {
public:
    ge::DataType GetDataType() const;
};
class TilingData {
public:
    void* GetData();
    size_t GetCapacity() const;
    void SetDataSize(size_t size);
};
class TilingContext {
public:
    const void* GetPlatformInfo() const;
    const CompileTimeTensorDesc* GetInputDesc(size_t index) const;
    const StorageShape* GetInputShape(size_t index) const;
    ge::graphStatus SetBlockDim(uint32_t count);
    TilingData* GetRawTilingData();
    size_t* GetWorkspaceSizes(size_t count);
};
class InferShapeContext {
public:
    const Shape* GetInputShape(size_t index) const;
    Shape* GetOutputShape(size_t index);
};
class InferDataTypeContext {
public:
    ge::DataType GetInputDataType(size_t index) const;
    ge::graphStatus SetOutputDataType(size_t index, ge::DataType type);
};
}  // namespace gert
