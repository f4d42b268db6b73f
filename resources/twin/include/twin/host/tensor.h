// gert::Tensor and gert::CompileTimeTensorDesc: what a tiling function sees of its inputs and outputs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "twin/host/shape.h"

namespace gert {

enum TensorPlacement {
    kOnDeviceHbm = 0,
    kOnHost = 1,
    kFollowing = 2,
    kOnDeviceP2p = 3,
    kTensorPlacementEnd = 4
};

class TensorPlacementUtils {
public:
    static bool IsOnHost(TensorPlacement place) { return place == kOnHost || place == kFollowing; }
    static bool IsOnDevice(TensorPlacement place) { return place == kOnDeviceHbm || place == kOnDeviceP2p; }
};

class CompileTimeTensorDesc {
public:
    ge::DataType GetDataType() const { return type_; }
    const StorageFormat& GetFormat() const { return format_; }
    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
    void SetDataType(ge::DataType type) { type_ = type; }
    void SetFormat(ge::Format format) { format_ = StorageFormat(format, format); }

private:
    ge::DataType type_ = ge::DT_UNDEFINED;
    StorageFormat format_;
};

/// An input tensor. Only an input declared with ValueDepend has its values on the host; the data of any other
/// input lies in device memory, and reading it on the host ends the run with a finding (see
/// twin/host/guard.h).
class Tensor {
public:
    template <class T>
    const T* GetData() const {
        return static_cast<const T*>(address_);
    }
    template <class T>
    T* GetData() {
        return static_cast<T*>(const_cast<void*>(address_));
    }
    const void* GetAddr() const { return address_; }
    size_t GetSize() const { return bytes_; }
    int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
    const StorageShape& GetShape() const { return shape_; }
    const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
    const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
    ge::DataType GetDataType() const { return type_; }
    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
    TensorPlacement GetPlacement() const { return placement_; }

    void Describe(const StorageShape& shape, ge::DataType type, const void* address, size_t bytes,
                  TensorPlacement placement) {
        shape_ = shape;
        type_ = type;
        address_ = address;
        bytes_ = bytes;
        placement_ = placement;
    }

private:
    StorageShape shape_;
    StorageFormat format_;
    ge::DataType type_ = ge::DT_UNDEFINED;
    const void* address_ = nullptr;
    size_t bytes_ = 0;
    TensorPlacement placement_ = kOnDeviceHbm;
};

}  // namespace gert
