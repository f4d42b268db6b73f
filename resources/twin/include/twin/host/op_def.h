// ops::OpDef, the operator definition, and OP_ADD, which registers it.
//
// The twin reads from a definition what decides how the operator is called: names, kinds and types of inputs
// and outputs, attributes with defaults, ValueDepend, AutoContiguous, supported SoCs, and the registered
// functions.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "twin/host/infer_context.h"
#include "twin/host/init_value.h"
#include "twin/host/operator.h"
#include "twin/host/tiling_context.h"

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FollowType { ALL = 0, DTYPE, FORMAT, SHAPE, INVALID_TYPE };
enum class CommentSection {
    BRIEF = 0,
    CONSTRAINTS,
    RESTRICTIONS,
    SEE,
    THIRDPARTYFWKCOMPAT,
    CATEGORY,
    SECTION_MAX
};
enum class ItemFindStatus { ITEM_FIND = 0, ITEM_NOEXIST };
enum class DependScope { ALL = 0, TILING, INVALID_SCOPE };
enum class FormatCheckOption { DEFAULT = 0, STRICT, MAX };

class OpParamDef {
public:
    explicit OpParamDef(const char* name);
    ~OpParamDef();
    OpParamDef& ParamType(Option kind);
    OpParamDef& DataType(std::vector<ge::DataType> types);
    OpParamDef& DataTypeList(std::vector<ge::DataType> types);
    OpParamDef& DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
    OpParamDef& Format(std::vector<ge::Format> formats);
    OpParamDef& FormatList(std::vector<ge::Format> formats);
    OpParamDef& FormatForBinQuery(std::vector<ge::Format>) { return *this; }
    OpParamDef& UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
    OpParamDef& ValueDepend(Option need);
    OpParamDef& ValueDepend(Option need, DependScope);
    OpParamDef& AutoContiguous();
    OpParamDef& IgnoreContiguous();
    OpParamDef& Scalar() { return *this; }
    OpParamDef& ScalarList() { return *this; }
    OpParamDef& To(ge::DataType) { return *this; }
    OpParamDef& To(const char*) { return *this; }
    OpParamDef& Version(uint32_t) { return *this; }
    OpParamDef& InitValue(uint64_t value);
    OpParamDef& InitValue(const ScalarVar& value);
    OpParamDef& InitValue(const std::vector<ScalarVar>& values);
    OpParamDef& OutputShapeDependOnCompute();
    OpParamDef& Follow(const char* name);
    OpParamDef& Follow(const char* name, FollowType);
    OpParamDef& Comment(const char*) { return *this; }

    const std::string& Name() const { return name_; }
    Option Kind() const { return kind_; }
    const std::vector<ge::DataType>& Types() const { return types_; }
    const std::vector<ge::Format>& Formats() const { return formats_; }
    bool AnyCombination() const { return any_combination_; }
    bool NeedsValue() const { return value_depend_ != IGNORE; }
    bool AsksForContiguous() const { return auto_contiguous_; }
    bool TakesStrides() const { return ignore_contiguous_; }
    const std::string& Follows() const { return follows_; }
    bool HasShapeByKernel() const { return shape_by_kernel_; }
    /// Value the output of `type` has before the kernel starts, nullptr for none.
    const ScalarVar* InitialValue(ge::DataType type) const;

private:
    template <class T>
    OpParamDef& Set(T& field, T value) {
        field = std::move(value);
        return *this;
    }
    std::string name_;
    std::string follows_;
    std::vector<ge::Format> formats_;
    Option kind_ = REQUIRED;
    Option value_depend_ = IGNORE;
    bool auto_contiguous_ = false;
    bool ignore_contiguous_ = false;
    bool any_combination_ = false;
    bool shape_by_kernel_ = false;
    std::vector<ge::DataType> types_;
    std::vector<ScalarVar> init_values_;
};

class OpAttrDef {
public:
    enum class Type { kUnset, kBool, kInt, kFloat, kText, kBools, kInts, kFloats, kIntTable };
    struct Value {
        int64_t integer = 0;
        float real = 0;
        std::string text;
        std::vector<bool> bools;
        std::vector<int64_t> ints;
        std::vector<float> reals;
        std::vector<std::vector<int64_t>> table;
    };

    explicit OpAttrDef(const char* name);
    ~OpAttrDef();
    OpAttrDef& AttrType(Option kind);
    OpAttrDef& Bool() { return Of(Type::kBool); }
    OpAttrDef& Bool(bool value);
    OpAttrDef& Int() { return Of(Type::kInt); }
    OpAttrDef& Int(int64_t value);
    OpAttrDef& Float() { return Of(Type::kFloat); }
    OpAttrDef& Float(float value);
    OpAttrDef& String() { return Of(Type::kText); }
    OpAttrDef& String(const char* value);
    OpAttrDef& ListBool() { return Of(Type::kBools); }
    OpAttrDef& ListBool(std::vector<bool> value);
    OpAttrDef& ListInt() { return Of(Type::kInts); }
    OpAttrDef& ListInt(std::vector<int64_t> value);
    OpAttrDef& ListFloat() { return Of(Type::kFloats); }
    OpAttrDef& ListFloat(std::vector<float> value);
    OpAttrDef& ListListInt() { return Of(Type::kIntTable); }
    OpAttrDef& ListListInt(std::vector<std::vector<int64_t>> value);
    OpAttrDef& Version(uint32_t) { return *this; }
    OpAttrDef& Comment(const char*) { return *this; }

    const std::string& Name() const { return name_; }
    Option Kind() const { return kind_; }
    Type ValueType() const { return type_; }
    bool HasDefault() const { return has_default_; }
    const Value& Default() const { return value_; }

private:
    OpAttrDef& Of(Type type) {
        type_ = type;
        return *this;
    }
    template <class T>
    OpAttrDef& Of(Type type, T& field, T value) {
        type_ = type;
        has_default_ = true;
        field = std::move(value);
        return *this;
    }
    std::string name_;
    Option kind_ = REQUIRED;
    Type type_ = Type::kUnset;
    bool has_default_ = false;
    Value value_;
};

class OpAICoreConfig {
public:
    OpAICoreConfig();
    explicit OpAICoreConfig(const char*);
    OpAICoreConfig(const OpAICoreConfig& other);
    OpAICoreConfig& operator=(const OpAICoreConfig& other);
    ~OpAICoreConfig();
    OpParamDef& Input(const char* name) { return Param(name); }
    OpParamDef& Output(const char* name) { return Param(name); }
    OpAICoreConfig& DynamicCompileStaticFlag(bool) { return *this; }
    OpAICoreConfig& DynamicFormatFlag(bool) { return *this; }
    OpAICoreConfig& DynamicRankSupportFlag(bool) { return *this; }
    OpAICoreConfig& DynamicShapeSupportFlag(bool) { return *this; }
    OpAICoreConfig& NeedCheckSupportFlag(bool) { return *this; }
    OpAICoreConfig& PrecisionReduceFlag(bool) { return *this; }
    OpAICoreConfig& ExtendCfgInfo(const char*, const char*) { return *this; }

    const std::vector<std::shared_ptr<OpParamDef>>& Refined() const { return refined_; }

private:
    // A per-SoC refinement of a parameter; of it the twin reads contiguity and keeps the definition's own
    // types.
    OpParamDef& Param(const char* name);
    std::vector<std::shared_ptr<OpParamDef>> refined_;
};

using TilingFunction = ge::graphStatus (*)(gert::TilingContext*);
using InferShapeFunction = ge::graphStatus (*)(gert::InferShapeContext*);
using InferDataTypeFunction = ge::graphStatus (*)(gert::InferDataTypeContext*);

class OpAICoreDef {
public:
    OpAICoreDef();
    ~OpAICoreDef();
    OpAICoreDef& SetTiling(TilingFunction function) {
        tiling_ = function;
        return *this;
    }
    template <class Function>
    OpAICoreDef& SetCheckSupport(Function) {
        return *this;
    }
    template <class Function>
    OpAICoreDef& SetOpSelectFormat(Function) {
        return *this;
    }
    template <class Function>
    OpAICoreDef& SetOpSupportInfo(Function) {
        return *this;
    }
    template <class Function>
    OpAICoreDef& SetParamGeneralize(Function) {
        return *this;
    }
    OpAICoreDef& AddConfig(const char* soc);
    OpAICoreDef& AddConfig(const char* soc, const OpAICoreConfig& config);

    TilingFunction Tiling() const { return tiling_; }
    const std::vector<std::string>& Socs() const { return socs_; }
    /// What the configuration of `soc` says about parameter `name`, nullptr for nothing.
    const OpParamDef* Refined(const std::string& soc, const std::string& name) const;

private:
    std::vector<std::pair<std::string, OpAICoreConfig>> configs_;
    TilingFunction tiling_ = nullptr;
    std::vector<std::string> socs_;
};

class OpMC2Def {
public:
    OpMC2Def& HcclGroup(const char*) { return *this; }
    OpMC2Def& HcclGroup(std::vector<const char*>) { return *this; }
};

class OpDef {
public:
    explicit OpDef(const char* type);
    ~OpDef();
    OpParamDef& Input(const char* name);
    OpParamDef& Output(const char* name);
    OpAttrDef& Attr(const char* name);
    OpDef& SetInferShape(InferShapeFunction function) {
        infer_shape_ = function;
        return *this;
    }
    OpDef& SetInferDataType(InferDataTypeFunction function) {
        infer_type_ = function;
        return *this;
    }
    template <class Function>
    OpDef& SetInferShapeRange(Function) {
        return *this;
    }
    OpAICoreDef& AICore() { return ai_core_; }
    OpMC2Def& MC2() { return mc2_; }
    OpDef& Comment(CommentSection, const char*) { return *this; }
    OpDef& Comment(const char*) { return *this; }
    OpDef& EnableFallBack() { return *this; }
    OpDef& FormatMatchMode(FormatCheckOption) { return *this; }

    const std::string& Type() const { return type_; }
    const std::list<OpParamDef>& Inputs() const { return inputs_; }
    const std::list<OpParamDef>& Outputs() const { return outputs_; }
    const std::list<OpAttrDef>& Attributes() const { return attributes_; }
    InferShapeFunction InferShape() const { return infer_shape_; }
    InferDataTypeFunction InferDataType() const { return infer_type_; }
    const OpAICoreDef& Core() const { return ai_core_; }

private:
    // Lists keep references stable: definitions hold on to what Input() returned. A name used twice is the
    // same one.
    template <class Def>
    static Def& Add(std::list<Def>& defs, const char* name) {
        for (Def& def : defs) {
            if (def.Name() == name) {
                return def;
            }
        }
        defs.emplace_back(name);
        return defs.back();
    }
    std::string type_;
    std::list<OpParamDef> inputs_;
    std::list<OpParamDef> outputs_;
    std::list<OpAttrDef> attributes_;
    InferShapeFunction infer_shape_ = nullptr;
    InferDataTypeFunction infer_type_ = nullptr;
    OpAICoreDef ai_core_;
    OpMC2Def mc2_;
};

}  // namespace ops

#include "twin/host/registry.h"

#define OP_ADD(op_type, ...)                                                    \
    static const bool twin_registered_##op_type = [] {                          \
        ::twin::host::Registry::Get().Add(std::make_shared<op_type>(#op_type)); \
        return true;                                                            \
    }()
