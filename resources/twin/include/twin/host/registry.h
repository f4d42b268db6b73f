// Everything op_host registers before main(): operator definitions (OP_ADD) and functions (IMPL_OP*).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "twin/host/op_def.h"

namespace twin {
namespace host {

/// Functions registered for one operator type apart from its definition.
struct Functions {
    ops::TilingFunction tiling = nullptr;
    ge::graphStatus (*tiling_parse)(gert::TilingParseContext*) = nullptr;
    std::shared_ptr<void> (*make_compile_info)() = nullptr;
    ops::InferShapeFunction infer_shape = nullptr;
    ops::InferDataTypeFunction infer_type = nullptr;
    std::vector<size_t> value_depend;
};

class Registry {
public:
    static Registry& Get();
    ~Registry();
    void Add(std::shared_ptr<ops::OpDef> definition);
    Functions& FunctionsOf(const std::string& type);
    const std::vector<std::shared_ptr<ops::OpDef>>& Definitions() const { return definitions_; }

    /// Definition called `type`; null when there is none.
    const ops::OpDef* Find(const std::string& type) const;

private:
    std::vector<std::shared_ptr<ops::OpDef>> definitions_;
    std::map<std::string, Functions> functions_;
};

}  // namespace host
}  // namespace twin

namespace gert {

enum class TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

/// Behind IMPL_OP_OPTILING(X).Tiling(...).TilingParse<...>(...) and IMPL_OP_INFERSHAPE(X).InferShape(...).
class OpImplRegisterV2 {
public:
    explicit OpImplRegisterV2(const char* type);
    OpImplRegisterV2& Tiling(ops::TilingFunction function, size_t = 0);
    template <class CompileInfo, class Function>
    OpImplRegisterV2& TilingParse(Function function) {
        functions_->tiling_parse = ParseFunction(function);
        functions_->make_compile_info = [] { return std::shared_ptr<void>(std::make_shared<CompileInfo>()); };
        return *this;
    }
    template <class CompileInfo>
    OpImplRegisterV2& TilingParse() {
        functions_->make_compile_info = [] { return std::shared_ptr<void>(std::make_shared<CompileInfo>()); };
        return *this;
    }
    OpImplRegisterV2& InferShape(ops::InferShapeFunction function);
    OpImplRegisterV2& InferDataType(ops::InferDataTypeFunction function);
    template <class Function>
    OpImplRegisterV2& InferShapeRange(Function) {
        return *this;
    }
    template <class... Values>
    OpImplRegisterV2& PrivateAttr(const char*, Values...) {
        return *this;
    }
    OpImplRegisterV2& InputsDataDependency(std::initializer_list<int32_t> inputs);
    OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
    /// With the places the tiling may be computed at; here it is the host's.
    OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                                 std::initializer_list<TilingPlacement>) {
        return TilingInputsDataDependency(inputs);
    }

private:
    using Parse = ge::graphStatus (*)(gert::TilingParseContext*);
    template <class Function>
    static Parse ParseFunction(Function function) {
        return static_cast<Parse>(function);
    }
    OpImplRegisterV2& Depend(std::initializer_list<int32_t> inputs);
    twin::host::Functions* functions_;
};

}  // namespace gert

#define TWIN_HOST_JOIN_(a, b) a##b
#define TWIN_HOST_JOIN(a, b) TWIN_HOST_JOIN_(a, b)
#define TWIN_REGISTER_FUNCTIONS(op_type)                                                       \
    static ::gert::OpImplRegisterV2 TWIN_HOST_JOIN(twin_functions_##op_type##_, __COUNTER__) = \
        ::gert::OpImplRegisterV2(#op_type)
#define IMPL_OP(op_type) TWIN_REGISTER_FUNCTIONS(op_type)
#define IMPL_OP_OPTILING(op_type) TWIN_REGISTER_FUNCTIONS(op_type)
#define IMPL_OP_INFERSHAPE(op_type) TWIN_REGISTER_FUNCTIONS(op_type)
