// An operator's declaration for the graph engine. The twin makes no graph: a declaration is read and
// forgotten.
#pragma once

#include "twin/host/operator.h"
#include "twin/host/types.h"

namespace twin {
namespace host {

/// Any number of parts behind REG_OP; each says nothing.
struct OperatorProto {
    constexpr OperatorProto part() const { return {}; }
};

}  // namespace host
}  // namespace twin

#define REG_OP(name) \
    [[maybe_unused]] constexpr auto twin_proto_##name = ::twin::host::OperatorProto {}
#define INPUT(...) part()
#define OUTPUT(...) part()
#define OPTIONAL_INPUT(...) part()
#define DYNAMIC_INPUT(...) part()
#define DYNAMIC_OUTPUT(...) part()
#define ATTR(...) part()
#define REQUIRED_ATTR(...) part()
#define DATATYPE(...) part()
#define GRAPH(...) part()
#define DYNAMIC_GRAPH(...) part()
#define OP_END_FACTORY_REG(name) part();
#define OP_END() part()
