// gert::InferShapeContext and gert::InferDataTypeContext.
#pragma once

#include <cstddef>
#include <vector>

#include "twin/host/call.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
public:
    InferShapeContext(const twin::host::Call& call, size_t outputs) : ExtendedKernelContext(call), outputs_(outputs) {}

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

class InferShapeRangeContext;

}  // namespace gert
