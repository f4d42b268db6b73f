// gert::Shape and gert::StorageShape. They are unrelated types, as in CANN: TilingContext hands out
// StorageShape, InferShapeContext hands out Shape, and mixing them up does not compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "twin/host/types.h"

namespace gert {

class Shape {
public:
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = INT64_MIN;

    Shape() = default;
    Shape(std::initializer_list<int64_t> dims) {
        for (const int64_t dim : dims) {
            AppendDim(dim);
        }
    }

    size_t GetDimNum() const { return count_; }
    /// Value of dimension `index`; kInvalidDimValue outside the shape.
    int64_t GetDim(size_t index) const { return index < count_ ? dims_[index] : kInvalidDimValue; }
    int64_t operator[](size_t index) const { return GetDim(index); }
    int64_t& operator[](size_t index) { return dims_[index < kMaxDimNum ? index : kMaxDimNum - 1]; }
    void SetDim(size_t index, int64_t value) {
        if (index < kMaxDimNum) {
            dims_[index] = value;
        }
    }
    void SetDimNum(size_t count) { count_ = count < kMaxDimNum ? count : kMaxDimNum; }
    Shape& AppendDim(int64_t value) {
        if (count_ < kMaxDimNum) {
            dims_[count_++] = value;
        }
        return *this;
    }
    void SetScalar() { count_ = 0; }
    bool IsScalar() const { return count_ == 0; }
    /// Product of the dimensions: 1 for a scalar, -1 when a dimension is unknown.
    int64_t GetShapeSize() const {
        int64_t size = 1;
        for (size_t index = 0; index < count_; ++index) {
            if (dims_[index] < 0) {
                return -1;
            }
            size *= dims_[index];
        }
        return size;
    }
    bool operator==(const Shape& other) const {
        if (count_ != other.count_) {
            return false;
        }
        for (size_t index = 0; index < count_; ++index) {
            if (dims_[index] != other.dims_[index]) {
                return false;
            }
        }
        return true;
    }
    bool operator!=(const Shape& other) const { return !(*this == other); }

private:
    size_t count_ = 0;
    int64_t dims_[kMaxDimNum] = {};
};

class StorageShape {
public:
    StorageShape() = default;
    StorageShape(std::initializer_list<int64_t> origin, std::initializer_list<int64_t> storage)
        : origin_(origin), storage_(storage) {}

    const Shape& GetOriginShape() const { return origin_; }
    const Shape& GetStorageShape() const { return storage_; }
    Shape& MutableOriginShape() { return origin_; }
    Shape& MutableStorageShape() { return storage_; }
    bool operator==(const StorageShape& other) const {
        return origin_ == other.origin_ && storage_ == other.storage_;
    }
    bool operator!=(const StorageShape& other) const { return !(*this == other); }

private:
    Shape origin_;
    Shape storage_;
};

class ExpandDimsType {
public:
    ExpandDimsType() = default;
};

class StorageFormat {
public:
    StorageFormat() = default;
    StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType& = {})
        : origin_(origin), storage_(storage) {}
    ge::Format GetOriginFormat() const { return origin_; }
    ge::Format GetStorageFormat() const { return storage_; }

private:
    ge::Format origin_ = ge::FORMAT_ND;
    ge::Format storage_ = ge::FORMAT_ND;
};

}  // namespace gert

namespace Ops {
namespace Base {
/// A shape of which not even the rank is known has the one dimension -2; one that is not known is -1.
inline bool IsUnknownRank(const gert::Shape& shape) {
    return shape.GetDimNum() == 1 && shape.GetDim(0) == ge::UNKNOWN_DIM_NUM;
}
inline bool IsUnknownShape(const gert::Shape& shape) {
    for (size_t index = 0; index < shape.GetDimNum(); ++index) {
        if (shape.GetDim(index) < 0) return true;
    }
    return false;
}
inline void SetUnknownRank(gert::Shape& shape) {
    shape.SetDimNum(0);
    shape.AppendDim(ge::UNKNOWN_DIM_NUM);
}
inline void SetUnknownShape(int64_t rank, gert::Shape& shape) {
    shape.SetDimNum(0);
    for (int64_t index = 0; index < rank; ++index) shape.AppendDim(ge::UNKNOWN_DIM);
}

/// Text of a shape for log messages.
inline std::string ToString(const gert::Shape& shape) {
    std::string text = "[";
    for (size_t index = 0; index < shape.GetDimNum(); ++index) {
        text += (index == 0 ? "" : ", ") + std::to_string(shape.GetDim(index));
    }
    return text + "]";
}
inline std::string ToString(ge::DataType type) { return twin::host::type_name(type); }
inline std::string ToString(ge::Format format) { return twin::host::format_name(format); }
}  // namespace Base
}  // namespace Ops
