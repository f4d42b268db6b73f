// gert::InferShapeContext and gert::InferDataTypeContext.
#pragma once

#include <cstddef>
#include <vector>

#include "twin/host/call.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
public:
    InferShapeContext(const twin::host::Call& call, size_t outputs)
        : ExtendedKernelContext(call), outputs_(outputs) {}

    const Shape* GetInputShape(size_t index) const { return ShapeOf(call_->FlatInput(index)); }
    const Shape* GetRequiredInputShape(size_t ir_index) const { return ShapeOf(call_->Input(ir_index, 0)); }
    const Shape* GetOptionalInputShape(size_t ir_index) const { return ShapeOf(call_->Input(ir_index, 0)); }
    const Shape* GetDynamicInputShape(size_t ir_index, size_t relative) const {
        return ShapeOf(call_->Input(ir_index, relative));
    }
    const Tensor* GetInputTensor(size_t index) const { return Data(call_->FlatInput(index)); }
    const Tensor* GetRequiredInputTensor(size_t ir_index) const { return Data(call_->Input(ir_index, 0)); }
    const Tensor* GetOptionalInputTensor(size_t ir_index) const { return Data(call_->Input(ir_index, 0)); }
    const Tensor* GetDynamicInputTensor(size_t ir_index, size_t relative) const {
        return Data(call_->Input(ir_index, relative));
    }
    Shape* GetOutputShape(size_t index) { return index < outputs_.size() ? &outputs_[index] : nullptr; }

private:
    static const Shape* ShapeOf(const twin::host::TensorInfo* info) {
        return info == nullptr ? nullptr : &info->shape.GetOriginShape();
    }
    std::vector<Shape> outputs_;
};

class InferDataTypeContext : public ExtendedKernelContext {
public:
    InferDataTypeContext(const twin::host::Call& call, size_t outputs)
        : ExtendedKernelContext(call), outputs_(outputs, ge::DT_UNDEFINED) {}

    ge::DataType GetInputDataType(size_t index) const { return TypeOf(call_->FlatInput(index)); }
    ge::DataType GetRequiredInputDataType(size_t ir_index) const { return TypeOf(call_->Input(ir_index, 0)); }
    ge::DataType GetOptionalInputDataType(size_t ir_index) const { return TypeOf(call_->Input(ir_index, 0)); }
    ge::DataType GetDynamicInputDataType(size_t ir_index, size_t relative) const {
        return TypeOf(call_->Input(ir_index, relative));
    }
    ge::DataType GetOutputDataType(size_t index) const {
        return index < outputs_.size() ? outputs_[index] : ge::DT_UNDEFINED;
    }
    ge::graphStatus SetOutputDataType(size_t index, ge::DataType type) {
        if (index >= outputs_.size()) {
            return ge::GRAPH_FAILED;
        }
        outputs_[index] = type;
        return ge::GRAPH_SUCCESS;
    }

private:
    static ge::DataType TypeOf(const twin::host::TensorInfo* info) {
        return info == nullptr ? ge::DT_UNDEFINED : info->desc.GetDataType();
    }
    std::vector<ge::DataType> outputs_;
};

/// A pair of limits; the twin only runs calls with known shapes, so it never makes one.
template <class T>
class Range {
public:
    const T* GetMin() const { return least_; }
    const T* GetMax() const { return most_; }
    T* GetMin() { return least_; }
    T* GetMax() { return most_; }
    void SetMin(T* least) { least_ = least; }
    void SetMax(T* most) { most_ = most; }

private:
    T* least_ = nullptr;
    T* most_ = nullptr;
};

/// What InferShapeRange functions take; they compile, but are never called.
class InferShapeRangeContext : public ExtendedKernelContext {
public:
    using ExtendedKernelContext::ExtendedKernelContext;
    const Range<Shape>* GetInputShapeRange(size_t) const { return nullptr; }
    const Range<Shape>* GetRequiredInputShapeRange(size_t) const { return nullptr; }
    const Range<Shape>* GetOptionalInputShapeRange(size_t) const { return nullptr; }
    const Range<Shape>* GetDynamicInputShapeRange(size_t, size_t) const { return nullptr; }
    const Tensor* GetInputTensor(size_t) const { return nullptr; }
    Range<Shape>* GetOutputShapeRange(size_t) { return nullptr; }
};

}  // namespace gert
