// Included before the candidate's own source and behind everything of the twin: its loops count their passes.
//
// The keywords are macros from here on, so that no spelling of a loop escapes (another macro, a pasted name,
// a line splice); the judge refuses a kernel that defines or undefines them. The twin's own loops, written
// before, stay as they are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

#include "securec.h"
#include "twin/kernel_prelude.h"
#include "twin/launch.h"
#include "twin/core/scalar_work.h"

namespace twin {

inline void* counted_memcpy(void* target, const void* source, size_t bytes) {
    count_moved(bytes);
    return std::memcpy(target, source, bytes);
}
inline void* counted_memmove(void* target, const void* source, size_t bytes) {
    count_moved(bytes);
    return std::memmove(target, source, bytes);
}
inline void* counted_memset(void* target, int value, size_t bytes) {
    count_moved(bytes);
    return std::memset(target, value, bytes);
}

}  // namespace twin

using twin::counted_memcpy, twin::counted_memmove, twin::counted_memset;
namespace std {
using twin::counted_memcpy, twin::counted_memmove, twin::counted_memset;
}

#define memcpy counted_memcpy
#define memmove counted_memmove
#define memset counted_memset
#define __builtin_memcpy counted_memcpy
#define __builtin_memmove counted_memmove
#define __builtin_memset counted_memset
#define for(...)                   \
    for (__VA_ARGS__)              \
        if (::twin::loop_pass()) { \
        } else
#define while(...) while (::twin::loop_pass() || (__VA_ARGS__))
#define goto                   \
    if (::twin::loop_pass()) { \
    } else                     \
        goto
