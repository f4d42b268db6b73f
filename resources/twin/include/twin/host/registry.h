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

/// Behind IMPL_OP_OPTILING(X).Tiling(...).TilingParse<...>(...) and IMPL_OP_INFERSHAPE(X).InferShape(...).
class Registration {
public:
    explicit Registration(const char* type);
    Registration& Tiling(ops::TilingFunction function, size_t = 0);
    template <class CompileInfo, class Function>
    Registration& TilingParse(Function function) {
        functions_->tiling_parse = ParseFunction(function);
        functions_->make_compile_info = [] { return std::shared_ptr<void>(std::make_shared<CompileInfo>()); };
        return *this;
    }
    template <class CompileInfo>
    Registration& TilingParse() {
        functions_->make_compile_info = [] { return std::shared_ptr<void>(std::make_shared<CompileInfo>()); };
        return *this;
    }
    Registration& InferShape(ops::InferShapeFunction function);
    Registration& InferDataType(ops::InferDataTypeFunction function);
    template <class Function>
    Registration& InferShapeRange(Function) {
        return *this;
    }
    template <class... Values>
    Registration& PrivateAttr(const char*, Values...) {
        return *this;
    }
    Registration& InputsDataDependency(std::initializer_list<int32_t> inputs);
    Registration& TilingInputsDataDependency(std::initializer_list<int32_t> inputs);

private:
    using Parse = ge::graphStatus (*)(gert::TilingParseContext*);
    template <class Function>
    static Parse ParseFunction(Function function) {
        return static_cast<Parse>(function);
    }
    Registration& Depend(std::initializer_list<int32_t> inputs);
    Functions* functions_;
};

}  // namespace host
}  // namespace twin

#define TWIN_HOST_JOIN_(a, b) a##b
#define TWIN_HOST_JOIN(a, b) TWIN_HOST_JOIN_(a, b)
#define TWIN_REGISTER_FUNCTIONS(op_type) \
    static ::twin::host::Registration TWIN_HOST_JOIN(twin_functions_##op_type##_, __COUNTER__) = ::twin::host::Registration(#op_type)
#define IMPL_OP(op_type) TWIN_REGISTER_FUNCTIONS(op_type)
#define IMPL_OP_OPTILING(op_type) TWIN_REGISTER_FUNCTIONS(op_type)
#define IMPL_OP_INFERSHAPE(op_type) TWIN_REGISTER_FUNCTIONS(op_type)
