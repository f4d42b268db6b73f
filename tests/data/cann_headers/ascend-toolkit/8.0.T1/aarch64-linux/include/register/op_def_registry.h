#pragma once
#include <vector>

#include "exe_graph/runtime/tiling_context.h"

enum Option { REQUIRED, OPTIONAL };

namespace ops {
class OpParamDef {
public:
    OpParamDef& ParamType(Option option);
    OpParamDef& DataType(std::vector<ge::DataType> types);
    OpParamDef& Format(std::vector<ge::Format> formats);
    OpParamDef& UnknownShapeFormat(std::vector<ge::Format> formats);
    OpParamDef& AutoContiguous();
};
class OpAICoreDef {
public:
    OpAICoreDef& SetTiling(ge::graphStatus (*function)(gert::TilingContext*));
    OpAICoreDef& AddConfig(const char* processor);
};
class OpDef {
public:
    explicit OpDef(const char* name);
    OpParamDef& Input(const char* name);
    OpParamDef& Output(const char* name);
    OpDef& SetInferShape(ge::graphStatus (*function)(gert::InferShapeContext*));
    OpDef& SetInferDataType(ge::graphStatus (*function)(gert::InferDataTypeContext*));
    OpAICoreDef& AICore();
};
}  // namespace ops

#define OP_ADD(name) static name stand_in_##name(#name)
