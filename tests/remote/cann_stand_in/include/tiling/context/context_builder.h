// ContextBuilder and OpTilingRegistry as CANN documents them, on the tiling context of the CPU twin.
#pragma once
#include <dlfcn.h>

#include <fstream>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "tiling/tiling_api.h"
#include "twin/host/call.h"
#include "twin/host/platform.h"
#include "twin/host/registry.h"
#include "twin/host/tiling_context.h"

namespace context_ascendc {
using TilingFunc = ge::graphStatus (*)(gert::TilingContext*);

class OpTilingRegistry {
public:
    bool LoadTilingLibrary(const char* path) const { return dlopen(path, RTLD_NOW | RTLD_GLOBAL) != nullptr; }
    TilingFunc GetTilingFunc(const char* type) const {
        const ops::OpDef* definition = twin::host::Registry::Get().Find(type);
        return definition == nullptr ? nullptr : definition->Core().Tiling();
    }
};

struct Holder {
    twin::host::Call call;
    std::unique_ptr<fe::PlatFormInfos> platform;
    std::unique_ptr<gert::TilingContext> context;
    template <class T>
    T* GetContext() const { return context.get(); }
};

class ContextBuilder {
public:
    ContextBuilder& NodeIoNum(size_t inputs, size_t outputs) { return kinds_ = inputs, outputs_ = outputs, *this; }
    ContextBuilder& IrInstanceNum(const std::vector<uint32_t>& counts) { return instances_ = counts, *this; }
    ContextBuilder& SetOpNameType(const std::string&, const std::string& type) { return type_ = type, *this; }
    ContextBuilder& AddInputTd(int32_t, ge::DataType type, ge::Format, ge::Format, const gert::StorageShape& shape) {
        return Add(made_->call.inputs, type, shape);
    }
    ContextBuilder& AddInputTd(int32_t, ge::DataType type, ge::Format, ge::Format, const gert::StorageShape& shape,
                               const std::string& path) {
        Add(made_->call.inputs, type, shape);
        std::ifstream file(path, std::ios::binary);
        values_.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        made_->call.inputs.back().tensor.Describe(shape, type, values_.back().data(), values_.back().size(), gert::kOnHost);
        return *this;
    }
    ContextBuilder& AddOutputTd(int32_t, ge::DataType type, ge::Format, ge::Format, const gert::StorageShape& shape) {
        return Add(made_->call.outputs, type, shape);
    }
    ContextBuilder& AddAttr(const std::string&, int64_t value) { return made_->call.attributes.AddInt(value), *this; }
    ContextBuilder& AddAttr(const std::string&, float value) { return made_->call.attributes.AddFloat(value), *this; }
    ContextBuilder& AddAttr(const std::string&, bool value) { return made_->call.attributes.AddBool(value), *this; }
    ContextBuilder& AddAttr(const std::string&, const std::string& value) { return made_->call.attributes.AddText(value), *this; }
    template <class T>
    ContextBuilder& AddAttr(const std::string&, const std::vector<T>& values) { return made_->call.attributes.AddList(values), *this; }
    ContextBuilder& TilingData(void*) { return *this; }
    ContextBuilder& Workspace(gert::ContinuousVector*) { return *this; }
    ContextBuilder& AddPlatformInfo(const char* soc) { return soc_ = soc, *this; }
    std::shared_ptr<Holder> BuildTilingContext() {
        std::vector<gert::AnchorInstanceInfo> ranges;
        size_t start = 0;
        for (uint32_t count : instances_) {
            ranges.emplace_back(start, count);
            start += count;
        }
        const bool fits = instances_.size() == kinds_ && start == made_->call.inputs.size();
        if (!fits || outputs_ != made_->call.outputs.size()) return nullptr;
        made_->call.node.Describe(type_, made_->call.inputs.size(), made_->call.outputs.size(), ranges);
        twin::host::modelled_soc() = soc_;
        made_->platform = std::make_unique<fe::PlatFormInfos>(soc_.c_str());
        made_->context = std::make_unique<gert::TilingContext>(made_->call, *made_->platform, nullptr);
        return made_;
    }

private:
    ContextBuilder& Add(std::vector<twin::host::TensorInfo>& tensors, ge::DataType type, const gert::StorageShape& shape) {
        twin::host::TensorInfo info;
        info.shape = shape;
        info.desc.SetDataType(type);
        info.tensor.Describe(shape, type, nullptr, 0, gert::kOnDeviceHbm);
        tensors.push_back(info);
        return *this;
    }

    std::shared_ptr<Holder> made_ = std::make_shared<Holder>();
    size_t kinds_ = 0, outputs_ = 0;
    std::vector<uint32_t> instances_;
    std::list<std::vector<char>> values_;
    std::string type_, soc_;
};
}  // namespace context_ascendc
