// ge::Operator and ge::TensorDesc as CheckSupported functions read them. The twin runs an operator on the AI
// core whatever they say, so it never makes one: the classes are there for such functions to compile.
#pragma once

#include "twin/host/library_shape.h"
#include "twin/host/types.h"

namespace ge {

class TensorDesc {
public:
    Shape GetShape() const { return {}; }
    Shape GetOriginShape() const { return {}; }
    DataType GetDataType() const { return DT_UNDEFINED; }
    Format GetFormat() const { return FORMAT_ND; }
    Format GetOriginFormat() const { return FORMAT_ND; }
};

class Operator {
public:
    TensorDesc GetInputDescByName(const char*) const { return {}; }
    TensorDesc GetOutputDescByName(const char*) const { return {}; }
    TensorDesc GetInputDesc(uint32_t) const { return {}; }
    TensorDesc GetOutputDesc(uint32_t) const { return {}; }
    size_t GetInputsSize() const { return 0; }
    size_t GetOutputsSize() const { return 0; }
    template <class Value>
    graphStatus GetAttr(const char*, Value&) const {
        return GRAPH_FAILED;
    }
};

}  // namespace ge
