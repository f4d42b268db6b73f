// What the tiling helpers of the high-level library share: ge::Shape and sizes of temporary buffers.
//
// The device side of the twin keeps no temporaries, so any size from the minimum on is right; sizes follow
// the documented form (a small multiple of the processed elements, whole 32-byte blocks).
#pragma once

#include "twin/host/standard.h"
#include "twin/host/types.h"
#include "twin/lib/reduce_pattern.h"

namespace ge {

/// Shape as the tiling helpers take it.
class Shape {
public:
    Shape() = default;
    explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}
    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
    graphStatus SetDim(size_t index, int64_t value) {
        if (index >= dims_.size()) return GRAPH_FAILED;
        dims_[index] = value;
        return GRAPH_SUCCESS;
    }
    std::vector<int64_t> GetDims() const { return dims_; }
    int64_t GetShapeSize() const {
        int64_t size = dims_.empty() ? 0 : 1;
        for (const int64_t dim : dims_) {
            size *= dim;
        }
        return size;
    }

private:
    std::vector<int64_t> dims_;
};

}  // namespace ge

namespace AscendC {

using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

}  // namespace AscendC

namespace twin {
namespace host {

/// Last dimension of `shape`, 1 for a scalar.
inline uint32_t last_dim(const ge::Shape& shape) {
    return static_cast<uint32_t>(shape.GetDimNum() == 0 ? 1 : shape.GetDim(shape.GetDimNum() - 1));
}

/// Bytes of `copies` float copies of the tensor, in whole blocks.
inline uint32_t buffer_bytes(const ge::Shape& shape, uint32_t type_size, uint32_t copies) {
    const uint64_t bytes =
        static_cast<uint64_t>(shape.GetShapeSize()) * (type_size < 4 ? 4 : type_size) * copies;
    return static_cast<uint32_t>((bytes + 31) / 32 * 32);
}

inline void most_and_least(const ge::Shape& shape, uint32_t type_size, uint32_t copies, uint32_t& most,
                           uint32_t& least) {
    least = 256 * copies;
    most = buffer_bytes(shape, type_size, copies);
    most = most < least ? least : most;
}

}  // namespace host
}  // namespace twin
