// gert::TilingContext: what a tiling function reads (shapes, attributes, platform) and writes (tiling data,
// block dimension, tiling key, workspace sizes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "twin/host/call.h"

namespace fe {

enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

/// The chosen processor, as PlatformAscendC reads it.
class PlatFormInfos {
public:
    explicit PlatFormInfos(const char* soc = "") : soc_(soc) {}
    const char* Soc() const { return soc_; }
    // Defined in twin/host/platform.h.
    uint32_t GetCoreNum() const;
    /// Entries of the platform's configuration that are not modelled are not there.
    bool GetPlatformRes(const std::string&, const std::string&, std::string&) const { return false; }
    bool GetPlatformResWithLock(const std::string&, const std::string&, std::string&) const { return false; }
    void GetLocalMemSize(const LocalMemType& type, uint64_t& bytes) const;

private:
    const char* soc_;
};

}  // namespace fe

namespace gert {

/// The buffer whose bytes reach the kernel as `tiling`.
class TilingData {
public:
    static constexpr size_t kCapacity = 64 * 1024;
    void* GetData() { return bytes_.data(); }
    const void* GetData() const { return bytes_.data(); }
    size_t GetCapacity() const { return bytes_.size(); }
    size_t GetDataSize() const { return size_; }
    void SetDataSize(size_t size) { size_ = size; }
    template <class T>
    void Append(const T& value) {
        static_assert(std::is_standard_layout<T>::value, "tiling data must be plain");
        if (size_ + sizeof(T) <= bytes_.size()) {
            std::memcpy(bytes_.data() + size_, &value, sizeof(T));
            size_ += sizeof(T);
        }
    }

private:
    std::vector<uint8_t> bytes_ = std::vector<uint8_t>(kCapacity);
    size_t size_ = 0;
};

class TilingContext : public ExtendedKernelContext {
public:
    TilingContext(const twin::host::Call& call, fe::PlatFormInfos& platform, const void* compile_info)
        : ExtendedKernelContext(call), platform_(&platform), compile_info_(compile_info) {}

    const StorageShape* GetInputShape(size_t index) const { return ShapeOf(call_->FlatInput(index)); }
    const StorageShape* GetRequiredInputShape(size_t ir_index) const {
        return ShapeOf(call_->Input(ir_index, 0));
    }
    const StorageShape* GetOptionalInputShape(size_t ir_index) const {
        return ShapeOf(call_->Input(ir_index, 0));
    }
    const StorageShape* GetDynamicInputShape(size_t ir_index, size_t relative) const {
        return ShapeOf(call_->Input(ir_index, relative));
    }
    const StorageShape* GetOutputShape(size_t index) const { return ShapeOf(call_->Output(index)); }

    const Tensor* GetInputTensor(size_t index) const { return Data(call_->FlatInput(index)); }
    const Tensor* GetRequiredInputTensor(size_t ir_index) const { return Data(call_->Input(ir_index, 0)); }
    const Tensor* GetOptionalInputTensor(size_t ir_index) const { return Data(call_->Input(ir_index, 0)); }
    const Tensor* GetDynamicInputTensor(size_t ir_index, size_t relative) const {
        return Data(call_->Input(ir_index, relative));
    }

    template <class T>
    T* GetTilingData() {
        if (sizeof(T) > tiling_.GetCapacity()) {
            return nullptr;
        }
        tiling_.SetDataSize(sizeof(T));
        return static_cast<T*>(tiling_.GetData());
    }
    TilingData* GetRawTilingData() { return &tiling_; }
    size_t* GetWorkspaceSizes(size_t count) {
        if (workspaces_.size() < count) {
            workspaces_.resize(count, 0);
        }
        workspace_count_ = count;
        return workspaces_.data();
    }
    size_t GetWorkspaceNum() const { return workspace_count_; }

    ge::graphStatus SetBlockDim(uint32_t block_dim) {
        block_dim_ = block_dim;
        return ge::GRAPH_SUCCESS;
    }
    uint32_t GetBlockDim() const { return block_dim_; }
    /// The same under their newer names.
    ge::graphStatus SetSimdNumBlocks(uint32_t blocks) { return SetBlockDim(blocks); }
    uint32_t GetSimdNumBlocks() const { return GetBlockDim(); }
    ge::graphStatus SetTilingKey(uint64_t key) {
        tiling_key_ = key;
        return ge::GRAPH_SUCCESS;
    }
    uint64_t GetTilingKey() const { return tiling_key_; }
    ge::graphStatus SetScheduleMode(uint32_t mode) {
        schedule_mode_ = mode;
        return ge::GRAPH_SUCCESS;
    }
    uint32_t GetScheduleMode() const { return schedule_mode_; }
    ge::graphStatus SetLocalMemorySize(uint32_t bytes) {
        local_memory_ = bytes;
        return ge::GRAPH_SUCCESS;
    }
    ge::graphStatus SetNeedAtomic(bool need) {
        need_atomic_ = need;
        return ge::GRAPH_SUCCESS;
    }
    bool NeedAtomic() const { return need_atomic_; }
    ge::graphStatus SetTilingCond(int32_t) { return ge::GRAPH_SUCCESS; }
    ge::graphStatus SetAicpuBlockDim(uint32_t) { return ge::GRAPH_SUCCESS; }
    int32_t GetDeterministic() const { return 0; }

    fe::PlatFormInfos* GetPlatformInfo() const { return platform_; }
    const void* GetCompileInfo() const { return compile_info_; }
    template <class T>
    const T* GetCompileInfo() const {
        return static_cast<const T*>(compile_info_);
    }

private:
    static const StorageShape* ShapeOf(const twin::host::TensorInfo* info) {
        return info == nullptr ? nullptr : &info->shape;
    }

    fe::PlatFormInfos* platform_;
    const void* compile_info_;
    TilingData tiling_;
    std::vector<size_t> workspaces_ = std::vector<size_t>(8, 0);
    size_t workspace_count_ = 0;
    uint32_t block_dim_ = 0;
    uint64_t tiling_key_ = 0;
    uint32_t schedule_mode_ = 0;
    uint32_t local_memory_ = 0;
    bool need_atomic_ = false;
};

/// Runs once per operator before tiling; fills the compile info that TilingContext::GetCompileInfo() returns.
class TilingParseContext : public ExtendedKernelContext {
public:
    TilingParseContext(const twin::host::Call& call, fe::PlatFormInfos& platform, void* compiled_info)
        : ExtendedKernelContext(call), platform_(&platform), compiled_info_(compiled_info) {}
    fe::PlatFormInfos* GetPlatformInfo() const { return platform_; }
    const char* GetCompiledJson() const { return "{}"; }
    template <class T>
    T* GetCompiledInfo() {
        return static_cast<T*>(compiled_info_);
    }

private:
    fe::PlatFormInfos* platform_;
    void* compiled_info_;
};

}  // namespace gert
