// Definitions of op_def.h and registry.h, part of the tiling program: compiled once, and not with every
// op_host.
#pragma once

#include "twin/host/op_def.h"

namespace ops {

OpParamDef::OpParamDef(const char* name) : name_(name) {}

OpParamDef::~OpParamDef() = default;

OpParamDef& OpParamDef::ParamType(Option kind) { return Set(kind_, kind); }

OpParamDef& OpParamDef::DataType(std::vector<ge::DataType> types) { return Set(types_, std::move(types)); }

OpParamDef& OpParamDef::DataTypeList(std::vector<ge::DataType> types) {
    any_combination_ = true;
    return Set(types_, std::move(types));
}

OpParamDef& OpParamDef::Format(std::vector<ge::Format> formats) { return Set(formats_, std::move(formats)); }

OpParamDef& OpParamDef::FormatList(std::vector<ge::Format> formats) {
    return Set(formats_, std::move(formats));
}

OpParamDef& OpParamDef::ValueDepend(Option need) { return Set(value_depend_, need); }

OpParamDef& OpParamDef::ValueDepend(Option need, DependScope) { return Set(value_depend_, need); }

OpParamDef& OpParamDef::AutoContiguous() { return Set(auto_contiguous_, true); }

OpParamDef& OpParamDef::IgnoreContiguous() { return Set(ignore_contiguous_, true); }

OpParamDef& OpParamDef::InitValue(uint64_t value) { return InitValue(ScalarVar(ScalarType::UINT8, value)); }

OpParamDef& OpParamDef::InitValue(const ScalarVar& value) { return Set(init_values_, {value}); }

OpParamDef& OpParamDef::InitValue(const std::vector<ScalarVar>& values) { return Set(init_values_, values); }

OpParamDef& OpParamDef::OutputShapeDependOnCompute() { return Set(shape_by_kernel_, true); }

OpParamDef& OpParamDef::Follow(const char* name) { return Set(follows_, std::string(name)); }

OpParamDef& OpParamDef::Follow(const char* name, FollowType) { return Set(follows_, std::string(name)); }

const ScalarVar* OpParamDef::InitialValue(ge::DataType type) const {
    for (size_t column = 0; column < init_values_.size(); ++column) {
        if (init_values_.size() == 1 || (column < types_.size() && types_[column] == type)) {
            return &init_values_[column];
        }
    }
    return nullptr;
}

OpAttrDef::OpAttrDef(const char* name) : name_(name) {}

OpAttrDef::~OpAttrDef() = default;

OpAttrDef& OpAttrDef::AttrType(Option kind) {
    kind_ = kind;
    return *this;
}

OpAttrDef& OpAttrDef::Bool(bool value) {
    return Of(Type::kBool, value_.integer, static_cast<int64_t>(value));
}

OpAttrDef& OpAttrDef::Int(int64_t value) { return Of(Type::kInt, value_.integer, value); }

OpAttrDef& OpAttrDef::Float(float value) { return Of(Type::kFloat, value_.real, value); }

OpAttrDef& OpAttrDef::String(const char* value) { return Of(Type::kText, value_.text, std::string(value)); }

OpAttrDef& OpAttrDef::ListBool(std::vector<bool> value) {
    return Of(Type::kBools, value_.bools, std::move(value));
}

OpAttrDef& OpAttrDef::ListInt(std::vector<int64_t> value) {
    return Of(Type::kInts, value_.ints, std::move(value));
}

OpAttrDef& OpAttrDef::ListFloat(std::vector<float> value) {
    return Of(Type::kFloats, value_.reals, std::move(value));
}

OpAttrDef& OpAttrDef::ListListInt(std::vector<std::vector<int64_t>> value) {
    return Of(Type::kIntTable, value_.table, std::move(value));
}

OpAICoreConfig::OpAICoreConfig() = default;

OpAICoreConfig::OpAICoreConfig(const char*) {}

OpAICoreConfig::OpAICoreConfig(const OpAICoreConfig& other) = default;

OpAICoreConfig& OpAICoreConfig::operator=(const OpAICoreConfig& other) = default;

OpAICoreConfig::~OpAICoreConfig() = default;

OpParamDef& OpAICoreConfig::Param(const char* name) {
    refined_.push_back(std::make_shared<OpParamDef>(name));
    return *refined_.back();
}

OpAICoreDef::OpAICoreDef() = default;

OpAICoreDef::~OpAICoreDef() = default;

OpAICoreDef& OpAICoreDef::AddConfig(const char* soc) {
    socs_.emplace_back(soc);
    return *this;
}

OpAICoreDef& OpAICoreDef::AddConfig(const char* soc, const OpAICoreConfig& config) {
    configs_.emplace_back(soc, config);
    return AddConfig(soc);
}

const OpParamDef* OpAICoreDef::Refined(const std::string& soc, const std::string& name) const {
    for (const auto& config : configs_) {
        for (const auto& param : config.second.Refined()) {
            if (config.first == soc && param->Name() == name) {
                return param.get();
            }
        }
    }
    return nullptr;
}

OpDef::OpDef(const char* type) : type_(type) {}

OpDef::~OpDef() = default;

OpParamDef& OpDef::Input(const char* name) { return Add(inputs_, name); }

OpParamDef& OpDef::Output(const char* name) { return Add(outputs_, name); }

OpAttrDef& OpDef::Attr(const char* name) { return Add(attributes_, name); }

}  // namespace ops

namespace twin {
namespace host {

Registry& Registry::Get() {
    static Registry registry;
    return registry;
}

Registry::~Registry() = default;

void Registry::Add(std::shared_ptr<ops::OpDef> definition) { definitions_.push_back(std::move(definition)); }

Functions& Registry::FunctionsOf(const std::string& type) { return functions_[type]; }

const ops::OpDef* Registry::Find(const std::string& type) const {
    for (const auto& definition : definitions_) {
        if (definition->Type() == type) {
            return definition.get();
        }
    }
    return nullptr;
}

}  // namespace host
}  // namespace twin

namespace gert {

OpImplRegisterV2::OpImplRegisterV2(const char* type)
    : functions_(&twin::host::Registry::Get().FunctionsOf(type)) {}

OpImplRegisterV2& OpImplRegisterV2::Tiling(ops::TilingFunction function, size_t) {
    functions_->tiling = function;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferShape(ops::InferShapeFunction function) {
    functions_->infer_shape = function;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferDataType(ops::InferDataTypeFunction function) {
    functions_->infer_type = function;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t> inputs) {
    return Depend(inputs);
}

OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t> inputs) {
    return Depend(inputs);
}

OpImplRegisterV2& OpImplRegisterV2::Depend(std::initializer_list<int32_t> inputs) {
    for (const int32_t input : inputs) {
        functions_->value_depend.push_back(static_cast<size_t>(input));
    }
    return *this;
}

}  // namespace gert
