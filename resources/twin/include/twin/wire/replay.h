// How the simulator makes the calls a kernel's process sent. Calls of templates that many kernels make are
// compiled once (src/usual_calls.cpp); the unit that lists what a candidate calls beside them is generated
// from the names in its object, see remote/judge/building/wired_calls.py.
#pragma once

#include <tuple>
#include <utility>

#include "twin/wire/form.h"

namespace twin {
namespace wire {

/// Takes the arguments of one call and makes it.
using MadeCall = void (*)(Reader&);

/// What the kernel gets where it asks for the result of the call made last.
void answer_with(const void* value, size_t bytes);

template <class... Parameters, class Function>
void make_call(Reader& from, Function function) {
    using Taken = std::tuple<std::decay_t<Parameters>...>;
    Taken taken{Form<std::decay_t<Parameters>>::read(from)...};  // in braces: from left to right
    using Result = decltype(std::apply(function, taken));
    if constexpr (std::is_void_v<Result>) {
        std::apply(function, taken);
    } else {
        const auto result = std::apply(function, taken);
        static_assert(std::is_trivially_copyable_v<decltype(result)>);
        answer_with(&result, sizeof result);
    }
}

template <auto function>
struct RuntimeCall;
template <class Result, class... Parameters, Result (*function)(Parameters...)>
struct RuntimeCall<function> {
    static void make(Reader& from) { make_call<Parameters...>(from, function); }
};

// Behind the calls of the runtime, in this order.
extern const MadeCall usual_calls[];
extern const uint32_t usual_call_count;
extern const MadeCall further_calls[];
extern const uint32_t further_call_count;

}  // namespace wire
}  // namespace twin

/// One entry of these: a function with all its template arguments, and the types of its parameters.
#define TWIN_MADE(FUNCTION, ...)                                                                   \
    [](::twin::wire::Reader& from) {                                                               \
        ::twin::wire::make_call<__VA_ARGS__>(                                                      \
            from, [](auto&... given) -> decltype(auto) { return TWIN_NAMED FUNCTION(given...); }); \
    }
#define TWIN_NAMED(...) __VA_ARGS__
