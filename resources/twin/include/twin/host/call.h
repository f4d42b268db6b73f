// One call of an operator as the host side sees it: what every context hands out pieces of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "twin/host/attributes.h"
#include "twin/host/tensor.h"

namespace gert {

/// Where the tensors of one input of the definition stand among the tensors of the call: none for an absent
/// optional input, several for a dynamic one.
class AnchorInstanceInfo {
public:
    AnchorInstanceInfo() = default;
    AnchorInstanceInfo(size_t start, size_t count) : start_(start), count_(count) {}
    size_t GetInstanceNum() const { return count_; }
    size_t GetInstanceStart() const { return start_; }

private:
    size_t start_ = 0;
    size_t count_ = 0;
};

class ComputeNodeInfo {
public:
    size_t GetInputsNum() const { return inputs_; }
    size_t GetOutputsNum() const { return outputs_; }
    size_t GetIrInputsNum() const { return ranges_.size(); }
    const AnchorInstanceInfo* GetInputInstanceInfo(size_t ir_index) const {
        return ir_index < ranges_.size() ? &ranges_[ir_index] : nullptr;
    }
    const char* GetNodeName() const { return name_.c_str(); }
    const char* GetNodeType() const { return name_.c_str(); }
    size_t GetIrOutputsNum() const { return output_ranges_.size(); }
    const AnchorInstanceInfo* GetOutputInstanceInfo(size_t ir_index) const {
        return ir_index < output_ranges_.size() ? &output_ranges_[ir_index] : nullptr;
    }
    void DescribeOutputs(const std::vector<AnchorInstanceInfo>& ranges) { output_ranges_ = ranges; }
    void Describe(const std::string& name, size_t inputs, size_t outputs,
                  const std::vector<AnchorInstanceInfo>& ranges) {
        name_ = name;
        inputs_ = inputs;
        outputs_ = outputs;
        ranges_ = ranges;
    }

private:
    std::string name_;
    size_t inputs_ = 0;
    size_t outputs_ = 0;
    std::vector<AnchorInstanceInfo> ranges_;
    std::vector<AnchorInstanceInfo> output_ranges_;
};

}  // namespace gert

namespace twin {
namespace host {

struct TensorInfo {
    gert::StorageShape shape;
    gert::CompileTimeTensorDesc desc;
    gert::Tensor tensor;
};

struct Call {
    std::vector<TensorInfo> inputs;  ///< tensors present, dynamic inputs spread out
    std::vector<TensorInfo> outputs;
    gert::ComputeNodeInfo node;
    gert::RuntimeAttrs attributes;

    /// Tensor `relative` of input `ir_index` of the definition; null when absent.
    const TensorInfo* Input(size_t ir_index, size_t relative) const {
        const gert::AnchorInstanceInfo* range = node.GetInputInstanceInfo(ir_index);
        if (range == nullptr || relative >= range->GetInstanceNum()) {
            return nullptr;
        }
        return &inputs[range->GetInstanceStart() + relative];
    }
    const TensorInfo* FlatInput(size_t index) const {
        return index < inputs.size() ? &inputs[index] : nullptr;
    }
    const TensorInfo* Output(size_t index) const {
        return index < outputs.size() ? &outputs[index] : nullptr;
    }
};

}  // namespace host
}  // namespace twin

namespace gert {

/// What all contexts have in common: node, attributes and counts.
class ExtendedKernelContext {
public:
    explicit ExtendedKernelContext(const twin::host::Call& call) : call_(&call) {}
    const RuntimeAttrs* GetAttrs() const { return &call_->attributes; }
    const ComputeNodeInfo* GetComputeNodeInfo() const { return &call_->node; }
    size_t GetComputeNodeInputNum() const { return call_->inputs.size(); }
    size_t GetComputeNodeOutputNum() const { return call_->outputs.size(); }
    const AnchorInstanceInfo* GetIrInputInstanceInfo(size_t ir_index) const {
        return call_->node.GetInputInstanceInfo(ir_index);
    }
    const AnchorInstanceInfo* GetIrOutputInstanceInfo(size_t ir_index) const {
        return call_->node.GetOutputInstanceInfo(ir_index);
    }
    const char* GetNodeName() const { return call_->node.GetNodeName(); }
    const char* GetNodeType() const { return call_->node.GetNodeType(); }
    const CompileTimeTensorDesc* GetInputDesc(size_t index) const { return Desc(call_->FlatInput(index)); }
    const CompileTimeTensorDesc* GetRequiredInputDesc(size_t ir_index) const {
        return Desc(call_->Input(ir_index, 0));
    }
    const CompileTimeTensorDesc* GetOptionalInputDesc(size_t ir_index) const {
        return Desc(call_->Input(ir_index, 0));
    }
    const CompileTimeTensorDesc* GetDynamicInputDesc(size_t ir_index, size_t relative) const {
        return Desc(call_->Input(ir_index, relative));
    }
    const CompileTimeTensorDesc* GetOutputDesc(size_t index) const { return Desc(call_->Output(index)); }

protected:
    static const CompileTimeTensorDesc* Desc(const twin::host::TensorInfo* info) {
        return info == nullptr ? nullptr : &info->desc;
    }
    static const Tensor* Data(const twin::host::TensorInfo* info) {
        return info == nullptr ? nullptr : &info->tensor;
    }
    const twin::host::Call* call_;
};

}  // namespace gert
