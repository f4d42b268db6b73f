// The bounds-checked C functions that come with CANN and that tiling code uses.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

using errno_t = int;

#ifndef EOK
#define EOK 0
#endif
#define SECUREC_MEM_MAX_LEN 0x7fffffffUL

namespace twin {
constexpr errno_t kBadRange = 34;  // ERANGE: the destination is too small
}

inline errno_t memcpy_s(void* target, size_t room, const void* source, size_t bytes) {
    if (target == nullptr || source == nullptr || bytes > room) return twin::kBadRange;
    std::memcpy(target, source, bytes);
    return EOK;
}
inline errno_t memmove_s(void* target, size_t room, const void* source, size_t bytes) {
    if (target == nullptr || source == nullptr || bytes > room) return twin::kBadRange;
    std::memmove(target, source, bytes);
    return EOK;
}
inline errno_t memset_s(void* target, size_t room, int value, size_t bytes) {
    if (target == nullptr || bytes > room) return twin::kBadRange;
    std::memset(target, value, bytes);
    return EOK;
}
inline errno_t strcpy_s(char* target, size_t room, const char* source) {
    return source == nullptr ? twin::kBadRange : memcpy_s(target, room, source, std::strlen(source) + 1);
}
/// Number of characters written; -1 when they do not fit.
inline int vsnprintf_s(char* target, size_t room, size_t most, const char* text, va_list arguments) {
    const int length = std::vsnprintf(target, room < most + 1 ? room : most + 1, text, arguments);
    return length >= 0 && static_cast<size_t>(length) < room && static_cast<size_t>(length) <= most ? length
                                                                                                    : -1;
}
inline int snprintf_s(char* target, size_t room, size_t most, const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    const int length = vsnprintf_s(target, room, most, text, arguments);
    va_end(arguments);
    return length;
}
inline int sprintf_s(char* target, size_t room, const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    const int length = std::vsnprintf(target, room, text, arguments);
    va_end(arguments);
    return length >= 0 && static_cast<size_t>(length) < room ? length : -1;
}
