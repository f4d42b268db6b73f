// How a simulator makes the calls of templates that many kernels make: compiled once, not with each kernel.
#include "twin/kernel_prelude.h"
#include "twin/wire/replay.h"

namespace twin {
namespace wire {

const MadeCall usual_calls[] = {
#define USUAL_CALL(SYMBOL, ...) TWIN_MADE(__VA_ARGS__),
#include "usual_calls.inc"
#undef USUAL_CALL
};
const uint32_t usual_call_count = sizeof usual_calls / sizeof usual_calls[0];

}  // namespace wire
}  // namespace twin
