// The tiling framework that operator libraries build on: a class per way to tile (TilingBaseClass),
// registered by priority (REGISTER_TILING_TEMPLATE) and tried in that order until one is capable.
#pragma once

#include "twin/host/registry.h"
#include <cstdint>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "twin/host/log.h"
#include "twin/host/platform.h"
#include "twin/host/tiling_context.h"

#define ASCENDC_EXTERN_C

namespace optiling {

struct AiCoreParams {
    uint64_t ubSize = 0;
    union {
        uint64_t blockDim = 0;
        uint64_t numBlocks;  ///< the same by its newer name
    };
    uint64_t aicNum = 0;
    uint64_t l1Size = 0;
    uint64_t l0aSize = 0;
    uint64_t l0bSize = 0;
    uint64_t l0cSize = 0;
};

/// One way to tile an operator. DoTiling() answers GRAPH_PARAM_INVALID when this way does not apply.
class TilingBaseClass {
public:
    TilingBaseClass() = default;
    explicit TilingBaseClass(gert::TilingContext* context) : context_(context) {}
    virtual ~TilingBaseClass() = default;

    ge::graphStatus DoTiling() {
        for (const Step step : {&TilingBaseClass::GetShapeAttrsInfo, &TilingBaseClass::GetPlatformInfo}) {
            const ge::graphStatus status = (this->*step)();
            if (status != ge::GRAPH_SUCCESS) {
                return status;
            }
        }
        if (!IsCapable()) {
            return ge::GRAPH_PARAM_INVALID;
        }
        for (const Step step : {&TilingBaseClass::DoOpTiling, &TilingBaseClass::DoLibApiTiling,
                                &TilingBaseClass::GetWorkspaceSize, &TilingBaseClass::PostTiling}) {
            const ge::graphStatus status = (this->*step)();
            if (status != ge::GRAPH_SUCCESS) {
                return status;
            }
        }
        context_->SetTilingKey(GetTilingKey());
        DumpTilingInfo();
        return ge::GRAPH_SUCCESS;
    }
    virtual void Reset(gert::TilingContext* context) { context_ = context; }

protected:
    virtual bool IsCapable() = 0;
    virtual ge::graphStatus GetPlatformInfo() = 0;
    virtual ge::graphStatus GetShapeAttrsInfo() = 0;
    virtual ge::graphStatus DoOpTiling() = 0;
    virtual ge::graphStatus DoLibApiTiling() = 0;
    virtual uint64_t GetTilingKey() const = 0;
    virtual ge::graphStatus GetWorkspaceSize() = 0;
    virtual ge::graphStatus PostTiling() = 0;
    virtual void DumpTilingInfo() {}

    /// Blocks to launch when every cube core brings several vector cores along.
    static uint32_t CalcTschBlockDim(uint32_t slices, uint32_t cube_cores, uint32_t vector_cores) {
        if (cube_cores == 0 || vector_cores < cube_cores) {
            return slices;
        }
        const uint32_t ratio = vector_cores / cube_cores;
        return (slices + ratio - 1) / ratio;
    }
    template <class Shape>
    std::string GetShapeDebugStr(const Shape& shape) const {
        std::ostringstream text;
        text << "[";
        for (size_t index = 0; index < shape.GetDimNum(); ++index) {
            text << (index == 0 ? "" : ", ") << shape.GetDim(index);
        }
        text << "]";
        return text.str();
    }
    std::string GetTensorDebugStr(const gert::StorageShape* shape,
                                  const gert::CompileTimeTensorDesc* desc) const {
        return shape == nullptr || desc == nullptr ? "nil " : GetShapeDebugStr(shape->GetStorageShape());
    }
    std::string GetTilingContextDebugStr() const { return context_->GetNodeName(); }
    std::string GetTilingDataDebugStr() const {
        return std::to_string(context_->GetRawTilingData()->GetDataSize()) + " bytes";
    }

    gert::TilingContext* context_ = nullptr;
    std::unique_ptr<platform_ascendc::PlatformAscendC> ascendcPlatform_;
    uint32_t blockDim_ = 0;
    uint64_t workspaceSize_ = 0;
    uint64_t tilingKey_ = 0;
    AiCoreParams aicoreParams_;

private:
    using Step = ge::graphStatus (TilingBaseClass::*)();
};

using TilingClassCase = std::unique_ptr<TilingBaseClass> (*)(gert::TilingContext*);

/// Every registered way to tile, by operator type and priority (small first).
class TilingRegistry {
public:
    static TilingRegistry& GetInstance() {
        static TilingRegistry registry;
        return registry;
    }
    void Add(const std::string& op_type, int32_t priority, TilingClassCase make) {
        templates_[op_type][priority] = make;
    }
    const std::map<int32_t, TilingClassCase>& GetTilingTemplates(const std::string& op_type) {
        return templates_[op_type];
    }
    ge::graphStatus DoTilingImpl(gert::TilingContext* context) {
        std::vector<int32_t> priorities;
        for (const auto& entry : GetTilingTemplates(context->GetNodeType())) {
            priorities.push_back(entry.first);
        }
        return Try(context, priorities, true);
    }
    ge::graphStatus DoTilingImpl(gert::TilingContext* context, const std::vector<int32_t>& priorities) {
        return Try(context, priorities, false);
    }

private:
    /// Result of the first way that applies; a failure of it is final only when `failure_ends` the search.
    ge::graphStatus Try(gert::TilingContext* context, const std::vector<int32_t>& priorities,
                        bool failure_ends) {
        const auto& known = GetTilingTemplates(context->GetNodeType());
        for (const int32_t priority : priorities) {
            const auto found = known.find(priority);
            const auto tiling = found == known.end() ? nullptr : found->second(context);
            const ge::graphStatus status = tiling == nullptr ? ge::GRAPH_PARAM_INVALID : tiling->DoTiling();
            if (status == ge::GRAPH_SUCCESS || (failure_ends && status != ge::GRAPH_PARAM_INVALID)) {
                return status;
            }
        }
        ::twin::host::log_line("error", "%s: no registered way to tile applies", context->GetNodeType());
        return ge::GRAPH_FAILED;
    }
    std::map<std::string, std::map<int32_t, TilingClassCase>> templates_;
};

/// Behind REGISTER_TILING_TEMPLATE.
class Register {
public:
    explicit Register(std::string op_type) : op_type_(std::move(op_type)) {}
    template <class Tiling>
    Register& tiling(int32_t priority) {
        TilingRegistry::GetInstance().Add(op_type_, priority, [](gert::TilingContext* context) {
            return std::unique_ptr<TilingBaseClass>(std::make_unique<Tiling>(context));
        });
        return *this;
    }

private:
    std::string op_type_;
};

}  // namespace optiling

#define TWIN_TILING_TEMPLATE(op_type, class_name, priority)                      \
    static ::optiling::Register twin_tiling_template_##class_name##_##priority = \
        ::optiling::Register(op_type).tiling<class_name>(priority)
#define REGISTER_TILING_TEMPLATE(op_type, class_name, priority) \
    TWIN_TILING_TEMPLATE(op_type, class_name, priority)
#define REGISTER_OPS_TILING_TEMPLATE(op_type, class_name, priority) \
    TWIN_TILING_TEMPLATE(#op_type, class_name, priority)
